// How views reach the elements of an array: by calls that the compiler plugin recognises.
//
// At the start of clang's pipeline a call of an always-inline function is still a call. The plugin
// (src/compiler/analysis/footprint.h) finds calls of view_elements<..>::at by name; their arguments
// say which array is reached, and by which indices. Later they are inlined, and an access costs
// what its arithmetic on the pointer costs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

#include "pappus/detail/base/value_bins.h"

namespace pappus::detail {

/// How a view's elements may be accessed. The plugin knows these numbers.
enum class view_access : std::int32_t { read, write, readwrite, reduce };

/// What a view hands out of an element. Views that reduce specialise it (reduces.h).
template <view_access Access, typename T>
struct view_element {
  using stored = T;  ///< in the array
  using reference = T&;
  static reference of(T* element) noexcept { return *element; }
  /// A state that is put aside for the element, and stands for no values yet.
  static reference aside(value_bins& to, std::int64_t place) noexcept {
    return *new (to.next(place, sizeof(T))) T();
  }
};

/// Where a view puts aside what is reduced into it.
template <view_access Access>
struct bins_of_view {};
template <>
struct bins_of_view<view_access::reduce> {
  value_bins* to = nullptr;  ///< null: it is reduced into the array's elements
};

/// Neighbouring indices that have states of their own while a row reduces into the same element: as
/// many as hide that additions wait for each other, and more than compilers unroll.
inline constexpr std::int64_t reduction_lanes = 64;
/// Whether a view's states can be kept in lanes: sums of floats (reduces.h).
template <typename View>
inline constexpr bool has_lanes = false;

/// The shape of an array, in elements.
template <std::size_t N>
struct view_shape {
  std::int64_t extents[N];
  std::int64_t strides[N];  ///< from an element to its neighbour in each dimension
};

template <std::size_t>
using view_number = std::int64_t;

template <typename T, typename Dimensions>
struct view_elements;

template <typename T, std::size_t... D>
struct view_elements<T, std::index_sequence<D...>> {
  /// The address of the element with these indices. Everything is passed by value: the plugin can't
  /// see through arguments that are addresses of variables.
  [[gnu::always_inline]] static inline T* at(T* elements, view_access, view_number<D>... index,
                                             view_number<D>... stride) noexcept {
    return elements + (... + (index * stride));
  }
};

}  // namespace pappus::detail
