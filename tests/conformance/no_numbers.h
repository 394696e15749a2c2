// Doubles that are no numbers.
#pragma once

#include <limits>

namespace pappus::testing {

inline constexpr double nan = std::numeric_limits<double>::quiet_NaN();
inline constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace pappus::testing
