// Reads JSON lines, an object a line, into records, in parallel and in bounded memory.
//
// lines/lines_reader.h cuts the file: a newline within JSON text is always written \n, so that no
// line is cut in two. Some ten thousand lines at a time are parsed by all workers straight into the
// caller's records, which are then moved together where lines were blank.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/byte_source.h"
#include "formats/csv/csv_strings.h"
#include "formats/format.h"
#include "formats/json/json_plan.h"
#include "formats/json/json_row.h"
#include "formats/lines/lines_reader.h"
#include "formats/missing_cells.h"

namespace pappus::formats {

class json_reader final : public reader {
 public:
  /// Binds columns to keys; others are skipped. `memory` must outlive the reader and its strings.
  /// Bad lines are left out where the layout says who is told of them. Throws usage_error,
  /// format_error for damage to a compressed file's first bytes.
  json_reader(std::unique_ptr<byte_source> source, const detail::record_layout& layout,
              detail::memory_source& memory, std::size_t slab_bytes = std::size_t{16} << 20,
              std::size_t piece_bytes = std::size_t{256} << 10);

  std::size_t record_bytes() const noexcept override { return plan_.record_bytes; }
  std::optional<std::int64_t> rows() const noexcept override { return std::nullopt; }
  std::int64_t count(detail::workers& team) override;
  std::int64_t read(detail::workers& team, std::byte* out, std::int64_t capacity) override;
  std::int64_t bytes_read() const noexcept override { return lines_.bytes_read(); }
  text_length text() const noexcept override { return lines_.text(); }
  detail::missing_counts take_missing() override { return missing_.take(); }
  void rewind() override;
  std::size_t scratch_bytes() const noexcept override;
  std::shared_ptr<void> take_strings() noexcept override;
  std::size_t string_bytes() const noexcept override;
  void limit_strings(std::size_t bytes) noexcept override { string_bytes_max_ = bytes; }

 private:
  bool next_lines(detail::workers& team, std::int64_t most);
  /// A line that is left out.
  struct left_out {
    std::size_t number = 0;  ///< of those at hand
    json_problem problem;
  };
  /// Of some lines.
  struct item_result {
    std::int64_t records = 0;
    std::vector<left_out> bad;
  };

  std::int64_t parse(detail::workers& team, std::byte* out);
  void parse_item(std::size_t begin, std::size_t end, std::byte* out, unsigned worker,
                  item_result& result);
  void tell(std::vector<item_result>& results);
  void prepare(std::size_t workers);
  std::size_t items() const noexcept;
  std::string_view line_at(std::size_t number) const noexcept;
  [[noreturn]] void fail(const json_problem& problem, std::size_t number) const;

  const std::string name_;
  detail::memory_source& memory_;
  const json_plan plan_;
  const std::shared_ptr<detail::bad_row_source> bad_rows_;  // null: a bad line is an error
  const std::size_t string_buffer_bytes_;
  lines_reader lines_;
  missing_cells missing_;
  std::size_t string_bytes_max_ = SIZE_MAX;
  std::vector<std::unique_ptr<json_row_parser>> parsers_;  // one per worker
  std::shared_ptr<std::vector<string_arena>> strings_;     // one per worker; null: none since taken

  detail::buffer views_;  // of the lines at hand
  std::size_t count_ = 0;
  std::int64_t lines_before_ = 0;  // of the file
};

}  // namespace pappus::formats
