// What sort's entry and its CPU version agree on about the first rows of a sort.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace pappus::ops {

/// Rows that are sorted as a whole, whatever is wanted of them.
inline constexpr std::int64_t sorted_whole = std::int64_t{1} << 15;

/// Whether the first `limit` of so many rows are found without sorting all
/// (cpu_ops/limited_sort.h). Where more are wanted that takes about as long as sorting all.
inline bool sorts_some(std::int64_t rows, std::int64_t limit) {
  return rows > sorted_whole && limit <= rows / 16;
}

/// Rows that are sorted at first: of others, in any order, one in four or fewer is a candidate.
inline std::int64_t sorted_first(std::int64_t limit) {
  return std::max(4 * limit, sorted_whole / 2);
}

/// Candidates that there is room for, of at most `bytes` unless that is too few. As soon as they
/// are as many as the rows wanted, they are sorted with the best so far.
inline std::int64_t candidates_max(std::int64_t rows, std::int64_t limit, std::size_t record_bytes,
                                   std::size_t bytes) {
  const std::int64_t least = std::max(2 * limit, sorted_whole / 8);
  return std::clamp(static_cast<std::int64_t>(bytes / record_bytes), least, rows / 4);
}
inline constexpr std::size_t candidate_bytes_max = std::size_t{32} << 20;

}  // namespace pappus::ops
