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

}  // namespace pappus::formats
