// What an operator's version for the CPU is, beside that for devices (device_ops/contract.h):
// phases that are called in order.
//
// Most operators see their whole input at once. Those that take windows (of a file larger than
// memory, say) are called once for each run of consecutive rows, and must not depend on how rows
// are cut into windows.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "graph/kept_rows.h"
#include "graph/operator_entry.h"
#include "pappus/detail/base/chunks.h"
#include "pappus/detail/base/memory.h"
#include "pappus/detail/base/parallel.h"

namespace pappus::algorithms {}

namespace pappus::cpu_ops {

using namespace algorithms;  // what phases are made of

class asked_join;

/// Evaluates a node of a graph inside a stage, as loops do with their body: the rows as one
/// contiguous chunk.
using evaluation =
    std::function<detail::rows_ptr(const graph::node_ptr& root, const graph::iteration& now)>;

/// Everything a phase works with. One per stage and run; phases of a stage are never called at the
/// same time.
struct run_context {
  const graph::node& node;
  std::span<const detail::rows_ptr> inputs;  ///< of this window
  std::span<detail::side> sides;
  detail::workers& team;
  detail::memory_source& memory;
  std::int64_t morsel_rows = 65536;         ///< rows a work item, where that can't change a result
  std::int64_t first_row = 0;               ///< number of the window's first row
  std::int64_t rows = 0;                    ///< rows in this window
  std::int64_t limit = INT64_MAX;           ///< rows that the operator has to yield, the first
  std::shared_ptr<detail::row_set> output;  ///< filled by the phases
  std::shared_ptr<void> state;              ///< what the operator keeps between its phases
  const evaluation& evaluate;
  std::string owner;                  ///< the stage's operators, for errors
  std::string note;                   ///< what explain_analyze should tell
  std::int64_t iterations = 0;        ///< of a do_while
  graph::kept_state* kept = nullptr;  ///< between a loop's iterations; null: not in a loop
  graph::row_store* store = nullptr;  ///< of rows that the operator can do without for a while
  bool in_windows = false;            ///< the input comes window by window
  std::int64_t window_rows = 0;       ///< that a window may have, before filters
  bool last_window = true;            ///< no other one is known to come
  asked_join* asked = nullptr;        ///< a join of the stage whose right side rests; null: none
  std::shared_ptr<const void> memory_owner{};  ///< keeps `memory` alive, for what outlives the run

  /// Bytes that can be had, those of rows that may go to the disk included.
  std::size_t available() const {
    return store != nullptr ? store->available() : memory.available();
  }
};

/// Room for the text that rows bring with them, which is told to the copies.
detail::buffer room_for_text(std::span<graph::row_store::copy> copies,
                             detail::memory_source& memory, std::string_view owner);

/// One step of an operator.
struct phase {
  enum class kind : std::uint8_t { launch, reduce };
  /// each_output: only where the input came window by window; called until it adds no more rows to
  /// the output, which may be another one each time.
  enum class when : std::uint8_t { each_window, at_end, each_output };
  std::string_view name;
  kind what;
  when called;
  void (*run)(run_context& context);
};

/// An operator's version for the CPU. A constant of the program.
struct cpu_operator {
  std::span<const phase> phases;  ///< in order
  /// Of operators that may stop early: whether the result is certain after the windows so far.
  bool (*done)(const run_context& context) = nullptr;
};

/// The steps of a node, in order. Empty where nobody runs it.
/// \param in_windows  its input comes window by window.
inline std::span<const phase> phases_of(const graph::node& n, bool in_windows) {
  const auto* by = n.op->run_by(n).cpu;
  if (by == nullptr || by->phases.empty()) return {};
  const bool yields = by->phases.back().called == phase::when::each_output;
  return yields && !in_windows ? by->phases.first(by->phases.size() - 1) : by->phases;
}

}  // namespace pappus::cpu_ops
