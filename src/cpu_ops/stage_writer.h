// Runs a fused stage over a run of rows and puts what it yields in memory.
#pragma once

#include "cpu_ops/contract.h"

namespace pappus::cpu_ops {

/// Appends the output of rows [begin, end) of the window to `to`, in row order. Uses all workers.
void write_stage(run_context& context, detail::write_loop loop, std::int64_t begin,
                 std::int64_t end, detail::row_set& to);

}  // namespace pappus::cpu_ops
