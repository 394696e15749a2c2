// How long rows take, as learned while they are worked on.
//
// A user's function may take a nanosecond a row or a second. Blocks begin with one row and grow
// while they are fast, so that a query can be cancelled soon, and an item whose rows are slow is
// noticed after its first: then other workers should help with what is left of it
// (shared_rows.h). Full blocks that are fast are timed in fours: the clock would cost more than it
// tells.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>

#include "cpu_ops/contract.h"

namespace pappus::cpu_ops {

/// For tests, which don't wait: the nanoseconds that the row of a stage is taken to need, whatever
/// the clock says; null: the clock decides.
using pretended_time = double (*)(std::int64_t row);
extern std::atomic<pretended_time> pretended_row_ns;

/// Functions of blocks have a cost a call, too.
inline constexpr std::int64_t batched_rows = 64;

/// Rows of an item that are left, because they take so long that others should help with them.
struct slow_rows {
  std::int64_t begin = 0, end = 0;  ///< of the window
  double row_ns = 0;                ///< what the last ones took each
  bool any() const { return begin < end; }
};

class pace {
 public:
  /// Rows that take less aren't worth handing around.
  static constexpr double slow_row_ns = 250;
  static constexpr double slow_block_ns = 100e3;
  /// A piece of work that is shared takes about so long.
  static constexpr double piece_ns = 200e3;

  /// For rows from `begin` of the window on.
  pace(const run_context& context, std::int64_t begin)
      : context_(context),
        begin_(begin),
        looked_at_(begin),
        most_(std::min(detail::block_rows_max, context.morsel_rows)),
        longest_(std::min<std::int64_t>(context.node.stage.batched ? batched_rows : 1, most_)),
        last_(clock::now()) {}

  /// Rows of the block that begins with `row`: blocks end at multiples of their length.
  std::int64_t block_rows(std::int64_t row) const { return longest_ - (row - begin_) % longest_; }

  /// Rows before `row` are done. True when they were slow.
  bool done(std::int64_t row) {
    if (longest_ == most_ && ++unseen_blocks_ < 4) return false;
    return look(row);
  }
  /// So many rows that come next take no time.
  void pass_over(std::int64_t rows) { looked_at_ += rows; }
  double row_ns() const { return row_ns_; }

 private:
  using clock = std::chrono::steady_clock;

  bool look(std::int64_t row) {
    const auto now = clock::now();
    const auto rows = static_cast<double>(row - looked_at_);
    double ns = std::chrono::duration<double, std::nano>(now - last_).count();
    if (const auto pretended = pretended_row_ns.load(std::memory_order_relaxed)) [[unlikely]]
      ns = rows * pretended(context_.first_row + looked_at_);
    row_ns_ = ns / rows;
    last_ = now;
    looked_at_ = row;
    unseen_blocks_ = 0;
    constexpr std::int64_t growth = 64;
    if (ns < slow_block_ns)
      longest_ = std::min(longest_ * growth, most_);
    else if (row_ns_ * static_cast<double>(longest_) > growth * slow_block_ns)
      longest_ = std::max<std::int64_t>(longest_ / growth, 1);
    return ns >= slow_block_ns && row_ns_ >= slow_row_ns;
  }

  const run_context& context_;
  const std::int64_t begin_;
  std::int64_t looked_at_;
  const std::int64_t most_;
  std::int64_t longest_;
  int unseen_blocks_ = 0;
  double row_ns_ = 0;
  clock::time_point last_;
};

/// Whether others are to help with `rows` rows.
inline bool worth_sharing(const run_context& context, std::int64_t rows, const pace& speed) {
  return context.team.count() > 1 && static_cast<double>(rows) * speed.row_ns() >= pace::piece_ns &&
         (!context.node.stage.batched || rows >= batched_rows);
}

}  // namespace pappus::cpu_ops
