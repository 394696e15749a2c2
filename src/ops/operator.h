// What the planner and the executor know of an operator.
//
// An operator is one file here plus a line in registry.cpp. Planning asks how many rows and bytes
// it yields and which phases it has; running calls the phases in order. Most operators see their
// whole input at once. Those that stream (a file larger than memory, say) are called once per
// window of consecutive rows and must not depend on how rows are cut into windows.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "graph/node.h"
#include "pappus/detail/base/chunks.h"
#include "pappus/detail/base/memory.h"
#include "pappus/detail/base/parallel.h"

namespace pappus::ops {

/// What the planner chose for a stage.
struct setting {
  std::int64_t chunk_rows = 65536;  ///< rows per work item where that can't change the result
};

/// Evaluates a node of a graph inside a stage, as loops do with their body: the rows as one
/// contiguous chunk.
using evaluation =
    std::function<detail::rows_ptr(const graph::node_ptr& root, const graph::bindings& bound)>;

/// Everything a phase works with. One per stage and run; phases of a stage are never called at the
/// same time.
struct run_context {
  const graph::node& node;
  std::span<const detail::rows_ptr> inputs;  ///< of this window
  std::span<const detail::side> sides;
  detail::workers& team;
  detail::memory_source& memory;
  setting chosen;
  std::int64_t first_row = 0;               ///< number of the window's first row
  std::int64_t rows = 0;                    ///< rows in this window
  std::shared_ptr<detail::row_set> output;  ///< filled by the phases
  std::shared_ptr<void> state;              ///< what the operator keeps between its phases
  const evaluation& evaluate;
  std::string who;   ///< the stage's operators, for errors
  std::string note;  ///< what explain_analyze should tell
};

/// One step of an operator.
struct phase {
  enum class kind : std::uint8_t { launch, reduce };
  enum class when : std::uint8_t { each_window, at_end };
  std::string_view name;
  kind what;
  when called;
  void (*run)(run_context& context);
};

/// Bytes an operator touches, for admission, explain and cost.
struct footprint {
  double read = 0, written = 0;  ///< memory traffic, bytes
  double output = 0;             ///< bytes of its result
  double scratch = 0;            ///< bytes it needs besides, at the same time
};

class operator_entry {
 public:
  virtual ~operator_entry() = default;

  /// Rows of the output, given the stage's input rows.
  virtual graph::bound output_rows(const graph::node& n, const graph::bound& input) const = 0;

  /// Bytes, given the rows that go in and come out (bounds where that is all there is).
  virtual footprint size(const graph::node& n, double rows_in, double rows_out) const = 0;

  /// The steps, in order. Empty for nodes that only hand on rows they have.
  virtual std::span<const phase> phases(const graph::node& n) const = 0;

  /// True when its phases may be called window by window.
  virtual bool streams(const graph::node&) const { return false; }

  /// Of those that stream: true when the result may be certain before the last window.
  virtual bool may_stop_early(const graph::node&) const { return false; }
  /// Of those: whether it is, after the windows so far.
  virtual bool done(const run_context&) const { return false; }

  /// For nodes without phases: the rows they stand for.
  virtual detail::rows_ptr rows_of(const graph::node&,
                                   std::span<const detail::rows_ptr> /*inputs*/) const {
    return nullptr;
  }
};

/// The entry of an operator; see registry.cpp.
const operator_entry& find(detail::op_kind kind);

/// The rows that a slice takes of a window whose first row is row first_row of its input.
detail::rows_ptr slice_of(const detail::slice_params& params, const detail::rows_ptr& window,
                          std::int64_t first_row);
/// Rows of its input from first_row on that a slice has to see; INT64_MAX: all.
std::int64_t rows_wanted(const detail::slice_params& params, std::int64_t first_row);

/// Bytes of one row of everything a stage reads in step.
double input_row_bytes(const graph::node& n);

/// Rows a stage goes through: the shortest of its inputs, or the generator's own count.
std::int64_t stage_rows(const graph::node& n, std::span<const detail::rows_ptr> inputs);

}  // namespace pappus::ops
