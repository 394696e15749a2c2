#include "regions/interval.h"

#include <algorithm>
#include <bit>
#include <functional>

namespace pappus::regions {
namespace {

interval fitting(wide low, wide high) {
  if (low < interval::least || high > interval::most) return interval::everything();
  return {static_cast<std::int64_t>(low), static_cast<std::int64_t>(high)};
}

bool known(const interval& a, const interval& b) { return a.bounded() && b.bounded(); }

/// Of an operation that is monotone in each operand while the other stays: least and greatest
/// result belong to ends of both.
template <typename Operation>
interval at_corners(const interval& a, const interval& b, Operation result) {
  const auto all = {result(wide{a.low}, wide{b.low}), result(wide{a.low}, wide{b.high}),
                    result(wide{a.high}, wide{b.low}), result(wide{a.high}, wide{b.high})};
  return fitting(std::min(all), std::max(all));
}

/// All numbers with the bits that these have, and all between: -2^n to 2^n - 1.
interval as_wide_as(const interval& a, const interval& b) {
  const auto magnitude = [](std::int64_t n) { return static_cast<std::uint64_t>(n < 0 ? ~n : n); };
  const auto bits = static_cast<std::int64_t>(
      std::bit_ceil((magnitude(a.low) | magnitude(a.high) | magnitude(b.low) | magnitude(b.high)) +
                    1) -
      1);
  return {a.low < 0 || b.low < 0 ? -bits - 1 : 0, bits};
}

template <typename Operation>
interval bits_of(const interval& a, const interval& b, Operation result) {
  if (!known(a, b)) return interval::everything();
  return a.single() && b.single() ? interval::of(result(a.low, b.low)) : as_wide_as(a, b);
}

bool shifts(const interval& b) {
  constexpr std::int64_t bits_max = 63;
  return b.low >= 0 && b.high <= bits_max;
}

}  // namespace

interval operator+(const interval& a, const interval& b) noexcept {
  if (!known(a, b)) return interval::everything();
  return fitting(wide{a.low} + b.low, wide{a.high} + b.high);
}

interval operator-(const interval& a, const interval& b) noexcept {
  if (!known(a, b)) return interval::everything();
  return fitting(wide{a.low} - b.high, wide{a.high} - b.low);
}

interval operator*(const interval& a, const interval& b) noexcept {
  constexpr auto zero = interval::of(0);
  if (a == zero || b == zero) return zero;
  if (!known(a, b)) return interval::everything();
  return at_corners(a, b, [](wide x, wide y) { return x * y; });
}

interval operator/(const interval& a, const interval& b) noexcept {
  if (!known(a, b) || b.holds(0)) return interval::everything();
  return at_corners(a, b, [](wide x, wide y) { return x / y; });
}

interval operator%(const interval& a, const interval& b) noexcept {
  if (b.holds(0) || !b.bounded()) return interval::everything();
  if (b.single() && a.bounded() && a.low / b.low == a.high / b.low)
    return {a.low % b.low, a.high % b.low};
  const auto smallest = b.low > 0 ? b.low : -b.high;  // of |b|
  if (a.bounded() && -smallest < a.low && a.high < smallest) return a;
  const auto most = std::max(b.high, -b.low) - 1;
  return {a.low >= 0 ? 0 : std::max(a.low, -most), a.high <= 0 ? 0 : std::min(a.high, most)};
}

interval operator<<(const interval& a, const interval& b) noexcept {
  if (!a.bounded() || !shifts(b)) return interval::everything();
  return at_corners(a, b, [](wide x, wide y) { return x * (wide{1} << static_cast<int>(y)); });
}

interval operator>>(const interval& a, const interval& b) noexcept {
  if (!a.bounded() || !shifts(b)) return interval::everything();
  return at_corners(a, b, [](wide x, wide y) { return x >> static_cast<int>(y); });
}

interval operator&(const interval& a, const interval& b) noexcept {
  if (a.single() && b.single()) return bits_of(a, b, std::bit_and<>());
  const auto masks = [](const interval& i) { return i.bounded() && i.low >= 0; };
  if (masks(a) && masks(b)) return {0, std::min(a.high, b.high)};
  if (masks(a)) return {0, a.high};
  if (masks(b)) return {0, b.high};
  return bits_of(a, b, std::bit_and<>());
}

interval operator|(const interval& a, const interval& b) noexcept {
  return bits_of(a, b, std::bit_or<>());
}

interval operator^(const interval& a, const interval& b) noexcept {
  return bits_of(a, b, std::bit_xor<>());
}

interval least_of(const interval& a, const interval& b) noexcept {
  return {std::min(a.low, b.low), std::min(a.high, b.high)};
}

interval greatest_of(const interval& a, const interval& b) noexcept {
  return {std::max(a.low, b.low), std::max(a.high, b.high)};
}

}  // namespace pappus::regions
