// Aggregates that are nearly right, in memory of a fixed size.
//
//     auto visits_of = visits.group_by(&visit::page).aggregate(approx_count_distinct(&visit::who),
//                                                              approx_quantile(0.95, &visit::ms));
//
// The exact ones are count_distinct() (distinct.h), which needs a row of memory for each different
// value, and quantile() (quantile.h), which needs one for each value, and is faster.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>

#include "pappus/aggregate.h"
#include "pappus/detail/base/hash.h"
#include "pappus/detail/base/hash_string.h"
#include "pappus/detail/base/packed_key.h"
#include "pappus/detail/base/rank_sketch.h"
#include "pappus/detail/loops/quantile.h"

namespace pappus {
namespace detail {

/// Of any key of groups; equal for those that compare equal there.
template <group_key K>
std::uint64_t hash_of_key(const K& key) {
  std::uint64_t hashed = 0;
  const auto add = [&]<typename Part>(const Part& part) {
    if constexpr (string_key<Part>)
      hashed = hash_string(part, hashed);
    else if constexpr (is_category<Part>)
      hashed = hash_string(part.text(), hashed);
    else if constexpr (is_char_array<Part>)
      for (const char c : part) hashed = hash(encode_key(c), hashed);
    else
      hashed = hash(encode_key(part), hashed);
  };
  visit_key_parts(key, add);
  return hashed;
}

/// The estimate of HyperLogLog (Flajolet, Fusy, Gandouet, Meunier 2007) by Ertl's formula (2017),
/// which needs no tables: counts[k] registers have the value k.
template <std::size_t Values>
double estimated_count(const std::array<int, Values>& counts, double registers) {
  const auto sigma = [](double x) {
    if (x == 1) return std::numeric_limits<double>::infinity();
    double y = 1, sum = x, before = 0;
    do {
      x *= x;
      before = sum;
      sum += x * y;
      y += y;
    } while (sum != before);
    return sum;
  };
  const auto tau = [](double x) {
    if (x == 0 || x == 1) return 0.0;
    double y = 1, sum = 1 - x, before = 0;
    do {
      x = std::sqrt(x);
      before = sum;
      y /= 2;
      sum -= (1 - x) * (1 - x) * y;
    } while (sum != before);
    return sum / 3;
  };
  double sum = registers * tau(1 - counts[Values - 1] / registers);
  for (std::size_t k = Values - 2; k > 0; --k) sum = (sum + counts[k]) / 2;
  sum += registers * sigma(counts[0] / registers);
  constexpr double half_by_log_2 = 0.72134752044448170368;
  return half_by_log_2 * registers * registers / sum;
}

}  // namespace detail

namespace reducers {

/// About how many different values there are. The standard error is 2.3% (1.04 / sqrt(2048)): two
/// of three counts are that near, 19 of 20 within 4.6%; small counts are nearer. 2 KiB.
template <typename T>
class approx_count_distinct {
 public:
  static constexpr bool commutative = true;

  void accumulate(const T& value) {
    if constexpr (detail::may_be_missing<T>)
      if (!value) return;
    const std::uint64_t hashed = detail::hash_of_key(value);
    auto& seen = most_[hashed >> (64 - index_bits)];
    const auto zeros =
        std::countl_zero(hashed << index_bits | std::uint64_t{1} << (index_bits - 1));
    seen = (std::max)(seen, static_cast<std::uint8_t>(zeros + 1));
  }
  void merge(const approx_count_distinct& other) {
    for (std::size_t i = 0; i < most_.size(); ++i) most_[i] = (std::max)(most_[i], other.most_[i]);
  }
  std::int64_t finalize() const {
    std::array<int, 64 - index_bits + 2> counts{};
    for (const auto seen : most_) ++counts[seen];
    return std::llround(detail::estimated_count(counts, static_cast<double>(most_.size())));
  }

 private:
  static constexpr unsigned index_bits = 11;

  /// For values with an index the most zeros that one's hash began with, and one; none: 0.
  std::array<std::uint8_t, std::size_t{1} << index_bits> most_{};
};

/// About the quantile p: one of the values, as double, NaN of none. Its rank differs from p (n - 1)
/// by about 0.25% of n (root of the mean square; 1% in no test); up to 500 values it is the nearest
/// rank. NaN is greater than every number. The sample depends on the order of values and on leaves,
/// so on data and query alone. About 60 ns a value; 2.3 KiB for types of up to 32 bits, else 4.5.
template <typename T>
class approx_quantile {
 public:
  explicit approx_quantile(double p = 0.5) : p_(p) {}

  void accumulate(const T& value) {
    if constexpr (detail::may_be_missing<T>) {
      if (value) sketch_.add(detail::encode_key(static_cast<number>(*value)));
    } else {
      sketch_.add(detail::encode_key(static_cast<number>(value)));
    }
  }
  void merge(const approx_quantile& other) { sketch_.merge(other.sketch_); }
  double finalize() const {
    const std::int64_t n = sketch_.size();
    if (n == 0) return std::numeric_limits<double>::quiet_NaN();
    const auto rank = std::llround(p_ * static_cast<double>(n - 1));
    return detail::number_of<detail::present<T>>(sketch_.at((std::min)(std::int64_t{rank}, n - 1)));
  }

 private:
  using number = detail::quantile_value<detail::present<T>>;
  detail::rank_sketch<detail::key_bits<number>> sketch_;
  double p_;
};

}  // namespace reducers

template <typename T>
inline constexpr bool holds_no_text<reducers::approx_quantile<T>> = true;
template <typename T>
inline constexpr bool holds_no_text<reducers::approx_count_distinct<T>> = true;

template <typename F, typename T>
inline constexpr bool detail::reduces_not<
    detail::aggregate_of<detail::made_for_value<reducers::approx_count_distinct>, F>, T> =
    detail::takes_record<F, T> && !detail::group_key<detail::projected_by<F, T>>;

/// For aggregate(): about how many different values there are, std::int64_t, in one pass with
/// others, of any keys of groups. The standard error is 2.3%; the count is the same on any machine,
/// in any order of records. Takes 2 KiB, of groups each.
template <detail::projecting F = detail::to_itself>
auto approx_count_distinct(F projection = {}) {
  return detail::one_of_values<reducers::approx_count_distinct>(std::move(projection));
}

namespace detail {

struct made_for_quantile {
  double p;
  template <typename T>
  reducers::approx_quantile<T> of() const {
    return reducers::approx_quantile<T>(p);
  }
};
template <typename F, typename T>
inline constexpr bool reduces_not<aggregate_of<made_for_quantile, F>, T> = averages_not<F, T>;

}  // namespace detail

/// For aggregate(): about the quantile p, double, in one pass with others: approx_quantile(0.95,
/// &flight::delay). See reducers::approx_quantile. Throws usage_error unless p is from 0 to 1.
template <detail::projecting F = detail::to_itself>
auto approx_quantile(double p, F projection = {}) {
  detail::check_quantiles("approx_quantile", std::span(&p, 1));
  return detail::aggregate_of<detail::made_for_quantile, F>{std::move(projection), {p}};
}

}  // namespace pappus
