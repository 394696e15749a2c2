// Reduces a fused stage to one record.
//
// The result must not depend on threads, chunk sizes or windows. Rows are cut into leaves of a
// fixed number of rows, counted from the first row of the stage; each leaf is accumulated in row
// order by one worker, and leaves are merged in the order of algorithms/leaf_tree.h. A window may
// end in the middle of a leaf: its state is then carried into the next window. Large states get
// longer leaves, so that all leaves of a window together stay small.
//
// Reducers that can be done early (first, any, all) let later leaves be skipped: whatever those
// hold, merging it would change nothing.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <vector>

#include "algorithms/rows_in.h"
#include "cpu_ops/contract.h"
#include "cpu_ops/fold_join.h"
#include "cpu_ops/slow_fold.h"
#include "ops/fold.h"
#include "ops/fold_tree.h"
#include "ops/implementations.h"

namespace pappus::cpu_ops {

namespace {

using detail::fold_params;

struct fold_state {
  explicit fold_state(const run_context& context)
      : leaves(context.node.as<fold_params>().reducer, context.memory, context.owner) {}

  ops::fold_tree leaves;
  std::int64_t next_leaf = 0;
  detail::buffer carry;  // the leaf the last window ended in
  bool has_carry = false;
};

/// Accumulates rows [begin, end) of the window. True when no further row can change the leaf.
bool accumulate_leaf(const run_context& context, std::int64_t begin, std::int64_t end,
                     std::byte* leaf) {
  const auto& params = context.node.as<fold_params>();
  const auto saturated = params.reducer.saturated;
  bool done = saturated != nullptr && saturated(leaf);
  bool may_share = true;
  for (slow_rows rest{begin, end}; rest.any() && !done;) {
    rest = for_each_fast_block(context, rest.begin, rest.end, may_share,
                               [&](const detail::block_args& args) {
                                 if (done) return;
                                 params.loop(context.node.stage.element.get(), args, leaf);
                                 done = saturated != nullptr && saturated(leaf);
                               });
    if (!rest.any() || done) break;
    rest = fold_slow_rows(context, rest, leaf);
    done = saturated != nullptr && saturated(leaf);
    may_share = rest.row_ns > 0;
  }
  return done;
}

/// Accumulates rows [from, to) of the window: at most ops::fold_leaves_max leaves, the last one
/// maybe in part.
void accumulate_rows(run_context& context, fold_state& state, std::int64_t from, std::int64_t to) {
  const auto& params = context.node.as<fold_params>();
  const auto& reducer = params.reducer;
  const std::int64_t per_leaf = ops::fold_leaf_rows(reducer), first_row = context.first_row;
  const std::int64_t begin = first_row + from, end = first_row + to;
  const std::int64_t first_leaf = begin / per_leaf, leaves = (end - 1) / per_leaf - first_leaf + 1;
  const std::size_t stride = ops::fold_state_bytes(reducer);
  detail::buffer states(context.memory, static_cast<std::size_t>(leaves) * stride, context.owner);
  std::atomic<std::int64_t> last_needed{leaves};  // leaves after this one can't change the result

  detail::parallel_chunks(
      context.team, static_cast<std::size_t>(leaves), [&](std::size_t item, unsigned) {
        const auto index = static_cast<std::int64_t>(item);
        std::byte* leaf = states.data() + item * stride;
        const std::int64_t leaf_begin = (first_leaf + index) * per_leaf;
        if (leaf_begin < begin && state.has_carry)
          std::memcpy(leaf, state.carry.data(), reducer.state_size);
        else
          reducer.init(reducer.context.get(), leaf);
        if (index > last_needed.load(std::memory_order_relaxed)) return;
        if (accumulate_leaf(context, std::max(leaf_begin, begin) - first_row,
                            std::min(leaf_begin + per_leaf, end) - first_row, leaf)) {
          auto last = last_needed.load(std::memory_order_relaxed);
          while (index < last && !last_needed.compare_exchange_weak(last, index)) {
          }
        }
      });

  state.has_carry = end % per_leaf != 0;
  const std::int64_t complete = leaves - (state.has_carry ? 1 : 0);
  for (std::int64_t i = 0; i < complete; ++i)
    state.leaves.add(first_leaf + i, states.data() + static_cast<std::size_t>(i) * stride);
  state.next_leaf = first_leaf + complete;
  if (state.has_carry) {
    if (state.carry.data() == nullptr)
      state.carry = detail::buffer(context.memory, stride, context.owner);
    std::memcpy(state.carry.data(), states.data() + static_cast<std::size_t>(complete) * stride,
                reducer.state_size);
  }
}

/// Adds how many of the window's rows count. False where they must be looked at.
bool add_counts(const run_context& context, std::byte* leaf) {
  const auto& counted = context.node.as<fold_params>().counted;
  if (counted.add == nullptr) return false;
  const auto& rows = *context.inputs.front();
  const auto* const missing = rows.missing();
  if (missing == nullptr) return false;
  std::vector<std::int64_t> counts;
  for (const auto presence : counted.presences) {
    const auto lack = presence == 0 ? 0 : missing->of(presence);
    if (!lack) return false;
    counts.push_back(rows.rows() - *lack);
  }
  counted.add(counts.data(), leaf);
  return true;
}

/// Rows whose records may come in any order become part of the leaf that they end in. False where
/// they are better taken in order.
bool accumulate_in_any_order(run_context& context, fold_state& state) {
  const auto& params = context.node.as<fold_params>();
  if (params.counted.add == nullptr && params.by_region.partition == nullptr) return false;
  const auto& reducer = params.reducer;
  detail::buffer all(context.memory, ops::fold_state_bytes(reducer), context.owner);
  if (state.has_carry)
    std::memcpy(all.data(), state.carry.data(), reducer.state_size);
  else
    reducer.init(reducer.context.get(), all.data());
  if (add_counts(context, all.data()))
    context.note = "counted while they were read";
  else if (params.by_region.partition != nullptr && fold_by_region(context, all.data()))
    context.note = "left records in the order of the join's index";
  else
    return false;
  const std::int64_t end = context.first_row + context.rows;
  const std::int64_t per_leaf = ops::fold_leaf_rows(reducer);
  state.next_leaf = end / per_leaf;
  state.has_carry = end % per_leaf != 0;
  if (state.has_carry)
    state.carry = std::move(all);
  else
    state.leaves.add(state.next_leaf - 1, all.data());
  return true;
}

void accumulate(run_context& context) {
  const auto& reducer = context.node.as<fold_params>().reducer;
  if (!context.state) context.state = std::make_shared<fold_state>(context);
  auto& state = *static_cast<fold_state*>(context.state.get());
  if (context.node.op->keeps_text(context.node))
    for (const auto& input : context.inputs) context.output->keep_owners_of(*input);
  if (accumulate_in_any_order(context, state)) return;
  const std::int64_t per_leaf = ops::fold_leaf_rows(reducer), first_row = context.first_row;
  for (std::int64_t from = 0, to; from < context.rows; from = to) {
    if (state.leaves.saturated()) return;
    to = ((first_row + from) / per_leaf + ops::fold_leaves_max) * per_leaf - first_row;
    to = std::min(to, context.rows);
    accumulate_rows(context, state, from, to);
  }
}

void finish(run_context& context) {
  auto& state = *static_cast<fold_state*>(context.state.get());
  if (state.has_carry) state.leaves.add(state.next_leaf, state.carry.data());
  append_buffer(*context.output, state.leaves.finish(), 1);
}

/// Whether the result is certain after the windows so far.
bool fold_done(const run_context& context) {
  const auto saturated = context.node.as<fold_params>().reducer.saturated;
  const auto* state = static_cast<const fold_state*>(context.state.get());
  if (saturated == nullptr || state == nullptr) return false;
  return state->leaves.saturated() || (state->has_carry && saturated(state->carry.data()));
}

constexpr phase fold_phases[] = {
    {"accumulate", phase::kind::launch, phase::when::each_window, accumulate},
    {"merge leaves", phase::kind::reduce, phase::when::at_end, finish},
};

}  // namespace

const cpu_operator& fold_on_cpu() {
  static constexpr cpu_operator made{fold_phases, fold_done};
  return made;
}

}  // namespace pappus::cpu_ops
