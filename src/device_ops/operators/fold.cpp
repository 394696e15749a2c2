// Reduces a fused stage to one record: leaves of rows on devices, merged on the host.
//
// On a device that is like a CPU leaves are the CPU's (cpu_ops/fold.cpp), and so is the tree of
// additions. Others need much more to do at once and get smaller ones. States come back, and the
// reducer's own merge and finalize see them on the host when all chunks are done: functions of
// users' must not run while a device waits for them.
#include <algorithm>
#include <bit>
#include <map>
#include <mutex>
#include <vector>

#include <fmt/format.h>

#include "algorithms/rows_in.h"
#include "device_ops/contract.h"
#include "device_ops/host/host_stage.h"
#include "devices/host/entry.h"
#include "ops/fold.h"
#include "ops/fold_tree.h"
#include "ops/implementations.h"
#include "pappus/detail/base/integers.h"

namespace pappus::device_ops::on_host {
namespace {
#include "device_ops/text/fold.cl"
}  // namespace
}  // namespace pappus::device_ops::on_host

namespace pappus::device_ops {
namespace {

constexpr std::string_view fold_text = "device_ops/text/fold.cl";
constexpr kernel_entry fold_entry{"fold_rows", devices::host::entry<on_host::fold_rows>};

program fold_program(const graph::node& n) {
  return stage_program(
      n, fold_text, fmt::format("#define LANES {}\n", n.as<detail::fold_params>().reducer.lanes));
}

/// Rows of a leaf where lanes of leaves are work-items: as few as let a row's share of a state be
/// an eighth of a byte, within a factor of eight. With leaves of 4096 rows an H100 had 2048 items
/// for a chunk of 32 MiB of ints, and took 7.6 ms for 10^8 of them.
std::int64_t small_leaf_rows(const detail::reduce_kernel& reducer) {
  const std::int64_t unit = ops::fold_leaf_rows(reducer);
  const auto for_states = static_cast<std::int64_t>(std::bit_ceil(8 * reducer.state_size));
  return std::min(unit / 16, std::max(unit / 128, for_states));
}

class folding final : public chunk_operator {
 public:
  explicit folding(stage_run& run)
      : run_(run),
        reducer_(run.node.as<detail::fold_params>().reducer),
        code_(fold_program(run.node)),
        unit_rows_(ops::fold_leaf_rows(reducer_)),
        leaf_rows_(run.devices.front()->about().like_cpu ? unit_rows_ : small_leaf_rows(reducer_)),
        initial_(reducer_.state_size) {
    reducer_.init(reducer_.context.get(), initial_.data());
  }

  std::int64_t unit_rows() const override { return unit_rows_; }
  double row_bytes() const override {
    return static_cast<double>(reducer_.state_size) / static_cast<double>(leaf_rows_);
  }

  double chunk_bytes_preferred() const override {
    return inputs_in_place(run_) ? chunk_bytes_in_place : 0;
  }

  void enqueue(chunk_job& job) override {
    const auto leaves = detail::ceil_div(job.rows, leaf_rows_);
    const std::size_t bytes = static_cast<std::size_t>(leaves) * reducer_.state_size;
    std::byte* const room = room_for(job.first, bytes);
    const auto initial = job.memory_with(initial_.data(), initial_.size());
    const auto states = job.memory_for(room, bytes);
    const auto items =
        job.on.about().like_cpu ? leaves : leaves * static_cast<std::int64_t>(reducer_.lanes);
    job.launch(code_, fold_entry, static_cast<std::size_t>(items),
               {job.rows, leaf_rows_, *initial->memory, *states->memory,
                static_cast<std::int64_t>(reducer_.state_size)});
    job.read(*states->memory, 0, room, bytes);
  }
  void complete(chunk_job&) override {}
  bool looks_at_all_rows() const override { return !reducer_.saturated; }

  void finish() {
    ops::fold_tree leaves(reducer_, *run_.host_memory, run_.owner);
    for (const auto& [row, states] : leaves_) {
      auto number = row / leaf_rows_;
      for (std::size_t at = 0; at < states.size(); at += reducer_.state_size)
        leaves.add(number++, states.data() + at);
    }
    run_.host_rows = algorithms::rows_in(leaves.finish(), run_.node.out, 1, run_.host_memory);
  }

 private:
  std::byte* room_for(std::int64_t first_row, std::size_t bytes) {
    detail::buffer states(*run_.host_memory, bytes, run_.owner);
    const std::lock_guard lock(mutex_);
    return leaves_.insert_or_assign(first_row, std::move(states)).first->second.data();
  }

  stage_run& run_;
  const detail::reduce_kernel& reducer_;
  const program code_;
  const std::int64_t unit_rows_, leaf_rows_;
  std::vector<std::byte> initial_;
  std::mutex mutex_;
  std::map<std::int64_t, detail::buffer> leaves_;  // of chunks, by first row
};

class fold_operator final : public device_operator {
 public:
  ops::answer supports(const graph::node&, bool) const override { return {}; }
  void run(stage_run& stage) const override {
    folding with(stage);
    stream_chunks(stage, with);
    with.finish();
  }
  program main_program(const graph::node& n) const override { return fold_program(n); }
  kernel_entry main_entry(const graph::node&) const override { return fold_entry; }
};

}  // namespace

const device_operator& fold_on_devices() {
  static const fold_operator entry;
  return entry;
}

}  // namespace pappus::device_ops
