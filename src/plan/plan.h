// How a query will run: one stage per node, in an order that respects the data, with what the
// passes decided for each.
//
// Planning is pure: graph and machine in, plan out. Each pass is a file; plan.cpp lists them in
// order.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "cost/machine.h"
#include "graph/node.h"
#include "ops/operator.h"

namespace pappus::plan {

enum class stage_index : std::uint32_t {};
constexpr std::size_t index(stage_index i) { return static_cast<std::size_t>(i); }

struct stage {
  const graph::node* node = nullptr;
  detail::rows_ptr known;  ///< its rows, where they exist already
  std::vector<stage_index> inputs, sides;
  graph::bound rows_in, rows_out;
  bool outside = false;   ///< its rows come from outside: rows_out is assumed
  bool measured = false;  ///< it has run: rows_out is what it yielded
  bool windowed = false;  ///< takes its input window by window
  ops::setting chosen;
  ops::footprint bytes;            ///< at the bounds of rows_in and rows_out
  std::vector<stage_index> frees;  ///< stages whose rows nobody needs once this one is done
  const char* device = "cpu";
  double seconds = 0;              ///< predicted
  std::vector<std::string> notes;  ///< what the user should know, for explain
  std::string body;                ///< the plan of a loop's body, for explain
};

/// What a pass left behind, for explain.
struct pass_record {
  const char* name;
  std::string text;
};

struct plan {
  std::vector<stage> stages;  ///< inputs before consumers
  std::vector<stage_index> roots;
  std::vector<pass_record> history;  ///< one record a pass, if they were asked for

  /// Throws std::logic_error naming the stage when an invariant is broken.
  void verify() const;
  std::string print() const;
};

using graph::bindings;
/// Nodes whose rows will come from outside, as far as their number is known.
using assumptions = std::unordered_map<const graph::node*, graph::bound>;

struct request {
  std::span<const graph::node_ptr> roots;
  const cost::machine& machine;
  std::int64_t chunk_rows = 0;  ///< the user's choice; 0: the planner's
  bool keep_history = false;
  const bindings* bound = nullptr;
  const assumptions* assumed = nullptr;
};

/// Runs all passes. Throws memory_error for what can't ever fit.
plan make_plan(const request& asked);

/// Called once stages before `from` have run and their exact rows are known: refreshes what depends
/// on them.
void refine(plan& p, const request& asked);

// The passes, in order. Each reads what earlier ones wrote.
void collect_stages(plan& p, const request& asked);      // collect.cpp: stages, edges
void bound_rows(plan& p, const request& asked);          // bounds.cpp: rows_in, rows_out
void choose_windows(plan& p, const request& asked);      // windows.cpp: windowed
void choose_chunks(plan& p, const request& asked);       // chunks.cpp: chosen
void place_stages(plan& p, const request& asked);        // place.cpp: device, bytes, seconds
void find_last_uses(plan& p, const request& asked);      // lifetimes.cpp: frees
void check_memory(plan& p, const request& asked);        // admission.cpp: refuses
void note_repeated_work(plan& p, const request& asked);  // repeated.cpp: notes
void plan_loop_bodies(plan& p, const request& asked);    // loops.cpp: body

}  // namespace pappus::plan
