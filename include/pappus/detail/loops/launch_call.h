// What all loops over a launch's indices have in common: the call of the user's function, and how
// they go from row to row.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "pappus/detail/base/array.h"
#include "pappus/detail/base/view.h"
#include "pappus/view.h"

namespace pappus::detail {

/// The call that the compiler plugin finds by name, to inline it with all that is called from there
/// (src/compiler/loops/inlining.h).
template <typename F, std::size_t N, typename... Views>
struct launched_call {
  static void run(const F& f, const idx<N>& at, Views... views) { f(at, views...); }
};

/// How many of the views reduce.
template <typename... Views>
inline constexpr int reducing_views = ((Views::access == view_access::reduce ? 1 : 0) + ... + 0);

/// Where the compiler plugin finds what says at run time whether the function's loops store past
/// the caches. An assembler's comment, no instruction.
[[gnu::always_inline]] inline void tell_past_caches([[maybe_unused]] bool past_caches) {
#if defined(__clang__) && defined(__x86_64__)
  asm volatile("# past caches: %0" : : "r"(static_cast<int>(past_caches)));
#endif
}

template <std::size_t Rank>
view_shape<Rank> shape_of(const view_place& place) {
  view_shape<Rank> shape;
  for (std::size_t d = 0; d < Rank; ++d) {
    shape.extents[d] = place.extents[d];
    shape.strides[d] = place.strides[d];
  }
  return shape;
}

/// Of an index among the launch's, those along the last dimension first.
/// \param last  stands for its number along that
template <std::size_t N>
std::int64_t number_of(const array_numbers& start, std::int64_t last, const array_box& all) {
  std::int64_t number = 0;
  for (std::size_t d = 0; d < N; ++d)
    number = number * (all.high[d] - all.low[d]) + (d + 1 < N ? start[d] : last) - all.low[d];
  return number;
}

/// Goes on to the next row of a box; false behind the last one.
template <std::size_t N>
[[gnu::always_inline]] inline bool next_row(array_numbers& at, const array_numbers& low,
                                            const array_numbers& high) {
  auto d = N - 1;
  while (d > 0 && ++at[d - 1] == high[d - 1]) {
    at[d - 1] = low[d - 1];
    --d;
  }
  return d > 0;
}

template <std::size_t... D>
idx<sizeof...(D) + 1> index_at(const array_numbers& start, std::int64_t last,
                               std::index_sequence<D...>) {
  return idx<sizeof...(D) + 1>(start[D]..., last);
}

}  // namespace pappus::detail
