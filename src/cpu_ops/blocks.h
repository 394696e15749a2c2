// Walks the rows of a stage block by block.
//
// A stage reads several row sets in step, and each is cut into chunks at other places. A block is a
// run of rows that is contiguous in all of them and at most block_rows_max long. Between blocks the
// walk looks whether the query was cancelled, and how long they take (pace.h).
//
// Records that have no chunks are made a block at a time, in memory that stays in the L1 cache.
// Those that were left out, as a filter would drop them, are in no block.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "cpu_ops/contract.h"
#include "cpu_ops/made_blocks.h"
#include "cpu_ops/pace.h"

namespace pappus::cpu_ops {

/// Calls f(const block_args&) for rows [begin, end) of the window, in order, until they prove slow;
/// returns those that are left. Block rows are numbered over the whole stage.
template <typename F>
slow_rows for_each_fast_block(const run_context& context, std::int64_t begin, std::int64_t end,
                              bool may_stop, F&& f) {
  struct position {
    const detail::row_set* set;
    std::size_t chunk;
  };
  const std::size_t inputs = context.inputs.size();
  std::array<position, 4> few_positions;  // most stages read one set
  std::array<const std::byte*, 4> few_pointers;
  std::vector<position> many_positions(inputs > 4 ? inputs : 0);
  std::vector<const std::byte*> many_pointers(inputs > 4 ? inputs : 0);
  position* at = inputs > 4 ? many_positions.data() : few_positions.data();
  const std::byte** pointers = inputs > 4 ? many_pointers.data() : few_pointers.data();
  for (std::size_t i = 0; i < inputs; ++i) {
    const auto* set = context.inputs[i].get();
    at[i] = {set, set->find(begin)};
  }
  made_blocks made(context.inputs);
  pace speed(context, begin);
  for (std::int64_t row = begin; row < end && !context.team.stopping();) {
    const auto alike = made.next(row, end);
    if (alike.left_out) {
      speed.pass_over(alike.end - row);
      row = alike.end;
      continue;
    }
    std::int64_t n = std::min({speed.block_rows(row), alike.end - row, made.rows_max()});
    for (std::size_t i = 0; i < inputs; ++i) {
      if (at[i].set->maker() != nullptr) continue;
      const auto& chunks = at[i].set->chunks();
      while (row >= chunks[at[i].chunk].first + chunks[at[i].chunk].rows) ++at[i].chunk;
      const auto& chunk = chunks[at[i].chunk];
      n = std::min(n, chunk.first + chunk.rows - row);
      pointers[i] =
          chunk.data + static_cast<std::size_t>(row - chunk.first) * at[i].set->layout().size;
    }
    made.make(row, n, pointers);
    f(detail::block_args{pointers, context.sides.data(), context.first_row + row, n,
                         &context.team});
    row += n;
    if (row < end && speed.done(row) && may_stop && worth_sharing(context, end - row, speed))
      return {row, end, speed.row_ns()};
  }
  return {end, end, 0};
}

/// The same to the end, whatever it takes.
template <typename F>
void for_each_block(const run_context& context, std::int64_t begin, std::int64_t end, F&& f) {
  for_each_fast_block(context, begin, end, false, f);
}

}  // namespace pappus::cpu_ops
