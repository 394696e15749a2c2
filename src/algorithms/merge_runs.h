// Merges sorted runs into one order, whatever the records are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "pappus/detail/base/parallel.h"

namespace pappus::algorithms {

/// Rows in ascending order of their keys. A key has one or more parts, the most significant first;
/// a part is an unsigned integer of 4 or 8 bytes, and keys[p] the array of all rows' part p.
struct sorted_run {
  std::vector<const std::byte*> keys;
  const std::byte* records = nullptr;
  std::int64_t rows = 0;
};

/// Merges all runs and writes the first `limit` records. Of records with equal keys those of the
/// earlier run come first.
///
/// \param key_bytes  per part of the keys: 4 or 8.
/// \param out        has room for min(limit, all rows) records.
/// Cost: O(n log runs) comparisons; parallel over ranges of the most significant key, so that rows
/// which all share it are merged by one worker. Throws cancelled.
void merge_runs(detail::workers& team, std::span<const sorted_run> runs,
                std::span<const std::size_t> key_bytes, std::size_t record_bytes,
                std::int64_t limit, std::byte* out);

}  // namespace pappus::algorithms
