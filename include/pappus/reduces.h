// Views through which all indices of a launch add to the same elements:
//
//     s.for_each({n}, [](idx<1> i, reads<int> bin, reduces<int> histogram) {
//       histogram[bin[i]] += 1;
//     }, bin, histogram);
//
//     s.for_each({n}, [](idx<1> i, reads<float> x, reduces<reducers::mean<float>> total) {
//       total[0].accumulate(x[i]);
//     }, x, total);
//
// Values come to what the array held before. In which order depends on the launch's indices and on
// what its function touches, not on threads or machines, so sums of floats always have the same
// bits. Where the indices can be cut so that no two parts touch the same elements, each element's
// values come in the order of the indices. Else parts of the indices (leaves) reduce into states of
// their own, each from an empty one, and these are merged in a fixed tree.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <limits>
#include <type_traits>

#include "pappus/detail/base/reducer_traits.h"
#include "pappus/detail/base/view.h"
#include "pappus/reducers.h"
#include "pappus/view.h"

namespace pappus {

/// reduces<smallest<T>, N>: the smallest number of what an element of an array of T held, and of
/// what is accumulated. NaN counts as greater than every number.
template <typename T>
struct smallest {};
/// The greatest one.
template <typename T>
struct largest {};

namespace detail {

template <typename T>
concept reduced_type = std::is_arithmetic_v<T> && !std::same_as<T, bool>;

/// How numbers become one.
template <typename Kind>
struct number_reduction {};
template <reduced_type T>
struct number_reduction<T> {
  using number = T;
  static constexpr const char* name = "+";
  // 0.0 would turn a -0.0 that the array held into 0.0.
  static constexpr T none = std::is_floating_point_v<T> ? static_cast<T>(-0.0) : T{};
  static void add(T& to, T x) noexcept { reducers::add_to(to, x); }
};
template <reduced_type T>
struct number_reduction<smallest<T>> {
  using number = T;
  static constexpr const char* name = "min";
  static constexpr T none = std::is_floating_point_v<T> ? std::numeric_limits<T>::quiet_NaN()
                                                        : (std::numeric_limits<T>::max)();
  static void add(T& to, T x) noexcept {
    if (reducers::orders_before(x, to)) to = x;
  }
};
template <reduced_type T>
struct number_reduction<largest<T>> {
  using number = T;
  static constexpr const char* name = "max";
  static constexpr T none = std::is_floating_point_v<T> ? -std::numeric_limits<T>::infinity()
                                                        : std::numeric_limits<T>::lowest();
  static void add(T& to, T x) noexcept {
    if (reducers::orders_before(to, x)) to = x;
  }
};

template <typename Kind>
concept reduces_numbers = requires { number_reduction<Kind>::none; };

/// A number of an array while a launch reduces into it: what it is, nobody can ask.
template <typename Kind>
class reduced_number {
  using how = number_reduction<Kind>;

 public:
  using number = typename how::number;
  explicit reduced_number(number* at) noexcept : at_(at) {}

  void accumulate(number x) const noexcept { how::add(*at_, x); }
  /// Sums only. Integers wrap.
  void operator+=(number x) const noexcept
    requires reduced_type<Kind>
  {
    how::add(*at_, x);
  }

 private:
  number* at_;
};

template <reduces_numbers Kind>
struct view_element<view_access::reduce, Kind> {
  using stored = typename number_reduction<Kind>::number;
  using reference = reduced_number<Kind>;
  static reference of(stored* element) noexcept { return reference(element); }
  static reference aside(value_bins& to, std::int64_t place) noexcept {
    return of(new (to.next(place, sizeof(stored))) stored(number_reduction<Kind>::none));
  }
};

/// What may stand in reduces<..>: a number, smallest, largest, or a reducer (reducers.h).
template <typename R>
concept reducible =
    reduces_numbers<R> || (std::is_trivially_copyable_v<R> && std::default_initializable<R> &&
                           requires(R r, const R& o) { r.merge(o); });

/// How partial results of a launch become one.
template <reducible R>
struct partial_states {
  using state = typename view_element<view_access::reduce, R>::stored;
  static constexpr const char* name() {
    if constexpr (reduces_numbers<R>) return number_reduction<R>::name;
    return "";
  }
  static void start(std::byte* states, std::int64_t n) {
    auto* const to = reinterpret_cast<state*>(states);
    for (std::int64_t i = 0; i < n; ++i) {
      if constexpr (reduces_numbers<R>)
        to[i] = number_reduction<R>::none;
      else
        new (to + i) state();
    }
  }
  static void merge(std::byte* into, const std::byte* from, std::int64_t n) {
    auto* const to = reinterpret_cast<state*>(into);
    const auto* const more = reinterpret_cast<const state*>(from);
    for (std::int64_t i = 0; i < n; ++i) add(to[i], more[i]);
  }
  /// Merges n states into those at these places behind one.
  static void merge_at(std::byte* into, const std::uint32_t* places, const std::byte* from,
                       std::int64_t n) {
    auto* const to = reinterpret_cast<state*>(into);
    const auto* const more = reinterpret_cast<const state*>(from);
    constexpr std::int64_t ahead = 16;
    const auto far = (std::max)(n - ahead, std::int64_t{0});
    for (std::int64_t i = 0; i < far; ++i) {
      __builtin_prefetch(to + places[i + ahead], 1);
      add(to[places[i]], more[i]);
    }
    for (std::int64_t i = far; i < n; ++i) add(to[places[i]], more[i]);
  }
  static void add(state& to, const state& more) {
    if constexpr (reduces_numbers<R>)
      number_reduction<R>::add(to, more);
    else
      to.merge(more);
  }
};

/// Whether an element is the same, bit by bit, in whatever order values and states come to it.
template <reducible R>
constexpr bool commutes() {
  if constexpr (reduces_numbers<R>)
    return std::is_integral_v<typename number_reduction<R>::number>;
  else
    return is_commutative<R>;
}

template <std::floating_point T, std::size_t N, typename Check>
inline constexpr bool has_lanes<view<view_access::reduce, T, N, Check>> = true;

/// Adds up n states, one lane after another, and merges the sum.
template <reducible R>
void merge_lanes(std::byte* into, const std::byte* lanes, std::int64_t n) {
  using state = typename partial_states<R>::state;
  alignas(state) std::byte sum[sizeof(state)];
  constexpr auto size = static_cast<std::int64_t>(sizeof sum);
  partial_states<R>::start(sum, 1);
  for (std::int64_t lane = 0; lane < n; ++lane)
    partial_states<R>::merge(sum, lanes + lane * size, 1);
  partial_states<R>::merge(into, sum, 1);
}

}  // namespace detail

/// Elements into which all indices of a launch reduce. R is a number (whose element `+=` adds to),
/// smallest<T> or largest<T> (over an array of T), or a reducer, of which the array has states.
/// Numbers and states that were there are kept: a launch adds to them.
template <typename R, std::size_t N = 1>
using reduces = detail::view<detail::view_access::reduce, R, N, detail::compiled_access>;

}  // namespace pappus
