// Iterates a do_while.
//
// Each iteration evaluates the body's graph with rows bound to some of its nodes: the state to the
// placeholder, and to the invariants what they were found to be before the loop. What a binding
// replaces isn't planned at all. Large files aren't bound, nor cached rows in parts: iterations
// read them in windows. Only the newest state is kept, and what operators keep of their own
// (run_context::kept).
//
// Not here: finding the invariants (front/query/loop.cpp), evaluating a graph
// (session/evaluate.cpp).
#include <fmt/format.h>

#include "base/text.h"
#include "cpu_ops/contract.h"
#include "ops/implementations.h"
#include "pappus/detail/base/loop.h"
#include "pappus/error.h"

namespace pappus::cpu_ops {
namespace {

using detail::loop_params;
using detail::rows_ptr;

rows_ptr contiguous(const run_context& context, const detail::node_ptr& node, rows_ptr rows) {
  if (rows->contiguous()) return rows;
  return context.evaluate(node, {.bound = {{node.get(), rows}}});
}

/// Without what was kept where memory is too short for both.
rows_ptr iteration_of(const run_context& context, graph::iteration& now) {
  const auto& body = context.node.as<loop_params>().body;
  try {
    return context.evaluate(body, now);
  } catch (const memory_error&) {
    if (now.kept == nullptr || now.kept->empty()) throw;
    now.kept->clear();
    now.kept = nullptr;
  }
  return context.evaluate(body, now);
}

std::string kept_text(const graph::kept_states& kept) {
  std::string text;
  for (const auto& [node, state] : kept)
    if (state.bytes > 0)
      text += fmt::format("{}{} of {}", text.empty() ? "; kept from one to the next: " : ", ",
                          base::bytes_text(static_cast<double>(state.bytes)), graph::label(*node));
  return text;
}

void iterate(run_context& context) {
  const auto& loop = context.node.as<loop_params>();
  graph::kept_states kept;
  graph::iteration now{.bound = {}, .kept = &kept};
  auto& bound = now.bound;
  for (std::size_t i = 0; i < loop.invariants.size(); ++i) {
    const auto& [node, shared] = loop.invariants[i];
    const auto& rows = context.inputs[i + 1];
    if (rows == nullptr) continue;  // each iteration reads it
    bound[node.get()] = shared ? contiguous(context, node, rows) : rows;
  }
  rows_ptr state = contiguous(context, loop.placeholder, context.inputs[0]);
  std::int64_t iterations = 0;
  for (bool more = true; more; ++iterations) {
    if (context.team.stopping()) throw cancelled();
    bound[loop.placeholder.get()] = state;
    const rows_ptr after = iteration_of(context, now);
    more = loop.condition(*state, *after) && iterations + 1 != loop.max_iterations;
    state = after;
  }
  context.iterations = iterations;
  context.note = fmt::format("{} iterations", base::count_text(iterations)) + kept_text(kept);
  context.output->append(state->data(), state->rows());
  context.output->keep_owners_of(*state);
  context.output->hold(state);
}

constexpr phase loop_phases[] = {
    {"iterate", phase::kind::reduce, phase::when::at_end, iterate},
};

}  // namespace

const cpu_operator& loop_on_cpu() {
  static constexpr cpu_operator made{loop_phases};
  return made;
}

}  // namespace pappus::cpu_ops
