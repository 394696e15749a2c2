// Hands the records of a fused stage to a function of the caller's, in row order, a run at a time:
// how rows leave the engine without being in memory all at once (files that are written,
// for_each_chunk).
//
// All workers compute a run of rows; then the calling thread alone delivers it, and its memory is
// used for the next. Runs are shorter where memory is short: where they end never shows in a file.
#include <algorithm>

#include "algorithms/stretches.h"
#include "base/memory_scale.h"
#include "cpu_ops/contract.h"
#include "cpu_ops/stage_writer.h"
#include "ops/deliver.h"
#include "ops/implementations.h"
#include "ops/rows.h"

namespace pappus::cpu_ops {
namespace {

void deliver(run_context& context) {
  const auto& params = context.node.as<detail::deliver_params>();
  const auto widest = static_cast<std::int64_t>(
      std::max(static_cast<double>(context.node.out.size), ops::input_row_bytes(context.node)));
  const auto bytes = base::scaled_clamp(static_cast<std::int64_t>(context.available() / 4),
                                        ops::deliver_run_bytes_least, ops::deliver_run_bytes);
  const std::int64_t run = std::max<std::int64_t>(bytes / widest, 1);
  for (std::int64_t begin = 0; begin < context.rows; begin += run) {
    detail::row_set rows(context.node.out);
    write_stage(context, params.loop, begin, std::min(begin + run, context.rows), rows);
    for (const auto& chunk : rows.chunks()) {
      stop_if_cancelled(context.team);
      params.take(context.team, chunk.data, chunk.rows);
    }
  }
}

constexpr phase deliver_phases[] = {
    {"deliver", phase::kind::launch, phase::when::each_window, deliver},
};

}  // namespace

const cpu_operator& deliver_on_cpu() {
  static constexpr cpu_operator made{deliver_phases};
  return made;
}

}  // namespace pappus::cpu_ops
