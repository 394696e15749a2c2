// Which elements of its arrays a function reads and writes.
#pragma once

#include <string>
#include <utility>

#include "pappus/detail/fuse/footprint_thunk.h"

namespace pappus {
namespace detail {

template <typename Index>
struct rank_of;
template <std::size_t N>
struct rank_of<idx<N>> {
  using dimensions = std::make_index_sequence<N>;
};

}  // namespace detail

/// What the compiler plugin found that `function(Index, Views...)` reads and writes, for an index
/// (i), (i,j) or (i,j,k):
///
///     footprint_of<idx<1>, reads<float>, writes<float>>(smooth)
///     // read in[i-1:i+1], write out[i]
///
/// Bounds are inclusive; if low > high, nothing. Reads under a condition count as if it were true.
/// `write` is said only if every call writes all elements named, and no two calls write the same;
/// else it is `readwrite`. unknown stands for elements that depend on data. Names are those of the
/// source if it was compiled with -g. Without the plugin the text is "unknown: compile with
/// pappus_enable(target)". Costs next to nothing after the first call.
template <typename Index, typename... Views, typename F>
std::string footprint_of([[maybe_unused]] const F& function) {
#ifdef __clang__
  using thunk = detail::footprint_thunk<F, typename detail::rank_of<Index>::dimensions, Views...>;
  return detail::footprint_text(detail::slot_of<thunk, F>::slot.compiled);
#else
  return detail::footprint_text(nullptr);
#endif
}

}  // namespace pappus
