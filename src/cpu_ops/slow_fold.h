// The part of a fold's leaf whose functions are slow.
#pragma once

#include <cstddef>

#include "cpu_ops/shared_rows.h"

namespace pappus::cpu_ops {

/// Computes values of the rows that are left by several workers and accumulates them, in row order,
/// in `state`. Returns the rows that are left when functions are fast again, or when memory for
/// values is short (then `row_ns` is 0); none when no further row can change the state.
slow_rows fold_slow_rows(const run_context& context, const slow_rows& rest, std::byte* state);

}  // namespace pappus::cpu_ops
