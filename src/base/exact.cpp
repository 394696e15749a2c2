// Quotients of sums that are too wide for a double.
//
// Numerator and denominator are cut to 128 and 64 significant bits, so that their quotient has at
// least 63. What was cut off or left over becomes one more bit behind them: all that rounding needs
// to know of it.
#include "pappus/detail/base/exact.h"

#include <array>
#include <bit>
#include <cmath>

namespace pappus::detail {
namespace {

__extension__ using u128 = unsigned __int128;
using u256 = std::array<std::uint64_t, 4>;  // the lowest word first

constexpr double exact_doubles = 0x1p53;  // integers up to here are doubles

u128 magnitude_of(const exact_sum& sum) {
  const u128 bits = static_cast<u128>(static_cast<std::uint64_t>(sum.high)) << 64 | sum.low;
  return sum.high < 0 ? -bits : bits;
}

int width_of(u128 x) {
  const auto high = static_cast<std::uint64_t>(x >> 64);
  return high != 0 ? 64 + std::bit_width(high) : std::bit_width(static_cast<std::uint64_t>(x));
}

/// to += x * y at word `at`.
void add_product(u256& to, std::size_t at, std::uint64_t x, std::uint64_t y) {
  const u128 product = static_cast<u128>(x) * y;
  u128 sum = static_cast<u128>(to[at]) + static_cast<std::uint64_t>(product);
  to[at] = static_cast<std::uint64_t>(sum);
  std::uint64_t carry = static_cast<std::uint64_t>(sum >> 64);
  for (std::size_t i = at + 1; i < to.size(); ++i) {
    sum = static_cast<u128>(to[i]) + carry +
          (i == at + 1 ? static_cast<std::uint64_t>(product >> 64) : 0);
    to[i] = static_cast<std::uint64_t>(sum);
    carry = static_cast<std::uint64_t>(sum >> 64);
  }
}

void subtract(u256& from, const u256& x) {
  std::uint64_t borrow = 0;
  for (std::size_t i = 0; i < from.size(); ++i) {
    const u128 difference = static_cast<u128>(from[i]) - x[i] - borrow;
    from[i] = static_cast<std::uint64_t>(difference);
    borrow = static_cast<std::uint64_t>(difference >> 64) & 1;
  }
}

/// bits * 2^exponent, of 128 significant bits, and whether there were more.
struct cut {
  u128 bits = 0;
  int exponent = 0;
  bool more = false;
};

cut leading_bits(const u256& x) {
  std::size_t words = x.size();
  while (words > 2 && x[words - 1] == 0) --words;
  cut out{static_cast<u128>(x[words - 1]) << 64 | x[words - 2], static_cast<int>(words - 2) * 64,
          false};
  std::uint64_t next = words > 2 ? x[words - 3] : 0;
  for (std::size_t i = 0; i + 3 < words; ++i) out.more |= x[i] != 0;
  if (out.bits == 0) return out;
  const int room = 128 - width_of(out.bits);
  if (room > 0) {
    out.bits <<= room;
    // With fewer than 64 bits in the first two words there is no third.
    if (room < 64) {
      out.bits |= next >> (64 - room);
      next <<= room;
    }
    out.exponent -= room;
  }
  out.more |= next != 0;
  return out;
}

/// Rounded once, but for denominators of more than 64 bits.
double quotient(const u256& numerator, u128 denominator) {
  const cut top = leading_bits(numerator);
  if (top.bits == 0) return 0;
  const int excess = width_of(denominator) - 64;
  const auto by =
      static_cast<std::uint64_t>(excess > 0 ? denominator >> excess : denominator << -excess);
  const u128 whole = top.bits / by;
  const bool more = top.more || top.bits % by != 0;
  return std::ldexp(static_cast<double>(whole << 1 | static_cast<u128>(more)),
                    top.exponent - excess - 1);
}

double as_double(u128 x) { return static_cast<double>(static_cast<std::uint64_t>(x)); }

bool is_exact_double(u128 x) { return x <= static_cast<u128>(exact_doubles); }

}  // namespace

double mean_of(const exact_sum& sum, std::int64_t n) {
  const u128 size = magnitude_of(sum);
  const auto count = static_cast<std::uint64_t>(n);
  const double mean =
      is_exact_double(size) && is_exact_double(count)
          ? as_double(size) / as_double(count)
          : quotient({static_cast<std::uint64_t>(size), static_cast<std::uint64_t>(size >> 64)},
                     count);
  return sum.high < 0 ? -mean : mean;
}

double variance_of(const exact_sum& sum, const exact_squares& squares, std::int64_t n) {
  const auto count = static_cast<std::uint64_t>(n);
  const u128 size = magnitude_of(sum);
  const auto low = static_cast<std::uint64_t>(size), high = static_cast<std::uint64_t>(size >> 64);
  u256 square{}, numerator{};
  add_product(square, 0, low, low);
  add_product(square, 1, low, high);
  add_product(square, 1, low, high);
  add_product(square, 2, high, high);
  for (std::size_t i = 0; i < 3; ++i) add_product(numerator, i, squares.words[i], count);
  subtract(numerator, square);
  const u128 denominator = static_cast<u128>(count) * count;
  if ((numerator[1] | numerator[2] | numerator[3]) == 0 && is_exact_double(numerator[0]) &&
      is_exact_double(denominator))
    return as_double(numerator[0]) / as_double(denominator);
  return quotient(numerator, denominator);
}

}  // namespace pappus::detail
