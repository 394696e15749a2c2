// A stage that runs on one or several devices: what goes in, where it runs, what came out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "chunk_loop/device_rows.h"
#include "codegen/element/read_bytes.h"
#include "graph/node.h"
#include "memory/pool.h"
#include "pappus/detail/base/parallel.h"

namespace pappus::chunk_loop {

/// Rows that go into a stage: on the host, on devices, or both.
struct stage_input {
  detail::rows_ptr host;
  device_rows_ptr device;
  const detail::record_type& layout() const { return host ? host->layout() : device->layout(); }
  std::int64_t rows() const { return host ? host->rows() : device->rows(); }
};

/// A stage to be run. One per stage and run.
struct stage_run {
  const graph::node& node;
  std::vector<stage_input> inputs;
  std::vector<detail::rows_ptr> sides;   ///< contiguous, on the host
  std::vector<device_session*> devices;  ///< at least one
  detail::workers& team;
  const std::shared_ptr<memory::pool>& host_memory;
  std::int64_t rows = 0;
  std::int64_t limit = INT64_MAX;  ///< rows of the result that are wanted, the first
  std::int64_t chunk_rows = 0;     ///< the user's choice; 0: by memory
  bool in_loop = false;  ///< an iteration of a do_while: later ones may read the same inputs
  bool stays = false;    ///< leave the result on the devices
  /// Has what a device must give up of that; null: it stays in the host's memory.
  graph::row_store* store = nullptr;
  /// Per input: the bytes of each record to upload. Empty: whole records of all inputs.
  std::vector<codegen::byte_ranges> parts{};
  /// Computes rows [first, first + rows) on the CPU, after a check of a user's function failed on a
  /// device. Throws what the function throws for the first row for which it throws. The result is
  /// empty for operators whose records exist only after the last row, such as folds.
  detail::rows_ptr (*rows_on_cpu)(const stage_run& run, std::int64_t first, std::int64_t rows);
  std::string owner;                ///< the stage's operators, for errors
  std::vector<std::byte> values{};  ///< captured, as they are at the beginning of this run
  bool traps = false;               ///< functions have checks that may fail

  // The result: one of the two.
  detail::rows_ptr host_rows{};
  device_rows_ptr device_rows_left{};
  std::string note{};                 ///< for explain_analyze
  std::vector<std::string> faults{};  ///< what went wrong and how it was dealt with
};

/// An empty row set for the stage's result on the host. It keeps alive what the result's records
/// may point into, such as strings.
std::shared_ptr<detail::row_set> empty_result(const stage_run& run);

/// Whether kernels use the host's rows of all inputs in place, so that nothing is uploaded.
bool inputs_in_place(const stage_run& run);

/// Fills in the captured values. Throws needs_cpu where they can't be read.
void take_values(stage_run& run);

/// Thrown for data that only the CPU can handle, or can refuse in the user's terms; the stage then
/// runs on the CPU.
struct needs_cpu {
  std::string reason;
};

}  // namespace pappus::chunk_loop
