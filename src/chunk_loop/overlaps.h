// In which chunks a range of rows lies.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "pappus/detail/base/chunks.h"

namespace pappus::chunk_loop {

/// Calls f(piece, its first row, rows) for the chunks that overlap rows [first, first + rows).
template <typename Chunks, typename F>
void for_overlaps(const Chunks& chunks, std::int64_t first, std::int64_t rows, F&& f) {
  for (const auto& c : chunks) {
    const std::int64_t begin = std::max(first, c.first);
    const std::int64_t end = std::min(first + rows, c.first + c.rows);
    if (begin < end) f(c, begin, end - begin);
  }
}

/// The address of rows that lie in one piece, aligned well enough to be used by kernels in place of
/// a device buffer; null where they don't. Kernels may read a record in words of any size up to 16
/// bytes that divides the record's, so rows must be aligned for the largest of these.
inline const std::byte* usable_in_place(const detail::row_set& set, std::int64_t first,
                                        std::int64_t rows) {
  if (rows == 0) return nullptr;
  const auto& chunk = set.chunks()[set.find(first)];
  if (first + rows > chunk.first + chunk.rows) return nullptr;
  const std::size_t size = set.layout().size, widest_word = 16;
  const auto* const data = chunk.data + static_cast<std::size_t>(first - chunk.first) * size;
  const auto word = std::min(size & (~size + 1), widest_word);
  return reinterpret_cast<std::uintptr_t>(data) % word == 0 ? data : nullptr;
}

}  // namespace pappus::chunk_loop
