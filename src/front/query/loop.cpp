// Records a do_while: finds what its body needs that the state can't change.
//
// The loop node's inputs are the initial state and these invariants, so they are planned, computed
// and shared like everything else, once, before the loop starts. Only the nodes between them and
// the body's result are evaluated again in each iteration (cpu_ops/loop.cpp).
#include <algorithm>
#include <array>
#include <unordered_set>

#include "pappus/detail/base/loop.h"
#include "session/session.h"

namespace pappus::detail {
namespace {

void find_invariants(loop_params& loop) {
  const std::array roots{loop.body};
  std::unordered_set<const node*> dependent{loop.placeholder.get()};
  const auto is_dependent = [&](const node_ptr& n) { return dependent.contains(n.get()); };
  const auto add = [&](const node_ptr& n, bool shared) {
    if (is_dependent(n)) return;
    auto found = std::find_if(loop.invariants.begin(), loop.invariants.end(),
                              [&](const auto& other) { return other.node == n; });
    if (found == loop.invariants.end()) found = loop.invariants.insert(found, {n, false});
    found->shared |= shared;
  };
  for (const node* n : graph::in_order(roots, [](const node&) { return false; })) {
    const auto& [inputs, sides] = std::tie(n->stage.inputs, n->stage.sides);
    if (!std::any_of(inputs.begin(), inputs.end(), is_dependent) &&
        !std::any_of(sides.begin(), sides.end(), is_dependent))
      continue;
    dependent.insert(n);
    // Rows kept from one iteration would be wrong in the next.
    if (n->is_cached()) n->table->change(n->id, [](auto& of) { of.cached = false; });
    for (const auto& input : inputs) add(input, false);
    for (const auto& side : sides) add(side, true);
  }
  add(loop.body, false);
}

}  // namespace

node_ptr make_placeholder(const session_ptr& session, record_type state) {
  return make_node(session, {loop_state_operator(), "state", state, {}, nullptr});
}

node_ptr make_loop(const session_ptr& session, const node_ptr& initial, loop_params given) {
  find_invariants(given);
  stage_spec stage;
  stage.inputs.push_back(initial);
  for (const auto& invariant : given.invariants) stage.inputs.push_back(invariant.node);
  const auto state = initial->out;
  return make_node(session, {loop_operator(), "do_while", state, std::move(stage),
                             std::make_shared<const loop_params>(std::move(given))});
}

}  // namespace pappus::detail
