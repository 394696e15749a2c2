// From a graph to its result.
#include <fmt/format.h>

#include "run/dry.h"
#include "session/core.h"
#include "session/report.h"

namespace pappus::detail {

plan::request session_core::planning(std::span<const node_ptr> roots,
                                     const plan::bindings* bound) const {
  return {.roots = roots, .machine = machine_, .chunk_rows = settings_.chunk_rows, .bound = bound};
}

std::vector<rows_ptr> session_core::evaluate(std::span<const node_ptr> roots,
                                             const plan::bindings& bound, std::string* report) {
  check_alive();
  const auto asked = planning(roots, &bound);
  auto p = plan::make_plan(asked);
  const auto predicted = p.stages;
  const auto recorder = listen(p);
  auto team = workers(recorder.get());
  run::live_executor executor(p, {team, memory_, memory_->limit() / 16, recorder.get()});

  // A stage whose size only running can tell ends a round: what follows is planned again with the
  // size known.
  for (std::size_t first = 0, last; first < p.stages.size(); first = last) {
    for (last = first + 1; last < p.stages.size() && p.stages[last - 1].rows_out.exact();) ++last;
    executor.execute(tasks::lower(p, first, last));
    for (std::size_t i = first; i < last; ++i) {
      const auto stage = static_cast<plan::stage_index>(i);
      p.stages[i].rows_out = graph::bound::exactly(executor.row_count(stage));
      p.stages[i].measured = true;
      if (p.stages[i].node->cached && !p.stages[i].known && executor.rows(stage)) {
        std::lock_guard lock(p.stages[i].node->mutex);
        p.stages[i].node->kept = executor.rows(stage);
      }
    }
    if (last < p.stages.size()) plan::refine(p, asked);
  }

  if (report != nullptr) *report = analyzed(predicted, p, executor.measurements());
  std::vector<rows_ptr> results;
  for (const auto root : p.roots) results.push_back(executor.rows(root));
  return results;
}

std::unique_ptr<trace::recorder> session_core::listen(const plan::plan& p) const {
  if (tracer_ == nullptr && !progress_) return nullptr;
  double bytes = 0;
  for (const auto& s : p.stages) bytes += s.bytes.read + s.bytes.written;
  return std::make_unique<trace::recorder>(tracer_, progress_, bytes);
}

rows_ptr session_core::make_contiguous(const rows_ptr& rows) {
  if (rows->contiguous()) return rows;
  auto team = workers();
  return run::contiguous(rows, team, memory_);
}

std::string session_core::explain(const node_ptr& root, explain_format format) {
  check_alive();
  const std::array roots{root};
  if (format == explain_format::dot) {
    const auto nodes = graph::in_order(roots, [](const node&) { return false; });
    return graph::print_dot(nodes);
  }
  auto asked = planning(roots, nullptr);
  asked.keep_history = true;
  const auto p = plan::make_plan(asked);
  p.verify();
  const auto work = tasks::lower(p, 0, p.stages.size());
  work.verify(p);
  return explained(p, work, run::dry_run(p, work));
}

}  // namespace pappus::detail
