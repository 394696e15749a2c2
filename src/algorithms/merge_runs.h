// Merges sorted runs into one order, whatever the records are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "pappus/detail/base/parallel.h"

namespace pappus::algorithms {

/// Rows in ascending order of their keys. Keys are unsigned integers of 4 or 8 bytes, in an array
/// for each part, the most significant first.
struct sorted_run {
  std::vector<const std::byte*> keys;
  const std::byte* records = nullptr;
  std::int64_t rows = 0;
};

/// Writes the first `limit` records of all runs in the order of their keys; of equal ones those of
/// the earlier run first.
///
/// \param key_bytes  of each part of the keys.
/// \param out        room for min(limit, all rows) records.
/// Cost: O(n log runs) comparisons; parallel over ranges of the most significant key, so that rows
/// which all share it are merged by one worker. Throws cancelled.
void merge_runs(detail::workers& team, std::span<const sorted_run> runs,
                std::span<const std::size_t> key_bytes, std::size_t record_bytes,
                std::int64_t limit, std::byte* out);

}  // namespace pappus::algorithms
