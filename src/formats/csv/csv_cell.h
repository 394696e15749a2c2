// One cell of CSV text as a value.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "pappus/detail/base/columns.h"

namespace pappus::formats {

enum class cell_outcome { good, malformed, out_of_range };

/// Parses `text`, the cell without its outer quotes, into a value of any type but string. Spaces
/// around it, a leading '+', and nan and inf in upper or lower case are understood; an empty text
/// is NaN for floats and malformed for all other types.
cell_outcome parse_cell(detail::cell type, std::string_view text, std::byte* out) noexcept;

/// What parse_cell accepts, for errors: "a 32-bit integer".
std::string_view expected_of(detail::cell type) noexcept;

/// The range of an integer type, for errors: "-128 to 127"; "" for other types.
std::string range_of(detail::cell type);

/// `text` as an error shows it: quoted, control characters escaped, long ones cut.
std::string shown(std::string_view text);

}  // namespace pappus::formats
