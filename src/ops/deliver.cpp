// Hands the records of a fused stage to a function of the caller's, in row order, a run at a time:
// how rows leave the engine without being in memory all at once (files that are written,
// for_each_chunk).
//
// All workers compute a run of rows; then the calling thread alone delivers it, and its memory is
// used for the next.
#include <algorithm>

#include "ops/operator.h"
#include "ops/registry.h"
#include "ops/stage_writer.h"

namespace pappus::ops {
namespace {

constexpr std::int64_t run_bytes = std::int64_t{32} << 20;  // of the input, and of a row's output

void deliver(run_context& context) {
  const auto& params = context.node.as<detail::deliver_params>();
  const auto widest = static_cast<std::int64_t>(
      std::max(static_cast<double>(context.node.out.size), input_row_bytes(context.node)));
  const std::int64_t run = std::max<std::int64_t>(run_bytes / widest, 1);
  for (std::int64_t begin = 0; begin < context.rows; begin += run) {
    detail::row_set rows(context.node.out);
    write_stage(context, params.loop, begin, std::min(begin + run, context.rows), rows);
    for (const auto& chunk : rows.chunks()) {
      if (context.team.stopping()) return;
      params.take(context.team, chunk.data, chunk.rows);
    }
  }
}

constexpr phase deliver_phases[] = {
    {"deliver", phase::kind::launch, phase::when::each_window, deliver},
};

class deliver_entry final : public operator_entry {
 public:
  graph::bound output_rows(const graph::node&, const graph::bound&) const override {
    return graph::bound::exactly(0);
  }
  footprint size(const graph::node& n, double rows_in, double) const override {
    const double out = rows_in * static_cast<double>(n.out.size);
    return {.read = rows_in * input_row_bytes(n),
            .written = out,
            .output = 0,
            .scratch = std::min(out, static_cast<double>(run_bytes))};
  }
  std::span<const phase> phases(const graph::node&) const override { return deliver_phases; }
  bool streams(const graph::node&) const override { return true; }
};

}  // namespace

const operator_entry& deliver_operator() {
  static const deliver_entry entry;
  return entry;
}

}  // namespace pappus::ops
