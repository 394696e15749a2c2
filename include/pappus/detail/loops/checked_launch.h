// The loop over a launch's indices whose views ask at each access whether it is allowed.
//
// It calls in the order of the other loop (launch.h), with the same states where elements have
// lanes, so results have the same bits. Nothing of it becomes vectors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "pappus/detail/base/access_check.h"
#include "pappus/detail/base/array.h"
#include "pappus/detail/base/failure.h"
#include "pappus/detail/base/view.h"
#include "pappus/detail/loops/launch.h"
#include "pappus/view.h"

namespace pappus::detail {

template <typename F, std::size_t N, typename... Views>
struct checked_launch_loop_of {
  static void run(const void* function, const launch_args& args) {
    run_box(*static_cast<const F*>(function), args, std::index_sequence_for<Views...>());
  }

 private:
  template <std::size_t... V>
  static void run_box(F f, const launch_args& args, std::index_sequence<V...>) {
    const auto& [rank, low, high] = args.indices;
    for (std::size_t d = 0; d < N; ++d)
      if (low[d] >= high[d]) return;
    array_numbers at = low;
    try {
      while (true) {
        if (args.checks != nullptr) args.checks->begin(at.data());
        f(index_at(at, std::make_index_sequence<N>()), view_of<Views>(args, V, at[N - 1])...);
        if (args.checks != nullptr) args.checks->end();
        std::size_t d = N;
        while (d > 0 && ++at[d - 1] == high[d - 1]) {
          at[d - 1] = low[d - 1];
          --d;
        }
        if (d == 0) return;
      }
    } catch (...) {
      failed_in("for_each", type_spelling<F>::text.data());
      failed_at(number_of<N>(at, at[N - 1], args.all));
      throw;
    }
  }

  template <typename View>
  static View view_of(const launch_args& args, std::size_t number, std::int64_t last) {
    auto shape = shape_of<View::rank>(args.views[number]);
    auto* elements = reinterpret_cast<typename View::element_type*>(args.views[number].elements);
    const bool in_lanes = (args.lanes >> number & 1) != 0;
    shape.strides[View::rank - 1] = in_lanes ? reduction_lanes : 1;
    if (in_lanes) elements += (last - args.indices.low[N - 1]) % reduction_lanes;
    if constexpr (View::checks)
      return View(elements, shape, checked_access(args.checks, number));
    else
      return View(elements, shape);
  }

  template <std::size_t... D>
  static idx<N> index_at(const array_numbers& at, std::index_sequence<D...>) {
    return idx<N>(at[D]...);
  }
};

}  // namespace pappus::detail
