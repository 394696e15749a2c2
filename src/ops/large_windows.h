// How long windows are of operators that want them as long as memory allows.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/memory_scale.h"
#include "graph/operator_entry.h"

namespace pappus::ops {

/// Rows of a window, where `available` bytes are there. Of much memory a third is taken: what comes
/// of a window goes to the disk while the next one is handled. Of little, more, so that windows are
/// fewer; a part is left to those who pass rows on, and to what buffers of 2 MiB and more are
/// rounded up to; where memory is scarce, buffers stay below that.
/// \param kept_bytes  that the operator keeps of all windows until it has yielded its rows. Where
///                    there is room for them beside a shorter window, nothing goes to the disk.
///                    Negative: unknown.
inline std::int64_t large_window_rows(std::size_t available, double kept_bytes,
                                      const graph::window_memory& held, unsigned workers) {
  constexpr double buffers = 6, most = 1e15;
  const double rounding = base::scaled(2 << 20), much = base::scaled(128 << 20);
  double there = static_cast<double>(available);
  if (kept_bytes >= 0 && kept_bytes < 0.6 * there)
    there -= kept_bytes;
  else
    there = std::max(there / 3, std::min(there, much));
  there -= held.worker * workers;
  const double large = (0.9 * there - buffers * rounding) / held.row;
  const double small = std::min(0.8 * there / held.row, 0.99 * rounding / held.widest);
  const double rows = std::min(std::max(large, small), most);
  return std::max(static_cast<std::int64_t>(rows), std::int64_t{1});
}

}  // namespace pappus::ops
