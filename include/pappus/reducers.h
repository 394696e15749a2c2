// Ready-made reducers. A reducer is any trivially copyable struct with
//   void accumulate(const T&);   one more record
//   void merge(const Self&);     all the records of another, which come after this one's
//   auto finalize() const;       optional: the result, where it isn't the reducer itself
//   void accumulate_block(const T* records, std::int64_t n);
//                                optional: the same as accumulating n >= 1 records one by one,
//                                faster
//   static constexpr bool exact = true;
//                                optional: merge() in row order gives the same bits wherever rows
//                                are cut. Grouping saves merging then
//   static constexpr bool commutative = true;
//                                optional: the same bits whatever the order of records and of
//                                merge(), as for sums of integers; it needn't say that it is exact.
//                                A join's left records are then taken in the order that is fastest
//   using of_block = ...;        optional: a copyable reducer of fewer than 2^31 records that
//                                accumulates faster; void merge(const of_block&) then takes such a
//                                block
// A default-constructed one (or the one given to reduce()) stands for no records: merging it must
// change nothing.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "pappus/detail/base/exact.h"
#include "pappus/detail/base/keys.h"
#include "pappus/error.h"

namespace pappus::reducers {

/// The type sums are kept in: 64-bit integers of the same signedness, double for float and double,
/// else T itself.
template <typename T>
using sum_type =
    std::conditional_t<std::is_integral_v<T>,
                       std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>,
                       std::conditional_t<std::is_same_v<T, float>, double, T>>;

/// total += x; integers wrap at 64 bits, where C++ would call it undefined.
template <typename S, typename T>
constexpr void add_to(S& total, const T& x) {
  if constexpr (std::is_integral_v<S>)
    total = static_cast<S>(static_cast<std::uint64_t>(total) + static_cast<std::uint64_t>(x));
  else
    total += x;
}

/// Float sums use 16 lanes: two AVX-512 registers of double.
inline constexpr int float_lanes = 16;

/// The number of records.
struct count {
  static constexpr bool commutative = true;
  std::int64_t n = 0;
  template <typename T>
  void accumulate(const T&) {
    ++n;
  }
  void merge(const count& other) { n += other.n; }
  std::int64_t finalize() const { return n; }
};

/// The number of values that are true; of optional ones, those that are there.
template <typename T>
struct count_true {
  static constexpr bool commutative = true;
  std::int64_t n = 0;
  void accumulate(const T& x) {
    if constexpr (std::is_same_v<T, bool>)
      n += x ? 1 : 0;
    else
      n += x.value_or(false) ? 1 : 0;
  }
  void merge(const count_true& other) { n += other.n; }
  std::int64_t finalize() const { return n; }
};

/// Sum; 0 (T{}) of nothing. Integers wrap at 64 bits (two's complement). NaN anywhere gives NaN.
template <typename T>
struct sum {
  static constexpr int lanes = std::is_floating_point_v<T> ? float_lanes : 1;
  static constexpr bool commutative = std::is_integral_v<T>;
  sum_type<T> total{};
  void accumulate(const T& x) { add_to(total, x); }
  void merge(const sum& other) { add_to(total, other.total); }
  sum_type<T> finalize() const { return total; }
};

/// Arithmetic mean in double: the sum, as sum<T> adds it up, divided by the number of records. NaN
/// when there are none, and where any is NaN.
template <typename T>
struct mean {
  static constexpr int lanes = std::is_floating_point_v<T> ? float_lanes : 1;
  sum_type<T> total{};
  std::int64_t n = 0;
  void accumulate(const T& x) { accumulate(x, 1); }
  /// Where a zero may stand for what is missing, of a count of 0.
  void accumulate(const T& x, std::int64_t count) {
    add_to(total, x);
    n += count;
  }
  void merge(const mean& other) {
    add_to(total, other.total);
    n += other.n;
  }
  double finalize() const {
    return n == 0 ? std::numeric_limits<double>::quiet_NaN()
                  : static_cast<double>(total) / static_cast<double>(n);
  }
};

/// For integers: the double that is nearest to the true mean. Sums don't overflow.
template <detail::exactly_summed T>
struct mean<T> {
  static constexpr bool commutative = true;
  detail::exact_sum_of<T> total;
  std::int64_t n = 0;
  void accumulate(const T& x) { accumulate(x, 1); }
  void accumulate(const T& x, std::int64_t count) {
    total.add(x);
    n += count;
  }
  void merge(const mean& other) {
    total.add(other.total);
    n += other.n;
  }
  struct of_block {
    detail::block_sum<T> total;
    std::int64_t n = 0;
    void accumulate(const T& x) {
      total.add(x);
      ++n;
    }
  };
  void merge(const of_block& block) {
    block.total.add_to(total, block.n);
    n += block.n;
  }
  double finalize() const {
    return n == 0 ? std::numeric_limits<double>::quiet_NaN() : detail::mean_of(total, n);
  }
};

/// Population variance in double, by Welford's update and Chan's merge (Chan, Golub, LeVeque 1983)
/// of differences from the first record: a mean far from zero costs no digits. NaN gives NaN, and
/// so do no records.
template <typename T>
struct variance {
  double shift = 0, average = 0, squares = 0;  ///< the average is that of x - shift
  std::int64_t n = 0;
  void accumulate(const T& x) {
    if (n == 0) shift = static_cast<double>(x);
    ++n;
    const double difference = static_cast<double>(x) - shift, delta = difference - average;
    average += delta / static_cast<double>(n);
    squares += delta * (difference - average);
  }
  void merge(const variance& other) {
    if (other.n == 0) return;
    if (n == 0) {
      *this = other;
      return;
    }
    const double delta = (other.shift - shift) + (other.average - average),
                 all = static_cast<double>(n + other.n);
    average += delta * (static_cast<double>(other.n) / all);
    squares += other.squares +
               delta * delta * (static_cast<double>(n) * static_cast<double>(other.n) / all);
    n += other.n;
  }
  double finalize() const {
    return n == 0 ? std::numeric_limits<double>::quiet_NaN() : squares / static_cast<double>(n);
  }
};

/// For integers: exact sums, whose quotient is rounded once (of 2^32 records and more: to within
/// one unit of the last place).
template <detail::exactly_summed T>
struct variance<T> {
  static constexpr bool commutative = true;
  detail::exact_sum_of<T> total;
  detail::exact_squares squares;
  std::int64_t n = 0;
  void accumulate(const T& x) { accumulate(x, 1); }
  void accumulate(const T& x, std::int64_t count) {
    total.add(x);
    squares.add_square_of(x);
    n += count;
  }
  void merge(const variance& other) {
    total.add(other.total);
    squares.add(other.squares);
    n += other.n;
  }
  struct of_block {
    detail::block_sum<T> total;
    detail::block_squares<T> squares;
    std::int64_t n = 0;
    void accumulate(const T& x) {
      total.add(x);
      squares.add_square_of(x);
      ++n;
    }
  };
  void merge(const of_block& block) {
    block.total.add_to(total, block.n);
    block.squares.add_to(squares);
    n += block.n;
  }
  double finalize() const {
    return n == 0 ? std::numeric_limits<double>::quiet_NaN()
                  : detail::variance_of(total, squares, n);
  }
};

/// Whether x goes before y in the order of sort_by: NaN after every number, -0.0 and 0.0 equal.
template <typename T>
bool orders_before(const T& x, const T& y) {
  if constexpr (std::is_floating_point_v<T>) return x < y || (y != y && x == x);
  return x < y;
}

/// The greater, the more a value is wanted: the bits of its key, whose order is that of
/// orders_before, for max, and their complement for min. Loops over them vectorise.
template <typename T, bool Greatest>
constexpr detail::key_bits<T> rank_bits(const T& x) {
  using bits = detail::key_bits<T>;
  return static_cast<bits>(detail::encode_key(x) ^
                           (Greatest ? bits{0} : static_cast<bits>(~bits{0})));
}

/// Replaces `best` by the first of the n values that ranks highest, if that ranks higher or there
/// was none before.
template <typename T, bool Greatest>
void replace_by_extreme(T& best, bool& any, const T* values, std::int64_t n) {
  detail::key_bits<T> most = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    const auto own = rank_bits<T, Greatest>(values[i]);
    most = own > most ? own : most;
  }
  if (n == 0 || (any && most <= rank_bits<T, Greatest>(best))) return;
  std::int64_t at = 0;
  while (rank_bits<T, Greatest>(values[at]) != most) ++at;
  best = values[at];
  any = true;
}

