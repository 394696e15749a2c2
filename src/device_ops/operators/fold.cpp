// Reduces a fused stage to one record: leaves of rows on devices, merged on the host.
//
// On a device that is like a CPU leaves are the CPU's (cpu_ops/fold.cpp), and so is the tree of
// additions. Others need much more to do at once and get smaller ones. States come back, and the
// reducer's own merge and finalize see them on the host when all chunks are done: functions of
// users' must not run while a device waits for them.
#include <algorithm>
#include <bit>
#include <cstring>
#include <iterator>
#include <map>
#include <mutex>
#include <vector>

#include <fmt/format.h>

#include "algorithms/rows_in.h"
#include "chunk_loop/blocks.h"
#include "device_ops/contract.h"
#include "device_ops/host/host_stage.h"
#include "devices/host/entry.h"
#include "ops/fold.h"
#include "ops/fold_tree.h"
#include "ops/implementations.h"
#include "pappus/detail/base/integers.h"
#include "pappus/detail/base/parallel.h"

namespace pappus::device_ops::on_host {
namespace {
#include "device_ops/text/fold.cl"
}  // namespace
}  // namespace pappus::device_ops::on_host

namespace pappus::device_ops {
namespace {

constexpr std::string_view fold_text = "device_ops/text/fold.cl";
constexpr kernel_entry fold_entry{"fold_rows", devices::host::entry<on_host::fold_rows>};

/// Leaves that share a stretch of rows, dealt out one by one, where devices aren't like a CPU: so
/// neighbouring work-items read neighbouring rows, as those of lanes do.
std::int64_t neighbours(const detail::reduce_kernel& reducer) {
  return reducer.commutative && reducer.lanes == 1 ? 32 : 1;
}

program fold_program(const graph::node& n) {
  const auto& reducer = n.as<detail::fold_params>().reducer;
  return stage_program(
      n, fold_text,
      fmt::format("#define LANES {}\n#define NEIGHBOURS {}\n", reducer.lanes, neighbours(reducer)));
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
        leaf_rows_(run.devices.front()->about().like_cpu ? ops::fold_leaf_rows(reducer_)
                                                         : small_leaf_rows(reducer_)),
        together_(has_item_blocks(*run.devices.front()) ? 1 : neighbours(reducer_)),
        unit_rows_(std::max(ops::fold_leaf_rows(reducer_), leaf_rows_ * together_)),
        initial_(reducer_.state_size) {
    reducer_.init(reducer_.context.get(), initial_.data());
  }

  std::int64_t unit_rows() const override { return unit_rows_; }
  double row_bytes() const override {
    return static_cast<double>(reducer_.state_size) / static_cast<double>(leaf_rows_);
  }

  double chunk_bytes_preferred() const override {
    if (!has_item_blocks(*run_.devices.front())) return chunk_bytes_far_away;
    return inputs_in_place(run_) ? chunk_bytes_in_place : 0;
  }

  void enqueue(chunk_job& job) override {
    const auto leaves = detail::ceil_div(job.rows, leaf_rows_ * together_) * together_;
    const std::size_t bytes = static_cast<std::size_t>(leaves) * reducer_.state_size;
    std::byte* const room = room_for(job.first, bytes);
    const auto initial = job.memory_with(initial_.data(), initial_.size());
    const auto states = job.memory_for(room, bytes);
    const auto items =
        has_item_blocks(job.on) ? leaves : leaves * static_cast<std::int64_t>(reducer_.lanes);
    job.launch(code_, fold_entry, static_cast<std::size_t>(items),
               {job.rows, leaf_rows_, *initial->memory, *states->memory,
                static_cast<std::int64_t>(reducer_.state_size)});
    job.read(*states->memory, 0, room, bytes);
  }
  void complete(chunk_job&) override {}
  bool looks_at_all_rows() const override { return !reducer_.saturated; }

  /// Nodes of the tree are merged side by side, and then these in the same way.
  void finish() {
    constexpr std::int64_t node_leaves =
        ops::fold_tree::fan_in * ops::fold_tree::fan_in * ops::fold_tree::fan_in;
    const auto count = leaves();
    const auto nodes = static_cast<std::size_t>(detail::ceil_div(count, node_leaves));
    detail::buffer states(*run_.host_memory, nodes * reducer_.state_size, run_.owner);
    detail::parallel_chunks(run_.team, nodes, [&](std::size_t node, unsigned) {
      const auto first = static_cast<std::int64_t>(node) * node_leaves;
      ops::fold_tree tree(reducer_, *run_.host_memory, run_.owner);
      for_leaves(first, std::min(first + node_leaves, count),
                 [&](std::int64_t leaf, const std::byte* state) { tree.add(leaf - first, state); });
      std::memcpy(states.data() + node * reducer_.state_size, tree.merged(), reducer_.state_size);
    });
    ops::fold_tree all(reducer_, *run_.host_memory, run_.owner);
    for (std::size_t node = 0; node < nodes; ++node)
      all.add(static_cast<std::int64_t>(node), states.data() + node * reducer_.state_size);
    run_.host_rows = algorithms::rows_in(all.finish(), run_.node.out, 1, run_.host_memory);
  }

 private:
  std::int64_t leaves_of(const detail::buffer& states) const {
    return static_cast<std::int64_t>(states.size() / reducer_.state_size);
  }
  /// Of all rows. Those of the last may be none, for leaves share rows.
  std::int64_t leaves() const {
    if (leaves_.empty()) return 0;
    const auto& [row, states] = *leaves_.rbegin();
    return row / leaf_rows_ + leaves_of(states);
  }
  /// f(leaf, its state) for leaves [begin, end).
  template <typename F>
  void for_leaves(std::int64_t begin, std::int64_t end, F&& f) const {
    for (auto chunk = std::prev(leaves_.upper_bound(begin * leaf_rows_));
         begin < end && chunk != leaves_.end(); ++chunk) {
      const auto& [row, states] = *chunk;
      const auto first = row / leaf_rows_, last = std::min(end, first + leaves_of(states));
      for (; begin < last; ++begin)
        f(begin, states.data() + static_cast<std::size_t>(begin - first) * reducer_.state_size);
    }
  }

  std::byte* room_for(std::int64_t first_row, std::size_t bytes) {
    detail::buffer states(*run_.host_memory, bytes, run_.owner);
    const std::lock_guard lock(mutex_);
    return leaves_.insert_or_assign(first_row, std::move(states)).first->second.data();
  }

  stage_run& run_;
  const detail::reduce_kernel& reducer_;
  const program code_;
  const std::int64_t leaf_rows_;
  const std::int64_t together_;   // leaves that share a stretch of rows
  const std::int64_t unit_rows_;  // stretches end where chunks do
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
