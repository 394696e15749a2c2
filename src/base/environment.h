// The variables of the environment that Pappus looks at, all of them.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace pappus::base {

struct variable {
  std::string_view name, meaning, otherwise;  ///< otherwise: the default
};

/// Every variable whose name begins with PAPPUS_.
std::span<const variable> variables();

/// Null where the variable isn't set or is empty. Variables of others (HOME) may be asked for, too.
const char* environment(const char* name);

/// All variables as text for a terminal: a line for each, and one for its default.
std::string environment_help();

}  // namespace pappus::base