/// The smallest record, the first of equals. Any type with operator<; NaN counts as greater than
/// every number.
template <typename T>
struct min {
  static constexpr bool exact = true;
  static constexpr bool commutative = std::is_integral_v<T>;  // equals can't be told apart
  T best{};
  bool any = false;
  void accumulate(const T& x) {
    if (!any || orders_before(x, best)) best = x;
    any = true;
  }
  void accumulate_block(const T* values, std::int64_t n)
    requires detail::bits_key<T> && std::is_arithmetic_v<T>
  {
    replace_by_extreme<T, false>(best, any, values, n);
  }
  void merge(const min& other) {
    if (other.any) accumulate(other.best);
  }
  T finalize() const {
    if (!any) throw usage_error("min: expected at least one record, got none");
    return best;
  }
};

/// The greatest record, the first of equals. Any type with operator<; NaN counts as greater than
/// every number.
template <typename T>
struct max {
  static constexpr bool exact = true;
  static constexpr bool commutative = std::is_integral_v<T>;  // equals can't be told apart
  T best{};
  bool any = false;
  void accumulate(const T& x) {
    if (!any || orders_before(best, x)) best = x;
    any = true;
  }
  void accumulate_block(const T* values, std::int64_t n)
    requires detail::bits_key<T> && std::is_arithmetic_v<T>
  {
    replace_by_extreme<T, true>(best, any, values, n);
  }
  void merge(const max& other) {
    if (other.any) accumulate(other.best);
  }
  T finalize() const {
    if (!any) throw usage_error("max: expected at least one record, got none");
    return best;
  }
};

