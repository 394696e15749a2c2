// Which parts of a set of chunks some rows are.
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

/// Where rows lie in one piece that kernels can't tell from device memory; null: nowhere. These may
/// take a record for words of any size that divides the record's, as records in a buffer of the
/// device are aligned for that.
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
