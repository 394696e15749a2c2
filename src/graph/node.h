// What is asked for: operators as nodes, data as edges.
//
// A node never changes; what is remembered about it lies in a table of its session (node_table.h).
// Handles in the user's program and nodes that consume it share its ownership, so a graph lives
// exactly as long as someone may still ask for it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "graph/node_table.h"
#include "pappus/detail/base/request.h"

namespace pappus::detail {

struct node {
  std::uint64_t id = 0;  ///< no other node of the session has had it
  const graph::operator_entry* op = nullptr;
  std::string name;
  record_type out;
  stage_spec stage;
  params_ptr params;
  std::weak_ptr<session_core> session;
  const std::shared_ptr<graph::node_table> table;  ///< what the session remembers of its nodes

  explicit node(std::shared_ptr<graph::node_table> of_session) : table(std::move(of_session)) {}
  node(const node&) = delete;
  node& operator=(const node&) = delete;
  ~node() { table->forget(id); }

  template <typename Params>
  const Params& as() const {
    return static_cast<const Params&>(*params);
  }
  /// Whether its rows are to be kept, by .cache().
  bool is_cached() const { return table->get(id, &graph::remembered::cached); }
  /// The rows that are kept; null where there are none, none yet, or they were lost.
  std::shared_ptr<graph::kept_rows> kept() const {
    auto rows = table->get(id, &graph::remembered::kept);
    return rows != nullptr && rows->lost() ? nullptr : rows;
  }
};

}  // namespace pappus::detail

namespace pappus::graph {

using detail::node;
using detail::node_ptr;

/// Rows that stand in for nodes: the state and the loop-invariant parts of a do_while.
using bindings = std::unordered_map<const node*, detail::rows_ptr>;

/// What a stage of a loop's body keeps from one iteration for the next.
struct kept_state {
  std::shared_ptr<void> value;
  std::size_t bytes = 0;
};
/// By node. Whatever is in it may be thrown away between iterations.
using kept_states = std::unordered_map<const node*, kept_state>;

/// One evaluation of a loop's body.
struct iteration {
  bindings bound;
  kept_states* kept = nullptr;  ///< null: nothing is kept
};

/// How many rows a node yields, as far as that is known without running it.
struct bound {
  enum class certainty : std::uint8_t { exact, at_most, unknown };
  std::int64_t rows = 0;
  certainty known = certainty::exact;

  static bound exactly(std::int64_t n) { return {n, certainty::exact}; }
  static bound at_most(std::int64_t n) { return {n, certainty::at_most}; }
  static bound unknown() { return {0, certainty::unknown}; }
  bool exact() const { return known == certainty::exact; }
  /// The same rows, but maybe fewer of them.
  bound loosened() const { return known == certainty::exact ? at_most(rows) : *this; }
  /// The first so many of them; INT64_MAX: all.
  bound limited(std::int64_t limit) const {
    if (limit == INT64_MAX) return *this;
    return known == certainty::unknown ? at_most(limit) : bound{std::min(rows, limit), known};
  }
};

/// "1,000", "≤ 1,000", "?".
std::string bound_text(const bound& rows);

/// "map·filter·sum": what a node does, element-wise operators first.
std::string label(const node& n);

/// All nodes that roots need, inputs before consumers. The walk doesn't go behind nodes for which
/// `stop` is true: their rows exist.
/// \param instead  the node that takes the place of one that is read; null: none does
std::vector<const node*> in_order(std::span<const node_ptr> roots,
                                  const std::function<bool(const node&)>& stop,
                                  const std::function<const node*(const node&)>& instead = nullptr);

/// Throws usage_error when an input is missing or another session's.
void verify(const node& n);

/// One line a node: id, label, record type, inputs.
std::string print(std::span<const node* const> nodes);
/// The same as Graphviz.
std::string print_dot(std::span<const node* const> nodes);

}  // namespace pappus::graph
