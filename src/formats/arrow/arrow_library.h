// What Pappus needs of Arrow's C++ library, as an interface of its own.
//
// Arrow is large, and few systems have it: so what calls it (library/) is a shared library beside
// this one, libpappus-arrow.so, which is loaded when the first Parquet or Arrow file is opened.
// Only columns cross the border, as Arrow lays them out in memory. What fields they become, and the
// other way, is decided on this side, and known without Arrow.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "formats/byte_source.h"
#include "pappus/detail/base/memory.h"

namespace pappus::formats {

/// What Arrow refuses, in its words. memory_error, and what byte_source throws, pass through it.
struct arrow_problem : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Values of a column, by how they lie in memory.
enum class arrow_kind : std::uint8_t {
  i8,
  i16,
  i32,
  i64,
  u8,
  u16,
  u32,
  u64,
  f32,
  f64,
  boolean,    ///< a bit each
  text,       ///< of any bytes
  date,       ///< days in 32 bits
  timestamp,  ///< in 64 bits
  decimal,    ///< integers of 4, 8 or 16 bytes
  list,       ///< of values of another kind
  other,
};

struct arrow_column {
  std::string name;
  arrow_kind kind = arrow_kind::other;
  bool nullable = true;
  std::int64_t unit = 1'000'000;          ///< timestamps: so many make a second
  std::int32_t precision = 0, scale = 0;  ///< decimals: digits, those of them behind the point
  bool dictionary = false;                ///< of texts to be written: as numbers of a dictionary's
  std::string type{};                     ///< as Arrow calls it
  std::vector<arrow_column> items{};      ///< of lists: their items, as of a column
};

/// Consecutive values of a column. Value i is number `first` + i of its buffers.
struct arrow_piece {
  std::int64_t rows = 0, first = 0, nulls = 0;
  const std::uint8_t* valid = nullptr;  ///< bits, 0 where there is no value; null: all are there
  const void* values = nullptr;         ///< text: where each begins, and the last one ends
  const char* text = nullptr;
  std::int32_t width = 0;  ///< bytes of a number, a place in a text (4, 8), an index (4), ...
  /// Of lists: `values` are where each begins among these, and the last one ends; null: each has
  /// `width` of them.
  std::shared_ptr<const arrow_piece> items{};
  bool fixed_text = false;                          ///< texts of `width` bytes each, without places
  std::shared_ptr<const arrow_piece> dictionary{};  ///< of which the values are numbers
  std::shared_ptr<const void> owner{};              ///< keeps all of it
  std::shared_ptr<const void> text_owner{};         ///< keeps `text`, and not much else
  std::int64_t text_bytes = 0;
};

/// The rows of a column in one of a file's groups, front to back. Used by one thread at a time.
class arrow_rows {
 public:
  virtual ~arrow_rows() = default;
  /// The next piece; false: there is none. Throws arrow_problem.
  virtual bool next(arrow_piece& piece) = 0;
};

/// What values of a column are at least and at most, missing ones and NaN apart.
struct arrow_extent {
  enum class what : std::uint8_t { unknown, integers, floats, texts } of = what::unknown;
  std::int64_t least = 0, most = 0;  ///< of u64 their bits; times and decimals as they are stored
  double low = 0, high = 0;
  std::string first{}, last{};  ///< texts, in the order of their bytes
};

/// Consecutive values of a column in a group, as the file tells of them.
struct arrow_page {
  std::int64_t rows = 0;
  std::int64_t stored_bytes = 0;  ///< that aren't read where nobody wants the page
  std::int64_t nulls = -1;        ///< -1: nobody counted them
  arrow_extent extent{};
};

struct arrow_group {
  std::int64_t rows = 0;
  std::vector<std::int64_t> stored_bytes, bytes;  ///< of each column: in the file, uncompressed
  std::vector<std::int64_t> held_bytes;  ///< of each column: about so many are in memory at a time
  std::vector<std::int64_t> nulls;       ///< of each column; -1: nobody counted them
  std::vector<arrow_extent> extents;     ///< of each column
};

/// A file of columns, cut into groups of rows. May be used by several threads.
class arrow_file {
 public:
  virtual ~arrow_file() = default;
  virtual const std::vector<arrow_column>& columns() const noexcept = 0;
  virtual const std::vector<arrow_group>& groups() const noexcept = 0;
  /// From a row of the group on. Throws arrow_problem. The file must outlive what it returns.
  virtual std::unique_ptr<arrow_rows> rows(std::size_t group, std::size_t column,
                                           std::int64_t first_row) = 0;
  /// Those of a column in a group, front to back; none where nobody tells.
  virtual std::vector<arrow_page> pages(std::size_t, std::size_t) { return {}; }
};

/// Where a file that is written goes.
class arrow_sink {
 public:
  virtual ~arrow_sink() = default;
  virtual void append(const void* bytes, std::size_t n) = 0;
};

/// Writes a file of columns, group by group. Groups that have ended may wait to be encoded.
class arrow_file_writer {
 public:
  virtual ~arrow_file_writer() = default;
  virtual void begin_group() = 0;
  /// The next values of a column, which hold until it returns. By several threads at once for
  /// different columns.
  virtual void put(std::size_t column, const arrow_piece& piece) = 0;
  virtual void end_group() = 0;
  virtual std::size_t groups_waiting() const { return 0; }
  /// Encodes one of them; several threads at once for different ones.
  virtual void encode(std::size_t) {}
  /// Writes those that wait, which are encoded before, if they weren't.
  virtual void write_groups() {}
  /// The texts that a column's values are numbers of, when all values were put.
  virtual void put_dictionary(std::size_t, const arrow_piece&) {}
  /// Completes the file.
  virtual void close() = 0;
};

class arrow_library {
 public:
  virtual ~arrow_library() = default;
  /// \param source, memory  must outlive the file and what pieces own
  /// \param rows_at_once    of a piece at most
  virtual std::unique_ptr<arrow_file> open_parquet(const byte_source& source,
                                                   detail::memory_source& memory,
                                                   std::int64_t rows_at_once) const = 0;
  /// \param page_bytes  about so many of a column are compressed at a time
  virtual std::unique_ptr<arrow_file_writer> create_parquet(
      arrow_sink& sink, const std::vector<arrow_column>& columns, std::int64_t page_bytes,
      detail::memory_source& memory) const = 0;
  /// Files and streams of Arrow's own format, which is called IPC; parameters as of Parquet's.
  virtual std::unique_ptr<arrow_file> open_ipc(const byte_source& source,
                                               detail::memory_source& memory,
                                               std::int64_t rows_at_once) const = 0;
  virtual std::unique_ptr<arrow_file_writer> create_ipc(arrow_sink& sink,
                                                        const std::vector<arrow_column>& columns,
                                                        detail::memory_source& memory) const = 0;
};

/// What libpappus-arrow.so exports; its number changes when this file does.
#define PAPPUS_ARROW_ENTRY pappus_arrow_library_5

/// The library, loaded when it is first asked for. Throws format_error, which names `file` and says
/// how to get it.
const arrow_library& load_arrow(const std::string& file);

}  // namespace pappus::formats
