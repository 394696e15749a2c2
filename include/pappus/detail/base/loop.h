// A do_while once its types are erased.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "pappus/detail/base/request.h"

namespace pappus::detail {

/// Whether the loop goes on, given the contiguous state before and after an iteration.
using loop_condition = std::function<bool(const row_set& before, const row_set& after)>;

/// Inputs of a loop node are the initial state, then `invariants`.
struct loop_params : op_params {
  node_ptr placeholder;  ///< stands for the state in the body
  node_ptr body;         ///< the state after an iteration
  /// What the body needs besides the state: computed once.
  struct invariant {
    node_ptr node;
    bool shared = false;  ///< some stage of the body wants it whole
  };
  std::vector<invariant> invariants;
  loop_condition condition;
  std::int64_t max_iterations = INT64_MAX;
};
const graph::operator_entry& loop_operator();
/// The state of a do_while, inside its body.
const graph::operator_entry& loop_state_operator();

/// The node of the state inside a loop's body.
node_ptr make_placeholder(const session_ptr& session, record_type state);

/// The loop itself. `given` has placeholder, body, condition and limit; the invariants are found
/// here.
node_ptr make_loop(const session_ptr& session, const node_ptr& initial, loop_params given);

}  // namespace pappus::detail
