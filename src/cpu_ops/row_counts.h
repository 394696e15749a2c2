// The records between the operators of a fused stage, for explain_analyze.
//
// Once a stage has gone through its rows, or through a window of them, its count loop
// (detail/loops/count.h) goes through them again: through all of the first 65,536 and one block in
// 17 of those beyond, whatever windows there are. Periods of data are often powers of two: 17 has
// no such factor, so that blocks of one phase alone aren't chosen.
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "cpu_ops/contract.h"

namespace pappus::cpu_ops {

class row_counts {
 public:
  /// Of a stage that has a count loop.
  explicit row_counts(const graph::node& n);

  /// Goes through the rows of a window that the stage is done with. Uses all workers. What a user's
  /// function throws here is dropped, and nothing is known then; throws cancelled.
  void add_window(const run_context& context);

  bool known() const noexcept { return !failed_; }
  /// Whether all rows were counted.
  bool exact() const noexcept;
  std::int64_t rows() const noexcept { return rows_; }
  /// Records that the k-th counted operator yielded, from 1; estimated unless all were counted.
  std::int64_t records(int k) const;

 private:
  using counters = std::vector<std::int64_t>;  ///< as count_loop says
  /// Counts of the rows [begin, end) of the window: all of the first ones, or beyond.
  void count_block(const run_context& context, std::int64_t begin, std::int64_t end, counters& to);

  std::int64_t rows_ = 0;
  counters first_, beyond_;
  std::mutex mutex_;  ///< guards both
  bool failed_ = false;
};

}  // namespace pappus::cpu_ops
