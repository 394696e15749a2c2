// From a graph to its result.
#include <cstdio>
#include <cstdlib>
#include <string_view>

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
  for (const auto& root : roots) check_owner(*root);
  if (explain_only_ != nullptr) explain_and_exit(roots);
  auto team = workers();
  return run_query(planning(roots, &bound), team, nullptr, report);
}

std::vector<rows_ptr> session_core::run_query(const plan::request& asked,
                                              devices::cpu::query_workers& team,
                                              trace::recorder* outer, std::string* report) {
  auto p = plan::make_plan(asked);
  const auto predicted = p.stages;
  const auto own_recorder = outer == nullptr ? listen(p) : nullptr;
  trace::recorder* const recorder = outer == nullptr ? own_recorder.get() : outer;
  team.record(recorder);
  // Loops evaluate their body inside this query: the same workers, cancelled with it.
  const auto inner = [&](const node_ptr& root, const plan::bindings& bound) {
    const auto rows = run_query(planning({&root, 1}, &bound), team, recorder, nullptr).front();
    return run::contiguous(rows, team, memory_);
  };
  run::live_executor executor(p, {team, memory_, memory_->limit() / 16, recorder, inner});

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
  const auto tracer = [&] {
    const std::lock_guard lock(tracer_mutex_);
    return tracer_;
  }();
  if (tracer == nullptr && !progress_) return nullptr;
  double bytes = 0;
  for (const auto& s : p.stages) bytes += s.bytes.read + s.bytes.written;
  // How often a loop's body runs isn't known.
  for (const auto& s : p.stages)
    if (s.node->kind == op_kind::loop) bytes = 0;
  return std::make_unique<trace::recorder>(tracer, progress_, bytes);
}

rows_ptr session_core::make_contiguous(const rows_ptr& rows) {
  if (rows->contiguous()) return rows;
  auto team = workers();
  return run::contiguous(rows, team, memory_);
}

void session_core::explain_and_exit(std::span<const node_ptr> roots) {
  const bool dot = std::string_view(explain_only_) == "dot";
  std::fputs(explain(roots, dot ? explain_format::dot : explain_format::text).c_str(), stdout);
  std::exit(0);
}

std::string session_core::explain(std::span<const node_ptr> roots, explain_format format) {
  check_alive();
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
