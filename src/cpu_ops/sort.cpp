// Sorts the rows of a stage by their keys: in memory where that is enough, else in runs. Of each
// part that is sorted no more rows are kept than are read.
#include <algorithm>
#include <memory>
#include <utility>

#include "algorithms/rows_in.h"
#include "cpu_ops/limited_sort.h"
#include "cpu_ops/sorted_runs.h"
#include "ops/implementations.h"
#include "ops/large_windows.h"

namespace pappus::cpu_ops {
namespace {

/// Rows that can be sorted in memory at a time.
std::int64_t rows_that_fit(const run_context& context) {
  if (context.in_windows)  // so long windows are, of which filters may have left little
    return std::max(context.rows, context.window_rows);
  if (context.store == nullptr || !context.store->spills()) return INT64_MAX;
  const auto held = context.node.op->holds_of_window(context.node);
  const auto there = context.store->available();
  const auto rows = static_cast<double>(context.rows);
  if (rows * held.row + held.worker * context.team.count() <= static_cast<double>(there))
    return INT64_MAX;
  const double runs_and_result = 2 * rows * static_cast<double>(context.node.out.size);
  return ops::large_window_rows(there, runs_and_result, held, context.team.count());
}

void sort_window(run_context& context) {
  if (!context.in_windows)
    for (const auto& input : context.inputs) context.output->keep_text_of(*input);
  if (context.rows == 0 || context.limit == 0) return;
  const std::int64_t fitting = rows_that_fit(context);
  if (!context.in_windows && context.rows <= fitting) {
    auto sorted = sort_first(context, 0, context.rows);
    return append_buffer(*context.output, std::move(sorted.records), sorted.rows);
  }
  if (!context.state)
    context.state = std::make_shared<sorted_runs>(context, fitting, context.in_windows);
  auto& runs = *std::static_pointer_cast<sorted_runs>(context.state);
  for (std::int64_t begin = 0; begin < context.rows; begin += fitting) {
    runs.expect_more(context);
    const std::int64_t end = std::min(begin + fitting, context.rows);
    auto sorted = sort_first(context, begin, end);
    runs.add(context, std::move(sorted.records), sorted.rows);
    const double row = context.node.op->holds_of_window(context.node).row;
    if (end < context.rows || !context.last_window)  // the next will need as much
      context.store->expect(static_cast<std::size_t>(static_cast<double>(end - begin) * row),
                            context.owner);
  }
  if (context.in_windows) return;
  while (runs.next(context, *context.output)) {
  }
  context.note = runs.about();
}

void yield_range(run_context& context) {
  if (!context.state) return;
  auto& runs = *std::static_pointer_cast<sorted_runs>(context.state);
  if (!runs.next(context, *context.output)) context.note = runs.about();
}

constexpr phase sort_phases[] = {
    {"sort", phase::kind::launch, phase::when::each_window, sort_window},
    {"ranges in order", phase::kind::launch, phase::when::each_output, yield_range},
};

}  // namespace

const cpu_operator& sort_on_cpu() {
  static constexpr cpu_operator made{sort_phases};
  return made;
}

}  // namespace pappus::cpu_ops
