// Divisions of numbers that aren't negative, rounded up; without overflow where the result fits.
#pragma once

#include <concepts>
#include <type_traits>

namespace pappus::detail {

/// How many pieces of `piece` hold n: ceil_div(10, 4) is 3, ceil_div(0, 4) is 0.
template <std::integral T>
constexpr T ceil_div(T n, std::type_identity_t<T> piece) {
  return static_cast<T>(n / piece + (n % piece != 0 ? 1 : 0));
}

/// The least multiple that is at least n: round_up(10, 4) is 12, round_up(8, 4) is 8.
template <std::integral T>
constexpr T round_up(T n, std::type_identity_t<T> multiple) {
  return static_cast<T>(ceil_div(n, multiple) * multiple);
}

}  // namespace pappus::detail
