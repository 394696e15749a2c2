// Rows as text for people: columns of a width beneath their names and types.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pappus::detail {

struct shown_column {
  std::string name, type;
  bool is_number = false;  ///< then cells stand to the right
  std::vector<std::string> cells{};
};

/// Names, types, and as many lines as columns have cells. Columns that don't fit are named below.
/// \param width  of a line, in characters; 0: any
std::string table_text(const std::vector<shown_column>& columns, std::size_t width);

/// Of the terminal that is the standard output; 0: it is none.
std::size_t terminal_width();

// Cells. Text has no control characters, and no more than 40 others.
std::string text_of_number(double value);
std::string text_of_number(std::int64_t value);
std::string text_of_number(std::uint64_t value);
std::string text_of_text(std::string_view text);
/// YYYY-MM-DD.
std::string text_of_date(std::int64_t days);
/// YYYY-MM-DD HH:MM:SS, and microseconds where there are some.
std::string text_of_timestamp(std::int64_t micros);

}  // namespace pappus::detail
