// What a stage reads in step with the windows of its first input (zip): as many rows of each other
// input, as long as all have some.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "pappus/detail/base/chunks.h"
#include "run/executor.h"
#include "run/window_source.h"

namespace pappus::run {

class live_executor::inputs_in_step {
 public:
  inputs_in_step(live_executor& executor, plan::stage_index stage);
  /// Whether there can be anything to do for a stage's windows.
  static bool has(const plan::stage& s) { return s.inputs.size() > 1 || s.node->stage.rows >= 0; }

  /// The first so many rows of a window of the first input that the stage reads; sets the windows
  /// of the others, of as many rows.
  detail::rows_ptr take(const detail::rows_ptr& first, std::span<detail::rows_ptr> others);
  /// Whether one of them has no more rows: the stage has had all of its own.
  bool ended() const;

 private:
  detail::rows_ptr next(window_source& from, std::int64_t rows) const;

  live_executor& executor_;
  std::int64_t left_;  ///< rows that the stage may still read; negative: as many as come
  std::vector<std::unique_ptr<window_source>> others_;
};

}  // namespace pappus::run
