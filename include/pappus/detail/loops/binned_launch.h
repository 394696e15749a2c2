// The loop over a launch's indices that puts aside what they reduce (detail/base/value_bins.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "pappus/detail/base/array.h"
#include "pappus/detail/base/failure.h"
#include "pappus/detail/base/value_bins.h"
#include "pappus/detail/base/view.h"
#include "pappus/detail/loops/launch_call.h"
#include "pappus/view.h"

namespace pappus::detail {

/// Of views of which one reduces, and none writes.
template <typename F, std::size_t N, typename... Views>
struct binned_launch {
  static void run(F f, const launch_args& args, value_bins& to) {
    run_box(f, args, to, std::index_sequence_for<Views...>());
  }

 private:
  template <std::size_t... V>
  static void run_box(const F& f, const launch_args& args, value_bins& to,
                      std::index_sequence<V...>) {
    rows(f, args.indices.low, args.indices.high, args.all, to,
         reinterpret_cast<typename Views::element_type*>(args.views[V].elements)...,
         shape_of<Views::rank>(args.views[V])...);
  }

  [[gnu::noinline, gnu::flatten]] static void rows(
      const F& f, const array_numbers& low, const array_numbers& high, const array_box& all,
      value_bins& to, typename Views::element_type* __restrict... elements,
      view_shape<Views::rank>... shapes) {
    ((shapes.strides[Views::rank - 1] = 1), ...);
    auto at = low;
    std::int64_t i = low[N - 1];
    try {
      do {
        for (i = low[N - 1]; i < high[N - 1]; ++i)
          launched_call<F, N, Views...>::run(f, index_at(at, i, std::make_index_sequence<N - 1>()),
                                             view_of<Views>(elements, shapes, to)...);
      } while (next_row<N>(at, low, high));
    } catch (...) {
      failed_in("for_each", type_spelling<F>::text.data());
      failed_at(number_of<N>(at, i, all));
      throw;
    }
  }

  template <typename View>
  [[gnu::always_inline]] static View view_of(typename View::element_type* elements,
                                             const view_shape<View::rank>& shape, value_bins& to) {
    if constexpr (View::access == view_access::reduce)
      return View(elements, shape, to);
    else
      return View(elements, shape);
  }
};

}  // namespace pappus::detail
