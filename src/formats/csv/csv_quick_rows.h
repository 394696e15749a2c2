// Parses the rows that most files consist of: cells as they are expected, quoted or not.
//
// Cells are cut where csv_cell_ends says; columns that nobody wants are passed over without a look.
// Whatever else there is (quotes in quotes, rows of too few cells) is left to csv_row_parser, so
// that there is one place for what is understood, and for errors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "formats/csv/csv_cell_ends.h"
#include "formats/csv/csv_row.h"
#include "formats/csv/csv_strings.h"

namespace pappus::formats {

class csv_quick_rows {
 public:
  /// \param end  of the text, in which rows are complete; csv_cell_ends::bytes_behind bytes more
  ///             can be read
  csv_quick_rows(const csv_plan& plan, csv_row_parser& others, string_arena& strings,
                 const char* end);

  /// Parses the row at `at`, which is behind the last one, into the first of `left` records, as
  /// csv_row_parser::parse() does; returns where the next row begins.
  const char* parse(const char* at, std::byte* record, std::int64_t left);

 private:
  /// What is done with a cell.
  struct step {
    std::uint32_t column = 0;
    std::uint32_t passed = 0;  ///< cells before it that nobody wants
    std::uint32_t offset = 0, presence = 0, string_column = 0;
    detail::cell type{};
    bool plain = false;  ///< a number, or date, of the usual form
  };

  const char* parse_any(const char* at, std::byte* record);
  const char* parse_if_usual(const char* at, std::byte* record);
  bool pass(std::size_t cells, const char*& at, std::size_t& used) const;
  bool cut(const char* at, csv_cell_text& found, std::size_t& used) const;
  void store(const step& of, const csv_cell_text& found, std::byte* record);
  void clear(std::byte* record, std::int64_t left);

  const csv_plan& plan_;
  csv_row_parser& others_;
  string_arena& strings_;
  const char* const end_;
  std::vector<step> steps_;
  std::size_t passed_last_ = 0;  ///< cells behind the last that is wanted
  csv_cell_ends ends_;
  const char* next_ = nullptr;   ///< the row that is expected
  std::byte* record_ = nullptr;  ///< for it
  std::int64_t cleared_ = 0;     ///< records from there on that are zeros
};

}  // namespace pappus::formats
