// Sums of integers, and of their squares, that never overflow.
//
// Sums are kept in words of 64 bits with carries between them, which devices have, too. Carries and
// overflows keep compilers from vectorising loops. So the records of a block, fewer than 2^31, are
// summed in parts that need neither (block_sum, block_squares), which are then added to the words.
#pragma once

#include <cstdint>
#include <type_traits>

#include "pappus/detail/base/record_text.h"

namespace pappus::detail {

template <typename T>
concept exactly_summed = std::is_integral_v<T> && sizeof(T) <= 8;

template <exactly_summed T>
constexpr bool is_negative(T x) {
  if constexpr (std::is_signed_v<T>)
    return x < 0;
  else
    return false;
}

/// A sum of integers as 128 bits in two's complement.
struct exact_sum {
  std::uint64_t low = 0;
  std::int64_t high = 0;

  template <exactly_summed T>
  constexpr void add(T x) {
    const auto word = static_cast<std::uint64_t>(x);
    low += word;
    high += std::int64_t{low < word} - std::int64_t{is_negative(x)};
  }
  constexpr void add(const exact_sum& other) {
    low += other.low;
    high += other.high + std::int64_t{low < other.low};
  }
};

/// A sum of integers of up to 32 bits: low + high * 2^64. As a signed word, low hardly ever
/// overflows, so that adding an integer writes one word.
struct exact_sum_of_narrow {
  std::int64_t low = 0;
  std::int64_t high = 0;

  constexpr void add(std::int64_t x) {
    std::int64_t sum = 0;
    if (__builtin_add_overflow(low, x, &sum)) [[unlikely]]
      high += x < 0 ? -1 : 1;
    low = sum;
  }
  constexpr void add(const exact_sum_of_narrow& other) {
    add(other.low);
    high += other.high;
  }
  constexpr exact_sum wide() const {
    return {static_cast<std::uint64_t>(low), high - std::int64_t{low < 0}};
  }
};

template <exactly_summed T>
using exact_sum_of = std::conditional_t<sizeof(T) <= 4, exact_sum_of_narrow, exact_sum>;

/// A sum of squares: 192 bits, the lowest word first.
struct exact_squares {
  std::uint64_t words[3] = {};

  /// \param high  less than 2^64 - 1, as that of every square is.
  constexpr void add(std::uint64_t low, std::uint64_t high) {
    words[0] += low;
    high += std::uint64_t{words[0] < low};
    words[1] += high;
    words[2] += std::uint64_t{words[1] < high};
  }
  template <exactly_summed T>
  constexpr void add_square_of(T x) {
    const auto word = static_cast<std::uint64_t>(x);
    const std::uint64_t size = is_negative(x) ? 0 - word : word;
    if constexpr (sizeof(T) <= 4) {
      add(size * size, 0);
    } else {
      // 128-bit integers would keep functions from devices.
      const std::uint64_t a = size >> 32, b = size & 0xFFFFFFFF, both = a * b;
      const std::uint64_t low = b * b + (both << 33);
      add(low, a * a + (both >> 31) + std::uint64_t{low < both << 33});
    }
  }
  constexpr void add(const exact_squares& other) {
    const std::uint64_t carry = words[0] + other.words[0] < other.words[0];
    words[0] += other.words[0];
    const std::uint64_t middle = words[1] + other.words[1];
    words[2] += other.words[2] + std::uint64_t{middle < other.words[1]} +
                std::uint64_t{middle + carry < carry};
    words[1] = middle + carry;
  }
};

/// The sum of a block's integers.
template <exactly_summed T>
struct block_sum {
  std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t> total = 0;
  constexpr void add(T x) { total += x; }
  constexpr void add_to(exact_sum_of_narrow& to, std::int64_t) const {
    to.add(static_cast<std::int64_t>(total));
  }
};

/// Integers of 64 bits are made unsigned by adding 2^63. Their exact sum follows from their sum
/// modulo 2^64 and the sum of their upper halves, since the sum of the lower halves is below 2^64.
template <exactly_summed T>
  requires(sizeof(T) == 8)
struct block_sum<T> {
  static constexpr std::uint64_t bias = std::is_signed_v<T> ? std::uint64_t{1} << 63 : 0;
  std::uint64_t total = 0, upper = 0;

  constexpr void add(T x) {
    const std::uint64_t word = static_cast<std::uint64_t>(x) ^ bias;
    total += word;
    upper += word >> 32;
  }
  /// \param n  how many integers were added.
  constexpr void add_to(exact_sum& to, std::int64_t n) const {
    const auto carry = std::int64_t{total < upper << 32};
    to.add({total, static_cast<std::int64_t>(upper >> 32) + carry});
    if constexpr (bias != 0) {
      const std::uint64_t low = 0 - (static_cast<std::uint64_t>(n) << 63);
      to.add({low, -(n >> 1) - std::int64_t{low != 0}});
    }
  }
};

/// The sum of the squares of a block's integers.
template <exactly_summed T>
struct block_squares {
  exact_squares total;
  constexpr void add_square_of(T x) { total.add_square_of(x); }
  constexpr void add_to(exact_squares& to) const { to.add(total); }
};

/// The sums of the squares' lower and upper 32 bits.
template <exactly_summed T>
  requires(sizeof(T) <= 4)
struct block_squares<T> {
  std::uint64_t lower = 0, upper = 0;

  constexpr void add_square_of(T x) {
    using word = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
    const auto square = static_cast<std::uint64_t>(static_cast<word>(x) * static_cast<word>(x));
    lower += square & 0xFFFFFFFF;
    upper += square >> 32;
  }
  constexpr void add_to(exact_squares& to) const {
    to.add(lower, 0);
    to.add(upper << 32, upper >> 32);
  }
};

/// sum / n, rounded once. For n > 0.
double mean_of(const exact_sum& sum, std::int64_t n);
inline double mean_of(const exact_sum_of_narrow& sum, std::int64_t n) {
  return mean_of(sum.wide(), n);
}
/// (n * squares - sum^2) / n^2, rounded once where n < 2^32, else to within one unit of the last
/// place. For n > 0.
double variance_of(const exact_sum& sum, const exact_squares& squares, std::int64_t n);
inline double variance_of(const exact_sum_of_narrow& sum, const exact_squares& squares,
                          std::int64_t n) {
  return variance_of(sum.wide(), squares, n);
}

}  // namespace pappus::detail

template <>
inline constexpr bool pappus::holds_no_text<pappus::detail::exact_squares> = true;
