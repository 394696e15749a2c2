// What the live executor keeps of a stage while a query runs.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "cpu_ops/row_counts.h"
#include "run/executor.h"
#include "run/parts_of_rows.h"

namespace pappus::run {

struct live_executor::slot {
  detail::rows_ptr rows;
  chunk_loop::device_rows_ptr device_rows;  // where they were left on devices
  std::int64_t row_count = 0;
  double seconds = 0;           // of its tasks so far
  std::int64_t iterations = 0;  // of a do_while
  bool moved_to_cpu = false;    // the devices failed or, as it turned out, can't run it
  std::shared_ptr<detail::row_set> output;
  std::optional<parts_of_rows> to_parts;    // what the stage makes, where it is kept in parts
  std::shared_ptr<graph::kept_rows> parts;  // its rows then
  std::vector<detail::rows_ptr> inputs;
  std::vector<detail::side> sides;
  std::vector<detail::rows_ptr> side_rows;  // keeps contiguous copies alive
  std::optional<cpu_ops::run_context> context;
  std::optional<cpu_ops::row_counts> counts;  // where they were asked for
};

}  // namespace pappus::run
