// Parses one row of CSV text into a record.
//
// A row is read left to right once. Numbers are parsed where they stand: if what follows the digits
// ends the cell, the cell's end need not be searched for. Only cells that this fails on (quotes,
// spaces, '+', bad text) are cut out first. The grammar is RFC 4180's; see csv_scan.h for why a
// quote may not stand inside an unquoted cell.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "formats/csv/csv_dialect.h"
#include "formats/csv/csv_strings.h"
#include "pappus/detail/base/columns.h"

namespace pappus::formats {

/// What a reader does with each column of a file.
struct csv_plan {
  struct column {
    std::string name;
    bool bound = false;
    detail::cell type{};
    bool is_plain = false;  ///< a number that can be parsed where it stands
    std::size_t offset = 0;
    std::size_t presence = 0;       ///< of the byte that is 1 where there is a value; 0: always
    std::size_t string_column = 0;  ///< a string column's number among those that are bound
  };

  char delimiter = ',';
  std::size_t record_bytes = 0;
  std::size_t string_columns = 0;
  std::vector<column> columns;
  std::vector<std::string> missing;  ///< texts besides none that stand for what is missing
  csv_dialect dialect{};

  /// Whether text stands for what is missing.
  bool lacks(std::string_view text) const noexcept;
};

/// Thrown for a bad row: the column and what is wrong. The reader adds file and row.
struct csv_problem {
  static constexpr std::size_t whole_row = std::numeric_limits<std::size_t>::max();
  std::size_t column;
  std::string text;
};

/// A cell without its outer quotes.
struct csv_cell_text {
  std::string_view text;
  const char* end;  ///< the delimiter or the row's end
  bool quoted = false;
};

class csv_row_parser {
 public:
  /// \param strings  receives the text of string cells
  csv_row_parser(const csv_plan& plan, string_arena& strings) : plan_(plan), strings_(strings) {}

  /// Parses the row at `at`, which ends before `end`, into the record at `record` and sets bytes of
  /// the record that no column fills to zero. Returns where the next row begins. Loads up to 15
  /// bytes behind `end`. Throws csv_problem for the leftmost bad cell.
  const char* parse(const char* at, const char* end, std::byte* record);

  /// Stores what the cell of a bound column says in the record. Throws csv_problem.
  void store(std::size_t column, const csv_cell_text& found, std::byte* record);

 private:
  const char* parse_bound(std::size_t column, const char* at, const char* end, std::byte* record);
  static bool store_missing(const csv_plan::column& column, std::byte* record);
  csv_cell_text cut(std::size_t column, const char* at, const char* end);
  csv_cell_text cut_quoted(std::size_t column, const char* at, const char* end);
  bool ends_cell(const char* at) const noexcept;

  const csv_plan& plan_;
  string_arena& strings_;
  std::string unescaped_;
};

/// Whether this beginning of a row breaks the rules of quoting, so that parsing fails however the
/// row goes on.
bool misquoted(std::string_view row, char delimiter) noexcept;

}  // namespace pappus::formats