/// The first record in row order.
template <typename T>
struct first {
  static constexpr bool exact = true;
  T value{};
  bool found = false;
  void accumulate(const T& x) {
    if (!found) value = x;
    found = true;
  }
  void merge(const first& other) {
    if (other.found) accumulate(other.value);
  }
  bool saturated() const { return found; }
  T finalize() const {
    if (!found) throw usage_error("first: expected at least one record, got none");
    return value;
  }
};

/// The last record in row order.
template <typename T>
struct last {
  static constexpr bool exact = true;
  T value{};
  bool found = false;
  void accumulate(const T& x) {
    value = x;
    found = true;
  }
  void merge(const last& other) {
    if (other.found) accumulate(other.value);
  }
  T finalize() const {
    if (!found) throw usage_error("last: expected at least one record, got none");
    return value;
  }
};

/// Whether any record is true; false of nothing.
struct any {
  static constexpr bool exact = true;
  bool found = false;
  void accumulate(bool x) { found |= x; }
  void merge(const any& other) { found |= other.found; }
  bool saturated() const { return found; }
  bool finalize() const { return found; }
};

/// Whether all records are true; true of nothing.
struct all {
  static constexpr bool exact = true;
  bool holds = true;
  void accumulate(bool x) { holds &= x; }
  void merge(const all& other) { holds &= other.holds; }
  bool saturated() const { return !holds; }
  bool finalize() const { return holds; }
};

/// Folds with a binary operator: associative, with `identity` as its neutral element.
template <typename T, typename Op>
struct folding {
  T value;
  [[no_unique_address]] Op op;
  template <typename U>
  void accumulate(const U& x) {
    value = op(value, x);
  }
  void merge(const folding& other) { value = op(value, other.value); }
  T finalize() const { return value; }
};

}  // namespace pappus::reducers

namespace pappus {

/// Operators are called, never changed.
template <typename T, typename Op>
inline constexpr bool holds_no_text<reducers::folding<T, Op>> =
    detail::text_of<T>() == detail::text_in::none;

}  // namespace pappus
