// Reads the columns of Parquet files, and of Arrow's own, into records, in parallel and in bounded
// memory.
//
// A file's rows lie in groups; in a group each column lies by itself and is decoded from its front.
// How many rows a group has is known, and so where its records go: workers take groups, and decode
// some rows of each column in turn, which they put into the records while both are in a cache.
// Where fewer groups are wanted at a time than there are workers, these share a group's columns. A
// group that is read in part stays open, with rows that were decoded and aren't wanted yet.
//
// Where records are made block by block by who reads them (arrow_columns.h), columns are decoded
// alone, and values that a field may not be able to have are looked at. Then groups of which nobody
// wants a record, and rows at both ends of others (arrow_groups.h), are passed over: they are
// numbered, but there is no more. So a group is up to three sections, each of which is read, or
// passed over, by itself.
//
// Text isn't copied: records point to what was decoded, which is kept. Where a column has its texts
// in a dictionary, they are decoded once for each group, of Arrow's own files once.
//
// Alternatives: decoding whole groups into tables first, as Arrow offers it, takes memory of the
// file's choosing and goes through all of it twice.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "formats/arrow/arrow_cells.h"
#include "formats/arrow/arrow_columns.h"
#include "formats/arrow/arrow_fields.h"
#include "formats/arrow/arrow_groups.h"
#include "formats/arrow/arrow_library.h"
#include "formats/byte_source.h"
#include "formats/format.h"
#include "formats/missing_cells.h"
#include "pappus/error.h"

namespace pappus::formats {

class arrow_reader final : public reader {
 public:
  using open_columns = std::function<std::unique_ptr<arrow_file>(const byte_source& source,
                                                                 std::int64_t rows_at_once)>;

  /// \param group_name  what errors call a group
  /// `memory` must outlive the reader and its strings. Throws format_error, usage_error.
  arrow_reader(std::unique_ptr<byte_source> source, const detail::record_layout& layout,
               detail::memory_source& memory, const char* group_name, const open_columns& open);

  std::size_t record_bytes() const noexcept override { return record_bytes_; }
  std::optional<std::int64_t> rows() const noexcept override { return rows_; }
  std::int64_t count(detail::workers&) override { return rows_; }
  std::int64_t read(detail::workers& team, std::byte* out, std::int64_t capacity) override;
  bool has_columns() const noexcept override { return true; }
  columns read_columns(detail::workers& team, std::int64_t capacity) override;
  left_out not_read() const noexcept override { return not_read_; }
  std::int64_t bytes_read() const noexcept override { return source_->bytes_read(); }
  detail::missing_counts take_missing() override { return missing_.take(); }
  void rewind() override;
  std::size_t scratch_bytes() const noexcept override { return group_bytes_ * groups_max_; }
  std::shared_ptr<void> take_strings() noexcept override;
  std::size_t string_bytes() const noexcept override {
    return strings_ ? strings_->bytes.load() : 0;
  }
  void limit_strings(std::size_t bytes) noexcept override { string_bytes_max_ = bytes; }

 private:
  /// What the records read since take_strings() point to.
  struct kept_text {
    std::mutex adding;
    std::vector<std::shared_ptr<const void>> owners;
    std::atomic<std::size_t> bytes{0};
  };
  /// A column of a group that is read.
  struct open_column {
    std::unique_ptr<arrow_rows> rows;
    arrow_piece piece;
    std::int64_t used = 0;  ///< of the piece
    std::shared_ptr<const arrow_piece> dictionary;
    std::shared_ptr<const category_codes> codes;  ///< of the dictionary's texts
    std::int64_t kept_in = -1;  ///< the generation of strings that has the text of the piece
  };
  /// A dictionary that groups share, which they get as the same piece.
  struct shared_dictionary {
    std::mutex looking;
    std::shared_ptr<const arrow_piece> texts;
    std::shared_ptr<const category_codes> codes;
    std::int64_t kept_in = -1;  ///< the generation of strings that has the texts
  };
  /// Rows of a section that are read at once.
  struct part {
    std::size_t section;
    std::int64_t first_row, rows;  ///< in the file
    std::byte* out;                ///< null: their columns are only decoded
    std::shared_ptr<std::vector<open_column>> columns;
    std::vector<std::vector<arrow_stretch>> decoded{};  ///< of each column
  };
  /// The first value that can't be had, or what Arrow says.
  struct problem {
    std::int64_t row = 0;
    std::size_t column = 0;
    std::string text;
  };

  void plan_memory(const detail::memory_source& memory);
  void find_gaps();
  std::vector<part> next_parts(std::byte* out, std::int64_t capacity, unsigned workers);
  std::int64_t rows_for_text(std::int64_t rows) const;
  std::vector<std::vector<std::size_t>> sets_of_columns(std::size_t parts, unsigned workers) const;
  std::int64_t read_parts(detail::workers& team, std::byte* out, std::int64_t capacity,
                          arrow_columns* decoded);
  std::optional<problem> fill(part& rows, std::span<const std::size_t> columns, bool with_gaps,
                              const detail::workers& team);
  void fill_column(std::size_t which, part& rows, std::int64_t begin, std::int64_t n);
  void check(std::size_t which, const open_column& column, std::int64_t n) const;
  void load(const part& rows, std::size_t which, open_column& column, std::int64_t at);
  bool take_dictionary(std::size_t which, open_column& column,
                       const std::shared_ptr<const arrow_piece>& texts, detail::cell type);
  void leave_out(std::int64_t begin, std::int64_t first_row, arrow_columns& of);
  std::string told(std::size_t which) const;
  [[noreturn]] void refuse_texts(std::size_t which, const memory_error& full) const;
  std::shared_ptr<const category_codes> codes_of(std::size_t which,
                                                 const std::shared_ptr<const arrow_piece>& texts);
  void keep_text(std::size_t which, open_column& column);
  void clear_gaps(std::byte* records, std::int64_t n) const;

  std::unique_ptr<byte_source> source_;
  detail::memory_source& memory_;
  const char* group_name_;
  std::int64_t rows_at_once_;
  std::unique_ptr<arrow_file> file_;
  std::size_t record_bytes_;
  missing_cells missing_;
  std::shared_ptr<const std::vector<arrow_binding>> bindings_;  // of columns that somebody looks at
  std::span<const arrow_binding> bound_;                        // the same
  std::vector<std::pair<std::size_t, std::size_t>> gaps_;       // bytes of a record that stay zero
  std::vector<arrow_section> sections_;
  std::vector<std::int64_t> section_begin_;  // rows; of the end, too
  std::int64_t rows_ = 0;
  left_out not_read_;
  double row_text_ = 0;  // bytes of a row's text, at most about
  std::size_t group_bytes_ = 0, groups_max_ = 1;
  std::vector<shared_dictionary> dictionaries_;  // of the bound columns
  std::shared_ptr<kept_text> strings_;
  std::int64_t generation_ = 0;  // of strings_
  std::size_t string_bytes_max_ = SIZE_MAX;
  std::int64_t next_row_ = 0;
  std::size_t next_section_ = 0;                            // which has next_row_
  std::shared_ptr<std::vector<open_column>> open_section_;  // that one, where it was begun
};

/// The records of a Parquet file, or of a file or stream of Arrow's own format.
std::unique_ptr<reader> open_parquet(const std::string& path, const detail::record_layout& layout,
                                     detail::memory_source& memory);
std::unique_ptr<reader> open_ipc(const std::string& path, const detail::record_layout& layout,
                                 detail::memory_source& memory);

}  // namespace pappus::formats
