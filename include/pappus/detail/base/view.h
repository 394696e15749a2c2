// How views reach the elements of an array, in a shape that the compiler plugin recognises.
//
// At the start of clang's pipeline an always-inline function is still a call. The plugin
// (src/compiler/analysis/footprint.h) finds those of view_elements<..>::at by name: which array,
// and which element as a function of what, are the call's arguments. Later the call is gone, an
// access costs what the arithmetic on the pointer costs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace pappus::detail {

/// What a view allows. The plugin knows the numbers.
enum class view_access : std::int32_t { read, write, readwrite };

/// Numbers of elements.
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
  /// The element with these indices. Everything by value: what a call is given the address of can't
  /// be seen through.
  [[gnu::always_inline]] static inline T* at(T* elements, view_access, view_number<D>... index,
                                             view_number<D>... stride) noexcept {
    return elements + (... + (index * stride));
  }
};

}  // namespace pappus::detail
