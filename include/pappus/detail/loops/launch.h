// The loop over a launch's indices, compiled in the user's translation unit.
//
// It runs a box: outer dimensions step by step, the last one as a loop whose elements lie beside
// each other, a stride of 1 that the compiler knows. No two indices write what another touches (the
// checks at launch prove it, or the user says so), so the iterations are independent; where they
// reduce into the same elements, launch_args say so. A sum of floats is a chain of additions, each
// of which waits for the one before; where all indices of a row add to the same few elements, these
// have states of neighbouring indices' own, the lanes, which become vectors.
//
// Large results are stored past the caches, which saves reading their lines first. C++ has no word
// for such stores, and a buffer between loop and memory costs what they gain: the compiler plugin
// makes them, of the vectors that the loop stores anyway (src/compiler/loops/streaming.h).
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "pappus/detail/base/array.h"
#include "pappus/detail/base/failure.h"
#include "pappus/detail/base/view.h"
#include "pappus/detail/loops/binned_launch.h"
#include "pappus/detail/loops/launch_call.h"
#include "pappus/detail/loops/reduced_rows.h"
#include "pappus/view.h"

namespace pappus::detail {

template <typename F, std::size_t N, typename... Views>
struct launch_loop_of {
  static void run(const void* function, const launch_args& args) {
    const auto& f = *static_cast<const F*>(function);
    if constexpr (reducing_views<Views...> == 1)
      if (auto* const bins = bins_of(args, std::index_sequence_for<Views...>()))
        return binned_launch<F, N, Views...>::run(f, args, *bins);
    if constexpr (reducing_views<Views...> > 0) {
      if (args.steps.length != 0 || args.shared.any)
        return reduced_rows<F, N, Views...>::run(f, args);
      if (!args.independent) return run_with_lanes<true>(f, args);
    }
    run_with_lanes<false>(f, args);
  }

 private:
  /// Views, as bits: bit v is for number v.
  static constexpr std::uint32_t can_have_lanes = [] {
    std::uint32_t result = 0, bit = 1;
    ((result |= has_lanes<Views> ? bit : 0, bit <<= 1), ...);
    return result;
  }();

  /// Those of the view that reduces.
  template <std::size_t... V>
  static value_bins* bins_of(const launch_args& args, std::index_sequence<V...>) {
    value_bins* result = nullptr;
    ((result = Views::access == view_access::reduce ? args.views[V].bins : result), ...);
    return result;
  }

  /// Any of at most two views have lanes, or all that can.
  /// \tparam InOrder  indices along the last dimension may change the same elements
  template <bool InOrder>
  static void run_with_lanes(const F& f, const launch_args& args) {
    constexpr std::index_sequence_for<Views...> views;
    constexpr auto all = can_have_lanes, low = all & -all, high = all & ~low;
    if constexpr (all != 0)
      if (args.lanes == all) return run_box<InOrder, all>(f, args, views);
    if constexpr (std::popcount(all) == 2) {
      if (args.lanes == low) return run_box<InOrder, low>(f, args, views);
      if (args.lanes == high) return run_box<InOrder, high>(f, args, views);
    }
    run_box<InOrder, 0>(f, args, views);
  }

  template <bool InOrder, std::uint32_t Lanes, std::size_t... V>
  static void run_box(F f, const launch_args& args, std::index_sequence<V...> views) {
    auto [rank, low, high] = args.indices;
    // Lanes can stay in registers while the number of indices in a turn is fixed.
    if constexpr (Lanes != 0) {
      const auto end =
          std::exchange(high[N - 1], high[N - 1] - (high[N - 1] - low[N - 1]) % reduction_lanes);
      run_rows<InOrder, Lanes, reduction_lanes>(f, args, low, high, views);
      low[N - 1] = std::exchange(high[N - 1], end);
    }
    run_rows<InOrder, Lanes, 0>(f, args, low, high, views);
  }

  template <bool InOrder, std::uint32_t Lanes, std::int64_t Turn, std::size_t... V>
  static void run_rows(const F& f, const launch_args& args, const array_numbers& low,
                       const array_numbers& high, std::index_sequence<V...> views) {
    rows<InOrder, Lanes, Turn>(
        views, f, low, high, args.all, args.past_caches,
        reinterpret_cast<typename Views::element_type*>(args.views[V].elements)...,
        shape_of<Views::rank>(args.views[V])...);
  }

  /// Elements are reached through pointers of which each is the only one to them, which compilers
  /// believe of a function's parameters. Flattened: g++, too, inlines all that is called.
  /// \tparam Turn  indices of a turn, which are lanes where there are any; rows have a multiple of
  ///               them. 0: all of the row
  template <bool InOrder, std::uint32_t Lanes, std::int64_t Turn, std::size_t... V>
  [[gnu::noinline, gnu::flatten]] static void rows(
      std::index_sequence<V...>, const F& f, const array_numbers& low, const array_numbers& high,
      const array_box& all, bool past_caches, typename Views::element_type* __restrict... elements,
      view_shape<Views::rank>... shapes) {
    tell_past_caches(past_caches);
    ((shapes.strides[Views::rank - 1] = (Lanes >> V & 1) != 0 ? reduction_lanes : 1), ...);
    auto at = low;
    const auto end = high[N - 1];
    std::int64_t i = low[N - 1];
    try {
      do {
        i = low[N - 1];
        while (i < end) {
          const std::int64_t first = i, last = Turn != 0 ? first + Turn : end;
          if constexpr (InOrder) {
            for (i = first; i < last; ++i)
              launched_call<F, N, Views...>::run(
                  f, index_at(at, i, std::make_index_sequence<N - 1>()),
                  Views(elements + ((Lanes >> V & 1) != 0 ? i - first : 0), shapes)...);
          } else {
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC ivdep
#endif
            for (i = first; i < last; ++i)
              launched_call<F, N, Views...>::run(
                  f, index_at(at, i, std::make_index_sequence<N - 1>()),
                  Views(elements + ((Lanes >> V & 1) != 0 ? i - first : 0), shapes)...);
          }
          if constexpr (Turn == 0) break;
        }
      } while (next_row<N>(at, low, high));
    } catch (...) {
      failed_in("for_each", type_spelling<F>::text.data());
      failed_at(number_of<N>(at, i, all));
      throw;
    }
  }
};

}  // namespace pappus::detail
