// The parameters of a do_while's node, without its types.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "pappus/detail/base/request.h"

namespace pappus::detail {

/// Returns whether the loop goes on, given the state before and after an iteration, both
/// contiguous.
using loop_condition = std::function<bool(const row_set& before, const row_set& after)>;

/// The inputs of a loop's node are the initial state, then `invariants` in their order.
struct loop_params : op_params {
  node_ptr placeholder;  ///< stands for the state in the body
  node_ptr body;         ///< yields the state after an iteration
  /// A node that the body needs and that doesn't depend on the state: computed once.
  struct invariant {
    node_ptr node;
    bool shared = false;  ///< it is a side of a stage of the body, which needs it contiguous
  };
  std::vector<invariant> invariants;
  loop_condition condition;
  std::int64_t max_iterations = INT64_MAX;
};
const graph::operator_entry& loop_operator();
/// The entry of placeholders.
const graph::operator_entry& loop_state_operator();

/// The node of the state inside a loop's body.
node_ptr make_placeholder(const session_ptr& session, record_type state);

/// The node of a loop. `given` has all members but the invariants, which are found here.
node_ptr make_loop(const session_ptr& session, const node_ptr& initial, loop_params given);

}  // namespace pappus::detail
