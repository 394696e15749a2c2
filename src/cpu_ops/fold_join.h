// A reduction behind a join that takes left records in the order of the index's regions.
#pragma once

#include <atomic>
#include <cstddef>

#include "cpu_ops/contract.h"

namespace pappus::cpu_ops {

/// Bytes of the smallest index that is worth it: with 9.6 MB the order of left records took a sixth
/// longer, with 32 MB three fifths of the time (Zen 4, 32 MB of last cache). Tests lower it.
inline std::atomic<std::size_t> ordered_index_bytes{16u << 20};

/// Folds the window's rows, whose records may come in any order, and adds them to `state`. False,
/// and nothing is done, where the ordinary way is better: the index is small, or memory is short;
/// or where a function throws, for only the ordinary way knows the row.
bool fold_by_region(const run_context& context, std::byte* state);

}  // namespace pappus::cpu_ops
