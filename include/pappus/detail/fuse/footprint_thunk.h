// Thunks of functions of an index and views (see thunk.h).
#pragma once

#include <utility>

#include "pappus/detail/fuse/thunk.h"
#include "pappus/view.h"

namespace pappus::detail {

template <typename F, typename Dimensions, typename... Views>
struct footprint_thunk;

/// Calls f(index, views...). The function object, each array's elements, its shape and each number
/// of the index are parameters of their own.
template <typename F, std::size_t... D, typename... Views>
struct footprint_thunk<F, std::index_sequence<D...>, Views...> {
  static void run(const F* f, typename Views::element_type*... elements,
                  const view_shape<Views::rank>*... shape, view_number<D>... at) {
    (*f)(idx<sizeof...(D)>(at...), Views(elements, *shape)...);
  }
  using role = thunk_parameter::role;
  static constexpr thunk_parameter parameters[] = {
      {role::captures, alignof(F), std::is_empty_v<F> ? 0 : sizeof(F)},
      parameter_of<typename Views::element_type>(role::view)...,
      parameter_of<view_shape<Views::rank>>(role::shape)...,
      parameter_of<view_number<D>>(role::index)...};
};

}  // namespace pappus::detail
