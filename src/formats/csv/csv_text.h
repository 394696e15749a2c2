// One value as CSV text; the reverse of csv_cell.h.
#pragma once

#include <cstddef>
#include <string_view>

#include "pappus/columns.h"
#include "pappus/detail/base/columns.h"

namespace pappus::formats {

/// Enough bytes for the text of any value that is not a string.
inline constexpr std::size_t value_bytes_max = 32;

/// Throws format_error for dates outside the years 0 to 9999.
void check_printable(date day);

/// Writes the value at `value` to `at` and returns the end of the text, which has at most
/// value_bytes_max bytes. Throws format_error for dates outside the years 0 to 9999. Not for
/// strings.
char* print_value(detail::cell type, const std::byte* value, char* at);

/// Writes a string cell, quoted where needed: at most 2 * text.size() + 2 bytes.
char* print_text(std::string_view text, char delimiter, char* at) noexcept;

/// The same in quotes, whatever it is.
char* print_quoted(std::string_view text, char* at) noexcept;

}  // namespace pappus::formats
