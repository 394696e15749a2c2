// Reads CSV files (RFC 4180) into records, in parallel and in bounded memory.
//
// The file goes through memory in slabs (csv_slab.h). For the rows of a slab the pieces are known
// to begin with a given row, so workers parse pieces straight into the caller's records with no
// list of rows in between. Errors are those of the first bad row of the file: pieces are started in
// file order and the lowest piece that fails wins.
//
// Alternatives: mapping the file would save a copy but let I/O errors arrive as signals; parsing
// speculatively before quotes are known would save the scan, which costs a few percent of the
// parsing.
//
// Where bad rows are left out, a piece's records are fewer than its rows, and moved together when
// all pieces are parsed. A row ends where the scan says it does: a quote in the wrong place takes
// the text up to the next one with it.
//
// Not here: type inference, other encodings than UTF-8, comments. How compressed files become text:
// text_stream.h.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/byte_source.h"
#include "formats/csv/csv_open.h"
#include "formats/csv/csv_options.h"
#include "formats/csv/csv_row.h"
#include "formats/csv/csv_slab.h"
#include "formats/csv/csv_strings.h"
#include "formats/format.h"
#include "formats/missing_cells.h"

namespace pappus::formats {

class csv_reader final : public reader {
 public:
  /// Reads the header, if the file has one, and binds columns by name, else by position; columns of
  /// the file that `layout` doesn't bind are skipped. `memory` must outlive the reader and its
  /// strings(). Throws format_error or usage_error.
  csv_reader(std::unique_ptr<byte_source> source, const detail::record_layout& layout,
             detail::memory_source& memory, const csv_options& options = {});

  std::size_t record_bytes() const noexcept override { return plan_.record_bytes; }
  std::optional<std::int64_t> rows() const noexcept override { return std::nullopt; }
  std::int64_t count(detail::workers& team) override;
  std::int64_t read(detail::workers& team, std::byte* out, std::int64_t capacity) override;
  std::int64_t bytes_read() const noexcept override { return text_->bytes_read(); }
  text_length text() const noexcept override { return length_; }
  detail::missing_counts take_missing() override { return missing_.take(); }
  void rewind() override;
  std::size_t scratch_bytes() const noexcept override { return slab_.bytes_max(); }
  std::shared_ptr<void> take_strings() noexcept override;
  std::size_t string_bytes() const noexcept override;
  void limit_strings(std::size_t bytes) noexcept override { string_bytes_max_ = bytes; }

 private:
  csv_reader(opened_csv opened, const detail::record_layout& layout, detail::memory_source& memory,
             const csv_options& options);

  bool next_rows(detail::workers& team);
  /// A row that is left out.
  struct left_out {
    std::int64_t row = 0, position = 0;  ///< in the slab
    csv_problem problem;
  };
  /// Those of a piece.
  struct piece_result {
    std::int64_t first_row = 0;  ///< of the piece that was parsed
    std::int64_t rows = 0;
    std::vector<left_out> bad;
  };

  std::int64_t parse(detail::workers& team, std::byte* out, std::int64_t rows);
  std::int64_t parse_piece(const csv_slab::piece& piece, std::int64_t rows_end, std::byte* out,
                           string_arena& strings, std::vector<left_out>* bad);
  std::int64_t leave_out(std::vector<piece_result>& pieces, std::byte* out, std::int64_t rows_end);
  void refuse_incomplete(std::string_view row, bool at_end);
  void prepare_strings(std::size_t workers);
  [[noreturn]] void fail(const csv_problem& problem, std::int64_t row, std::int64_t position) const;

  std::unique_ptr<byte_source> source_;
  std::unique_ptr<text_stream> text_;
  text_length length_;
  detail::memory_source& memory_;
  csv_plan plan_;
  csv_slab slab_;
  missing_cells missing_;
  std::shared_ptr<std::vector<string_arena>> strings_;  // one per worker; null: none since taken
  const std::size_t string_buffer_bytes_;
  std::size_t string_bytes_max_ = SIZE_MAX;
  std::int64_t rows_taken_ = 0;                             // of the slab
  std::int64_t next_begin_ = 0;                             // where the first row not taken begins
  const std::shared_ptr<detail::bad_row_source> bad_rows_;  // null: they are errors
  std::int64_t counted_to_ = 0, newlines_ = 0;  // a position in the slab; newlines before it
};

}  // namespace pappus::formats
