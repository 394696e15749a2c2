// Names of columns, and in error messages.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "pappus/detail/base/columns.h"

namespace pappus::formats {

/// The names, quoted, commas between them; after twenty only the number of the rest.
std::string listed(std::span<const std::string> names);

/// "; did you mean "delay"?" if one of the names is a likely misspelling of `wanted`, else "".
std::string suggestion(std::string_view wanted, std::span<const std::string> names);

/// The layout with a name for each column: of those without one, the field's own. Throws
/// usage_error where there are no columns, or one has no name.
detail::record_layout named_layout(const std::string& file, detail::record_layout layout);

}  // namespace pappus::formats
