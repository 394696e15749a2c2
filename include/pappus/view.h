// Arrays as kernels see them: a function that is called for every index of a launch takes its index
// and views of arrays.
//
//     [n](pappus::idx<1> i, pappus::reads<float> in, pappus::writes<float> out) {
//       float left = i > 0 ? in[i - 1] : 0, right = i + 1 < n ? in[i + 1] : 0;
//       out[i] = (left + in[i] + right) / 3;
//     }
//
// Which elements it reads and writes is found by the compiler plugin (footprint.h): here
// in[i-1:i+1] and out[i]. So all access goes through the views; they hand out no pointer.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "pappus/detail/base/access_check.h"
#include "pappus/detail/base/view.h"

namespace pappus {

template <std::size_t N>
class idx;

namespace detail {
template <typename T>
concept index_number = std::integral<T> || std::same_as<T, idx<1>>;
}  // namespace detail

/// An index of N dimensions, or the difference of two. With one dimension it is used like an
/// integer.
template <std::size_t N>
class idx {
  static_assert(N > 0, "idx: an array has at least one dimension");

 public:
  /// The origin.
  constexpr idx() noexcept : at_{} {}
  /// One integer for each dimension, the slowest first.
  template <detail::index_number... I>
    requires(sizeof...(I) == N)
  constexpr idx(I... at) noexcept : at_{static_cast<std::int64_t>(at)...} {}

  constexpr std::int64_t operator[](std::size_t dimension) const noexcept { return at_[dimension]; }
  constexpr std::int64_t& operator[](std::size_t dimension) noexcept { return at_[dimension]; }

  constexpr operator std::int64_t() const noexcept
    requires(N == 1)
  {
    return at_[0];
  }

  // With one dimension the operators of integers are used.
  friend constexpr bool operator==(const idx& a, const idx& b) noexcept
    requires(N > 1)
  {
    return a.at_ == b.at_;
  }
  friend constexpr idx operator+(const idx& a, const idx& b) noexcept
    requires(N > 1)
  {
    return each([&](std::size_t d) { return a[d] + b[d]; });
  }
  friend constexpr idx operator-(const idx& a, const idx& b) noexcept
    requires(N > 1)
  {
    return each([&](std::size_t d) { return a[d] - b[d]; });
  }
  friend constexpr idx operator*(const idx& a, std::int64_t factor) noexcept
    requires(N > 1)
  {
    return each([&](std::size_t d) { return a[d] * factor; });
  }
  /// Divides each number, rounding towards 0, as integers do.
  friend constexpr idx operator/(const idx& a, std::int64_t divisor) noexcept
    requires(N > 1)
  {
    return each([&](std::size_t d) { return a[d] / divisor; });
  }

 private:
  /// idx(number(0), number(1), ...). Not by a loop, so that the compiler plugin sees which number
  /// depends on which.
  template <typename Number>
  static constexpr idx each(Number number) noexcept {
    return [&]<std::size_t... D>(std::index_sequence<D...>) {
      return idx(number(D)...);
    }(std::make_index_sequence<N>());
  }

  std::array<std::int64_t, N> at_;
};

namespace detail {

/// The class behind reads, writes, updates and reduces. Copies are views of the same elements.
/// \tparam Check  what is asked at each access
template <view_access Access, typename T, std::size_t N, typename Check = unchecked_access>
class view {
  using handed_out = view_element<Access, T>;

 public:
  using element_type = typename handed_out::stored;
  using reference = typename handed_out::reference;
  static constexpr std::size_t rank = N;
  static constexpr view_access access = Access;
  static constexpr bool checks = Check::checks;

  view(element_type* elements, const view_shape<N>& shape) noexcept
      : elements_(elements), shape_(shape) {}
  view(element_type* elements, const view_shape<N>& shape, const Check& check) noexcept
    requires checks
      : elements_(elements), shape_(shape), check_(check) {}
  view(element_type* elements, const view_shape<N>& shape, value_bins& to) noexcept
    requires(Access == view_access::reduce && !checks)
      : elements_(elements), shape_(shape), bins_{&to} {}

  /// The element at `at`. Outside of the array the behaviour is undefined; where accesses are
  /// checked (docs/arrays/checks.md), it throws usage_error.
  reference operator[](const idx<N>& at) const noexcept(!checks) {
    if constexpr (checks) check(at, std::make_index_sequence<N>());
    if constexpr (Access == view_access::reduce)
      if (bins_.to != nullptr)
        return handed_out::aside(*bins_.to, place(at, std::make_index_sequence<N>()));
    return handed_out::of(element(at, std::make_index_sequence<N>()));
  }
  /// The same, one integer for each dimension.
  template <index_number... I>
    requires(sizeof...(I) == N)
  reference operator()(I... at) const noexcept(!checks) {
    return (*this)[idx<N>(at...)];
  }

  /// The number of elements of the whole array along one dimension.
  std::int64_t extent(std::size_t dimension) const noexcept { return shape_.extents[dimension]; }

 private:
  template <std::size_t... D>
  element_type* element(const idx<N>& at, std::index_sequence<D...>) const noexcept {
    return view_elements<element_type, std::index_sequence<D...>>::at(elements_, Access, at[D]...,
                                                                      shape_.strides[D]...);
  }

  /// From the element that is numbered with zeros.
  template <std::size_t... D>
  std::int64_t place(const idx<N>& at, std::index_sequence<D...>) const noexcept {
    return (... + (at[D] * shape_.strides[D]));
  }

  template <std::size_t... D>
  void check(const idx<N>& at, std::index_sequence<D...>) const {
    check_.at(at[D]...);
  }

  element_type* elements_;
  view_shape<N> shape_;
  [[no_unique_address]] bins_of_view<Access> bins_{};
  [[no_unique_address]] Check check_;
};

}  // namespace detail

/// Elements of an array that are only read.
template <typename T, std::size_t N = 1>
using reads = detail::view<detail::view_access::read, const T, N, detail::compiled_access>;

/// Elements that are written, whatever they were before. An element that a call only sometimes
/// writes keeps its value otherwise.
template <typename T, std::size_t N = 1>
using writes = detail::view<detail::view_access::write, T, N, detail::compiled_access>;

/// Elements that are read and written.
template <typename T, std::size_t N = 1>
using updates = detail::view<detail::view_access::readwrite, T, N, detail::compiled_access>;

}  // namespace pappus
