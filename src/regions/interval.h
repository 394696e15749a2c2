// Arithmetic on intervals of 64-bit integers: all that an operation can yield (Moore, Interval
// Analysis, 1966), with C++'s division.
//
// Whatever could leave 64 bits, and whatever C++ leaves undefined, is everything. So a bound at
// either end of int64 says that nothing is known, not that the value is near there; from that on
// only min, max, % and a product with 0 know more.
#pragma once

#include <cstdint>
#include <limits>

namespace pappus::regions {

/// Holds products of two 64-bit integers.
__extension__ using wide = __int128;

struct interval {
  static constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
  static constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();

  std::int64_t low = 0, high = 0;  ///< both inclusive; low > high: no value

  static constexpr interval of(std::int64_t value) noexcept { return {value, value}; }
  static constexpr interval everything() noexcept { return {least, most}; }
  static constexpr interval nothing() noexcept { return {most, least}; }

  constexpr bool empty() const noexcept { return low > high; }
  /// Neither end is unknown.
  constexpr bool bounded() const noexcept { return low != least && high != most; }
  constexpr bool single() const noexcept { return low == high; }
  constexpr bool holds(std::int64_t value) const noexcept { return low <= value && value <= high; }

  friend constexpr bool operator==(const interval&, const interval&) = default;
};

// What is yielded by any of a and any of b, neither of which is empty. Sums, differences, products,
// divisions, shifts, least and greatest are exact where the operands are independent and the result
// fits; remainders are where the quotient is the same for all.
interval operator+(const interval& a, const interval& b) noexcept;
interval operator-(const interval& a, const interval& b) noexcept;
interval operator*(const interval& a, const interval& b) noexcept;
/// Towards 0. Everything where b holds 0.
interval operator/(const interval& a, const interval& b) noexcept;
/// With the sign of a. Everything where b holds 0.
interval operator%(const interval& a, const interval& b) noexcept;
/// Everything where b isn't from 0 to 63.
interval operator<<(const interval& a, const interval& b) noexcept;
interval operator>>(const interval& a, const interval& b) noexcept;
interval operator&(const interval& a, const interval& b) noexcept;
interval operator|(const interval& a, const interval& b) noexcept;
interval operator^(const interval& a, const interval& b) noexcept;
interval least_of(const interval& a, const interval& b) noexcept;
interval greatest_of(const interval& a, const interval& b) noexcept;

}  // namespace pappus::regions
