// Which parts of a set of chunks some rows are.
#pragma once

#include <algorithm>
#include <cstdint>

namespace pappus::device_ops {

/// Calls f(piece, its first row, rows) for the chunks that overlap rows [first, first + rows).
template <typename Chunks, typename F>
void for_overlaps(const Chunks& chunks, std::int64_t first, std::int64_t rows, F&& f) {
  for (const auto& c : chunks) {
    const std::int64_t begin = std::max(first, c.first);
    const std::int64_t end = std::min(first + rows, c.first + c.rows);
    if (begin < end) f(c, begin, end - begin);
  }
}

}  // namespace pappus::device_ops
