// A chunk in which a check failed: the CPU computes it by the operator's own phases, as a window of
// the stage. What a user's function throws there is what it throws where no device is.
#include "run/rows_on_cpu.h"
#include "chunk_loop/overlaps.h"
#include "chunk_loop/stage_run.h"
#include "cpu_ops/contract.h"

namespace pappus::run {

using chunk_loop::stage_input;
using chunk_loop::stage_run;

namespace {

detail::rows_ptr part_of(const stage_input& input, const stage_run& run, std::int64_t first,
                         std::int64_t rows) {
  if (!input.host)
    return chunk_loop::download(*input.device, first, rows, run.host_memory, run.team, run.owner);
  const auto& set = *input.host;
  auto part = std::make_shared<detail::row_set>(set.layout());
  part->keep(input.host);
  chunk_loop::for_overlaps(
      set.chunks(), first, rows, [&](const auto& c, std::int64_t begin, std::int64_t n) {
        part->append(c.data + static_cast<std::size_t>(begin - c.first) * set.layout().size, n);
      });
  return part;
}

}  // namespace

detail::rows_ptr rows_on_cpu(const stage_run& run, std::int64_t first, std::int64_t rows) {
  static const cpu_ops::evaluation none;  // of stages that have no device version
  std::vector<detail::rows_ptr> inputs;
  for (const auto& input : run.inputs) inputs.push_back(part_of(input, run, first, rows));
  std::vector<detail::side> sides;
  for (const auto& side : run.sides) sides.push_back({side->data(), side->rows()});
  const auto output = chunk_loop::empty_result(run);
  cpu_ops::run_context context{.node = run.node,
                               .inputs = inputs,
                               .sides = sides,
                               .team = run.team,
                               .memory = *run.host_memory,
                               .first_row = first,
                               .rows = rows,
                               .output = output,
                               .state = nullptr,
                               .evaluate = none,
                               .owner = run.owner,
                               .note = {}};
  for (const auto& step : cpu_ops::phases_of(run.node, false))
    if (step.called == cpu_ops::phase::when::each_window) step.run(context);
  return output;
}

}  // namespace pappus::run
