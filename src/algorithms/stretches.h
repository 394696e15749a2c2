// Cuts long loops into stretches, between which they check whether the query was cancelled, and
// into items that workers share.
#pragma once

#include <algorithm>
#include <cstddef>

#include "base/memory_scale.h"
#include "pappus/detail/base/integers.h"
#include "pappus/detail/base/parallel.h"
#include "pappus/error.h"

namespace pappus::algorithms {

/// Throws pappus::cancelled if the query is to stop. For loops on the query's own thread.
inline void stop_if_cancelled(const detail::workers& team) {
  if (team.stopping()) throw cancelled();
}

/// Rows of a stretch: microseconds where rows are sorted or counted, a few milliseconds where each
/// waits for memory.
inline constexpr int stretch_rows = 1 << 15;

/// Calls f(first, last) for consecutive stretches of [begin, end). Returns false as soon as the
/// query is to stop: f was then not called for all stretches.
template <typename Row, typename F>
bool for_each_stretch(const detail::workers& team, Row begin, Row end, F&& f) {
  for (Row first = begin; first < end;) {
    if (team.stopping()) return false;
    const Row last = end - first > Row{stretch_rows} ? first + Row{stretch_rows} : end;
    f(first, last);
    first = last;
  }
  return true;
}

/// Of an item whose rows take a few nanoseconds each.
inline std::size_t rows_an_item() noexcept { return base::scaled<std::size_t>(65536); }

/// Calls f(begin, end) for items of `each` of [0, n), the last perhaps shorter, on all workers.
template <typename F>
void for_each_item(detail::workers& team, std::size_t n, std::size_t each, F&& f) {
  detail::parallel_chunks(team, detail::ceil_div(n, each), [&](std::size_t item, unsigned) {
    f(item * each, std::min((item + 1) * each, n));
  });
}

}  // namespace pappus::algorithms
