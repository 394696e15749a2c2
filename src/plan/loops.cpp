// Predicts each do_while from the plan of its body: what an iteration takes, times the iterations.
//
// The body is planned with the state that the loop begins with. When the loop runs each iteration
// plans anew, with what is known by then; its stages count as measured in the next one.
//
// How many iterations there will be only the condition can tell. An earlier run of the same loop
// tells what it did then; before, it is as many as the limit allows (a guess) or, without a limit,
// the one that always runs (the least).
#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "pappus/detail/base/loop.h"
#include "plan/plan.h"

namespace pappus::plan {
namespace {

using cost::trust;

/// Says what stages keep for the next iteration.
void note_what_is_kept(plan& body) {
  const auto is_from_outside = [&](stage_index from) {
    const auto& s = body.stages[index(from)];
    return s.outside && !s.node->op->is_loop_state();
  };
  for (auto& s : body.stages) {
    if (s.outside || s.is_there()) continue;
    const auto kept = s.node->op->kept(*s.node, s.expected_in);
    if (kept.bytes == 0 || (kept.needs_outside && !std::ranges::all_of(s.inputs, is_from_outside)))
      continue;
    s.notes.push_back(fmt::format("for the next iteration it keeps {}: about {}", kept.what,
                                  base::bytes_text(kept.bytes)));
  }
}

std::shared_ptr<const plan> planned_body(const plan& p, const request& asked, const stage& s) {
  const auto& loop = *s.node->op->loop_of(*s.node);
  assumptions assumed;
  const auto assume = [&](const detail::node_ptr& n, stage_index from) {
    const auto& rows = p.stages[index(from)];
    assumed[n.get()] = {rows.rows_out, rows.expected_out};
  };
  for (std::size_t i = 0; i < loop.invariants.size(); ++i)
    if (!is_left_to_iterations(p, s, s.inputs[i + 1]))
      assume(loop.invariants[i].node, s.inputs[i + 1]);
  assume(loop.placeholder, s.inputs[0]);
  request body = asked;
  body.roots = {&loop.body, 1};
  body.bound = nullptr;
  body.assumed = &assumed;
  auto made = std::make_shared<plan>(make_plan(body));
  note_what_is_kept(*made);
  return made;
}

iterations expected_iterations(std::int64_t limit, const past_loop& past) {
  const auto times = [](std::int64_t n, trust how) {
    return iterations{static_cast<double>(n), how};
  };
  if (past.condition_ended_it || limit <= past.iterations)
    return times(std::min(limit, past.iterations), trust::measured);
  if (limit == INT64_MAX) return times(past.iterations, trust::at_least);
  return times(limit, trust::guessed);
}

}  // namespace

void size_loop(const plan& p, const request& asked, stage& s) {
  if (!s.measured) s.body = planned_body(p, asked, s);
  s.repeats = expected_iterations(s.node->op->loop_of(*s.node)->max_iterations,
                                  asked.ask_past ? asked.ask_past(s) : past_loop{});
  s.expected_in = 0;
  for (const auto& part : s.body->stages) s.expected_in += part.expected_in * s.repeats.count;
  s.expected_out = p.stages[index(s.inputs.front())].expected_out;
  s.how = worse(worse(s.body->how(), trust::counted), s.repeats.how);
}

}  // namespace pappus::plan
