// Saying on a launch's arguments what each index touches of them:
//
//     const auto [i] = pappus::launch_index<1>();
//     s.for_each({n}, smooth, in.at(i - 1, i + 1), out.at(i));
//
// How elements are touched, the function's views say: reads, writes (all that is named, in every
// call) or updates. It is believed, and replaces what the compiler plugin finds.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "pappus/detail/base/array.h"

namespace pappus {

/// A linear function of a launch's index: i - 1, 2 * i + j. Operators throw usage_error where 64
/// bits can't hold a number of the result.
class linear_index {
 public:
  /// A number.
  constexpr linear_index(std::integral auto constant)
      : formula_{static_cast<std::int64_t>(constant), {}} {}
  /// The index in one dimension.
  static constexpr linear_index of_dimension(std::size_t dimension) {
    linear_index result(0);
    result.formula_.factors[dimension] = 1;
    return result;
  }

  friend constexpr linear_index operator+(const linear_index& a, const linear_index& b) {
    return a.plus(b, 1);
  }
  friend constexpr linear_index operator-(const linear_index& a, const linear_index& b) {
    return a.plus(b, -1);
  }
  friend constexpr linear_index operator*(const linear_index& a, std::int64_t factor) {
    return linear_index(0).plus(a, factor);
  }
  friend constexpr linear_index operator*(std::int64_t factor, const linear_index& a) {
    return a * factor;
  }

  constexpr const detail::array_formula& formula() const { return formula_; }

 private:
  constexpr linear_index plus(const linear_index& other, std::int64_t times) const {
    linear_index result = *this;
    add(result.formula_.constant, other.formula_.constant, times);
    for (std::size_t d = 0; d < detail::array_rank_max; ++d)
      add(result.formula_.factors[d], other.formula_.factors[d], times);
    return result;
  }
  static constexpr void add(std::int64_t& sum, std::int64_t number, std::int64_t times) {
    std::int64_t product = 0, result = 0;
    if (__builtin_mul_overflow(number, times, &product) ||
        __builtin_add_overflow(sum, product, &result))
      detail::refuse_formula(sum, number, times);
    sum = result;
  }

  detail::array_formula formula_;
};

/// The index of a launch over N dimensions: const auto [i, j] = pappus::launch_index<2>();
template <std::size_t N>
constexpr std::array<linear_index, N> launch_index() {
  static_assert(N >= 1 && N <= detail::array_rank_max, "launches have one to four dimensions");
  return []<std::size_t... D>(std::index_sequence<D...>) {
    return std::array{linear_index::of_dimension(D)...};
  }(std::make_index_sequence<N>());
}

/// Elements along one dimension: one, some (both ends inclusive), or all.
class touched_slice {
 public:
  template <typename I>
    requires std::convertible_to<I, linear_index>
  constexpr touched_slice(const I& one) : touched_slice(one, one) {}
  constexpr touched_slice(const linear_index& low, const linear_index& high)
      : slice_{low.formula(), high.formula(), false} {}
  static constexpr touched_slice whole() {
    touched_slice result(0);
    result.slice_.whole = true;
    return result;
  }
  constexpr const detail::array_slice& untyped() const { return slice_; }

 private:
  detail::array_slice slice_;
};
/// All elements along a dimension: a.at(i, pappus::everything).
inline constexpr touched_slice everything = touched_slice::whole();

/// An array with what a launch touches of it; array::at() makes it.
template <typename Array>
struct touched_array {
  Array array;
  std::array<detail::array_slice, Array::rank> slices;
};

}  // namespace pappus
