// What a file format offers: a reader of records and a writer of records, whatever the records are.
//
// Opening reads the header only. Data are read in file order by successive read() calls, each
// parallel inside, so that a file larger than memory streams through a fold. A format is a folder
// here plus one line in registry.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "pappus/detail/base/chunks.h"
#include "pappus/detail/base/columns.h"
#include "pappus/detail/base/memory.h"
#include "pappus/detail/base/missing_counts.h"
#include "pappus/detail/base/parallel.h"

namespace pappus::formats {

struct text_length {
  double bytes = 0;   ///< 0 where it is no text
  bool exact = true;  ///< else about so many: the file is compressed
};

/// Reads records from a file in file order. Not thread-safe; one read() uses all workers it is
/// given.
class reader {
 public:
  virtual ~reader() = default;

  virtual std::size_t record_bytes() const noexcept = 0;

  /// The number of records, where the header or the size tells it.
  virtual std::optional<std::int64_t> rows() const noexcept = 0;

  /// The number of records. Where rows() is empty this reads the whole file once, without parsing
  /// it, and rewinds.
  virtual std::int64_t count(detail::workers& team) = 0;

  /// Fills `out` (room for `capacity` records) with the next records in file order and returns how
  /// many: fewer than `capacity` only at the end of the file, 0 when none is left. Bytes of a
  /// record that belong to no column are zero, unless the file holds records as they lie in memory.
  /// Throws format_error for the first bad record in file order, whatever the number of workers;
  /// the content of `out` is then unspecified.
  virtual std::int64_t read(detail::workers& team, std::byte* out, std::int64_t capacity) = 0;

  /// Whether read_columns() may be called in place of read(), always.
  virtual bool has_columns() const noexcept { return false; }
  /// The same records, which weren't put together: what makes them, from 0 on, and how many there
  /// are. Throws as read().
  struct columns {
    std::shared_ptr<const detail::record_maker> of;
    std::int64_t rows = 0;
  };
  virtual columns read_columns(detail::workers&, std::int64_t /*capacity*/) { return {}; }

  /// What read_columns() has left out so far, as the layout's conditions say that nobody misses it
  /// (record_maker::next() tells which records that are).
  struct left_out {
    std::int64_t groups = 0, all_groups = 0;  ///< of rows; as many as there are in all
    std::int64_t bytes = 0;                   ///< that weren't fetched for that
  };
  virtual left_out not_read() const noexcept { return {}; }

  /// Bytes of the file that were read so far, the header's included. From any thread.
  virtual std::int64_t bytes_read() const noexcept = 0;

  /// The text that the file has.
  virtual text_length text() const noexcept { return {}; }

  /// What lacks values, of the records that read() handed out since the last call, or rewind(): of
  /// fewer rows than these where it doesn't know.
  virtual detail::missing_counts take_missing() { return {}; }

  /// Starts over with the first record.
  virtual void rewind() = 0;

  /// The most bytes that reading takes from the memory_source, besides `out` and the strings,
  /// unless a row is longer.
  virtual std::size_t scratch_bytes() const noexcept = 0;

  /// Keeps alive what the string_view fields of the records read since the last call, or rewind(),
  /// point to. May be empty.
  virtual std::shared_ptr<void> take_strings() noexcept { return nullptr; }
  /// The bytes that these strings take of the memory_source.
  virtual std::size_t string_bytes() const noexcept { return 0; }
  /// From now on read() ends early, with fewer than `capacity` records, once string_bytes() has
  /// come to so many: by what is read at a time, scratch_bytes() at most, more.
  virtual void limit_strings(std::size_t) noexcept {}
};

/// Writes records to a file that appears under its name in close(). A writer destroyed before
/// leaves no trace.
class writer {
 public:
  virtual ~writer() = default;

  /// Adds `n` records. Throws format_error if the file can't take them.
  virtual void append(detail::workers& team, const std::byte* records, std::int64_t n) = 0;

  /// Writes what was kept back, which close() does else. Nothing may be added afterwards.
  virtual void complete() {}

  /// Completes the file and puts it in place of an older one.
  virtual void close() = 0;
};

}  // namespace pappus::formats
