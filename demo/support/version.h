// The order of Debian package versions.
#pragma once

#include <string_view>

namespace demo {

/// Negative, zero or positive as version a is earlier than, equal to or later than b, by the rules
/// of Debian policy 5.6.12 ([epoch:]upstream[-revision]; "~" sorts before everything, even the
/// end). Linear time.
int compare_versions(std::string_view a, std::string_view b);

}  // namespace demo
