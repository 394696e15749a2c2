#include "cpu_ops/row_counts.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/failure.h"
#include "cpu_ops/shared_rows.h"

namespace pappus::cpu_ops {
namespace {

constexpr std::int64_t blocks_in_full = 16, block_stride = 17;
constexpr std::int64_t rows_in_full = blocks_in_full * detail::block_rows_max;

/// The first block beyond the first rows is one.
bool is_counted(std::int64_t block) {
  return block < blocks_in_full || block % block_stride == blocks_in_full % block_stride;
}

}  // namespace

row_counts::row_counts(const graph::node& n)
    : first_(static_cast<std::size_t>(n.stage.counts.operators) + 1), beyond_(first_.size()) {}

void row_counts::add_window(const run_context& context) {
  rows_ += context.rows;
  if (failed_ || context.rows == 0) return;
  constexpr auto block_rows = detail::block_rows_max;
  const std::int64_t begin = context.first_row, end = begin + context.rows;
  std::vector<std::int64_t> blocks;
  for (std::int64_t block = begin / block_rows; block * block_rows < end; ++block)
    if (is_counted(block)) blocks.push_back(block);
  try {
    detail::parallel_chunks(context.team, blocks.size(), [&](std::size_t item, unsigned) {
      const std::int64_t block = blocks[item], first = block * block_rows;
      count_block(context, std::max(first, begin) - begin,
                  std::min(first + block_rows, end) - begin,
                  block < blocks_in_full ? first_ : beyond_);
    });
  } catch (const cancelled&) {
    throw;
  } catch (...) {  // of a function that was called once more: the query has its result
    base::take_note();
    failed_ = true;
  }
}

void row_counts::count_block(const run_context& context, std::int64_t begin, std::int64_t end,
                             counters& to) {
  const auto& stage = context.node.stage;
  spread_rows(context, begin, end, [&](std::int64_t from, std::int64_t until) {
    counters own(to.size());
    const auto rest =
        for_each_fast_block(context, from, until, true, [&](const detail::block_args& args) {
          stage.counts.loop(stage.element.get(), args, own.data());
        });
    own[0] = rest.begin - from;  // with those that were left out as the first filter drops them
    const std::lock_guard lock(mutex_);
    std::ranges::transform(own, to, to.begin(), std::plus{});
    return rest;
  });
}

bool row_counts::exact() const noexcept { return rows_ <= rows_in_full; }

std::int64_t row_counts::records(int k) const {
  const auto at = static_cast<std::size_t>(k);
  if (beyond_[0] == 0) return first_[at];
  const double factor = static_cast<double>(rows_ - rows_in_full) / static_cast<double>(beyond_[0]);
  return first_[at] + std::llround(static_cast<double>(beyond_[at]) * factor);
}

}  // namespace pappus::cpu_ops
