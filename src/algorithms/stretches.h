// Long loops in stretches, between which they look whether the query was cancelled.
#pragma once

#include <algorithm>

#include "pappus/detail/base/parallel.h"
#include "pappus/error.h"

namespace pappus::algorithms {

/// For loops of the query's own thread: throws pappus::cancelled if it is to stop.
inline void stop_if_cancelled(const detail::workers& team) {
  if (team.stopping()) throw cancelled();
}

/// Rows between two looks: microseconds where they are sorted or counted, a few milliseconds where
/// each waits for memory.
inline constexpr int stretch_rows = 1 << 15;

/// Calls f(first, last) for consecutive stretches of [begin, end), as long as the query runs. False
/// if it is to stop: what f did is then incomplete.
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

}  // namespace pappus::algorithms
