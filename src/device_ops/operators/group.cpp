// group_by and distinct on devices: leaves of rows are reduced there (text/group.cl) and merged on
// the host (group_merge.h).
//
// Where the domain is known and its table small, leaves are the CPU's and so is every addition, but
// on devices that aren't like a CPU: these have shorter ones (group_sizes.h). Devices fill tables
// directly; those that aren't like a CPU sort leaves of many groups or large values.
//
// Otherwise a leaf has as many rows as make its scratch a moderate, fixed size: more rows a leaf
// leave the host less to merge, but must fit a small device's memory twice. Within a leaf a group
// is reduced in row order. Leaves that are sorted run one after another and use the same scratch,
// so only their groups make a chunk larger. The host waits for each: it must know how many rows
// were kept and how many groups there are. A device that isn't like a CPU would have little to do
// at a time: it sorts all leaves of a chunk at once, by leaf and key, unless keys have 8 bytes. If
// it has much memory, and the reducer is exact, a chunk is a leaf, whose long groups are cut.
//
// Devices that are like a CPU first try a hash table a leaf, one work-item each: few groups are
// found in one pass. What a table has no room for is sorted. Both reduce a group of a leaf in row
// order, so its state doesn't depend on the way: that is a question of speed. Where the tables
// of the chunk before sufficed, the host doesn't wait for those of the next.
//
// Alternatives: one sort a chunk by key alone would save a pass, but where chunks end would change
// sums.
//
// Not here: strings and keys of 16 bytes; stages that yield many records a row.
#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "chunk_loop/blocks.h"
#include "device_ops/algorithms/primitives.h"
#include "device_ops/host/host_groups.h"
#include "device_ops/operators/group_lists.h"
#include "device_ops/operators/group_merge.h"
#include "device_ops/operators/group_sizes.h"
#include "devices/host/entry.h"
#include "ops/implementations.h"
#include "pappus/detail/base/integers.h"

namespace pappus::device_ops::on_host::group_keys_of_4 {
namespace {
using group_key = uint;
#include "device_ops/text/group.cl"
}  // namespace
}  // namespace pappus::device_ops::on_host::group_keys_of_4
namespace pappus::device_ops::on_host::group_keys_of_8 {
namespace {
using group_key = ulong;
#include "device_ops/text/group.cl"
}  // namespace
}  // namespace pappus::device_ops::on_host::group_keys_of_8

namespace pappus::device_ops {
namespace {

namespace host = devices::host;
using detail::group_params;

constexpr std::string_view group_text = "device_ops/text/group.cl";

struct group_kernels {
  kernel_entry tables, hash_tables, extract, pack, fold, fold_long;
};

const group_kernels& kernels_of(const group_params& params) {
  using namespace on_host;
  static constexpr group_kernels narrow{
      {"add_to_tables", host::entry<group_keys_of_4::add_to_tables>},
      {"add_to_hash_tables", host::entry<group_keys_of_4::add_to_hash_tables>},
      {"extract_rows", host::entry<group_keys_of_4::extract_rows>},
      {"pack_keys", host::entry<group_keys_of_4::pack_keys>},
      {"fold_groups", host::entry<group_keys_of_4::fold_groups>},
      {"fold_long_groups", host::entry<group_keys_of_4::fold_long_groups>}};
  static constexpr group_kernels wide{
      {"add_to_tables", host::entry<group_keys_of_8::add_to_tables>},
      {"add_to_hash_tables", host::entry<group_keys_of_8::add_to_hash_tables>},
      {"extract_rows", host::entry<group_keys_of_8::extract_rows>},
      {"pack_keys", host::entry<group_keys_of_8::pack_keys>},
      {"fold_groups", host::entry<group_keys_of_8::fold_groups>},
      {"fold_long_groups", host::entry<group_keys_of_8::fold_long_groups>}};
  return params.key_bytes == 4 ? narrow : wide;
}

program group_program(const graph::node& n) {
  const auto& params = n.as<group_params>();
  const auto defines = fmt::format(
      "#define WITH_VALUES {}\n#define ANY_KEY {}\n#define TABLE_STATES {}\n"
      "#define GROUP_TILE {}\n#define TABLE_LEAVES {}\n#define KEY_BYTES {}\n",
      params.payload_bytes != 0 ? 1 : 0, params.domain < 0 ? 1 : 0, private_table(params),
      tile_rows(params), table_leaves(params), params.key_bytes);
  return stage_program(n, group_text, defines);
}

constexpr const char* outside_domain = "a key lies outside its domain, or its function threw";

class grouping : public chunk_operator {
 public:
  grouping(stage_run& run, bool large_leaves)
      : run_(run),
        params_(run.node.as<group_params>()),
        code_(group_program(run.node)),
        kernels_(kernels_of(params_)),
        leaf_rows_(leaf_rows(run.node, run.rows, *run.devices.front(), large_leaves)),
        last_key_(params_.domain > 0 ? static_cast<std::uint64_t>(params_.domain - 1)
                                     : std::numeric_limits<std::uint64_t>::max()) {}
  std::int64_t unit_rows() const override { return leaf_rows_; }

 protected:
  std::int64_t leaf_of(std::int64_t row) const { return row / leaf_rows_; }
  /// Bytes of a chunk with so many leaves for each core, where a leaf is a work-item's.
  double bytes_of_leaves(double of_a_core) const {
    std::size_t cores = 0;
    for (const auto* device : run_.devices)
      cores = std::max<std::size_t>(cores, device->about().compute_units);
    double row = row_bytes();
    for (const auto& input : run_.inputs) row += static_cast<double>(input.layout().size);
    return (of_a_core * static_cast<double>(cores) * static_cast<double>(leaf_rows_) + 1) * row;
  }
  std::int64_t state_bytes() const { return static_cast<std::int64_t>(params_.state_bytes); }
  memory::device_buffer_ptr upload_initial(chunk_job& job) const {
    return job.memory_with(params_.initial.get(), params_.state_bytes);
  }
  detail::buffer on_host(std::size_t bytes) const { return {*run_.host_memory, bytes, run_.owner}; }

  stage_run& run_;
  const group_params& params_;
  const program code_;
  const group_kernels& kernels_;
  const std::int64_t leaf_rows_;
  const std::uint64_t last_key_;
};

/// A leaf fills a table.
class table_grouping final : public grouping {
 public:
  explicit table_grouping(stage_run& run) : grouping(run, false), merger_(run) {}

  double row_bytes() const override {
    return static_cast<double>(algorithms::group_table_bytes(params_)) /
           static_cast<double>(leaf_rows_);
  }
  /// Enough leaves for the cores to be done at nearly the same time.
  double chunk_bytes_preferred() const override {
    if (!std::ranges::all_of(run_.devices, [](const auto* on) { return has_item_blocks(*on); }))
      return chunk_bytes_far_away;
    const double in_place = inputs_in_place(run_) ? chunk_bytes_in_place / bytes_of_leaves(1) : 0;
    return bytes_of_leaves(std::max(8.0, std::floor(in_place)));
  }

  void enqueue(chunk_job& job) override {
    auto leaves = std::make_shared<tables>();
    job.state = leaves;
    const auto count = static_cast<std::size_t>(detail::ceil_div(job.rows, leaf_rows_));
    const std::size_t bytes = count * algorithms::group_table_bytes(params_);
    leaves->host = on_host(bytes);
    leaves->faults.resize(count);
    const auto initial = upload_initial(job);
    const auto states = job.memory_for(leaves->host.data(), bytes);
    const auto faults = job.memory_for(leaves->faults.data(), count * sizeof(std::uint32_t));
    const bool by_group = !has_item_blocks(job.on);
    auto entry = kernels_.tables;
    entry.group = by_group ? group_items : 0;
    const auto items =
        by_group ? detail::ceil_div(count, table_leaves(params_)) * group_items : count;
    job.launch(code_, entry, items,
               {job.rows, leaf_rows_, last_key_, initial->memory, states->memory, faults->memory,
                state_bytes()});
    job.read(*states->memory, 0, leaves->host.data(), bytes);
    job.read(*faults->memory, 0, leaves->faults.data(), count * sizeof(std::uint32_t));
  }

  void complete(chunk_job& job) override {
    auto& leaves = *static_cast<tables*>(job.state.get());
    for (const auto fault : leaves.faults)
      if (fault != 0) throw needs_cpu{outside_domain};
    merger_.add_tables(leaf_of(job.first), std::move(leaves.host),
                       static_cast<std::int64_t>(leaves.faults.size()));
  }
  void finish() { merger_.finish(); }

 private:
  struct tables {
    detail::buffer host;
    std::vector<std::uint32_t> faults;
  };
  table_merger merger_;
};

/// A leaf goes through a hash table, or is sorted by key.
class leaf_grouping final : public grouping {
 public:
  leaf_grouping(stage_run& run, group_merger& merger, bool large_leaves)
      : grouping(run, large_leaves),
        merger_(merger),
        room_max_(hash_table_room(params_, leaf_rows_)),
        by_block_(has_item_blocks(*run.devices.front())),
        at_once_(params_.key_bytes == 4 && !by_block_),
        cut_(large_leaves ? piece_rows : 0) {}

  double row_bytes() const override {
    // Keys are sorted with their leaf; groups' keys, and rows packed where some are dropped, too.
    constexpr double wider_keys = 3 * 4, packed_keys = 8;
    return group_bytes(params_) +
           (at_once_ ? scratch_row_bytes(params_) + wider_keys + packed_keys + place_bytes : 0);
  }
  /// Leaves of tables are as large as caches allow: with more of them, rows wouldn't stay there.
  double chunk_bytes_preferred() const override {
    constexpr double sorted_at_once = 512 << 20;
    if (cut_ != 0) return 0;  // a leaf
    if (at_once_) return sorted_at_once;
    return room_max_ > 0 && by_block_ ? bytes_of_leaves(1) : 0;
  }
  double chunk_bytes() const override {
    if (at_once_) return 0;
    const auto rows = std::min(run_.rows, leaf_rows_);
    return (scratch_row_bytes(params_) + (by_block_ ? 0 : place_bytes)) * static_cast<double>(rows);
  }

  void enqueue(chunk_job& job) override {
    auto state = std::make_shared<work>();
    job.state = state;  // what is enqueued needs it, whatever goes wrong
    state->initial = upload_initial(job);
    state->leaves.resize(static_cast<std::size_t>(detail::ceil_div(job.rows, leaf_rows_)));
    if (room_max_ > 0 && by_block_) {
      const auto likely = likely_room_.load();
      fill_tables(job, *state, likely > 0 ? likely : room_max_);
      if (likely > 0) return;
      job.wait();
    }
    sort_others(job, *state);
  }

  void complete(chunk_job& job) override {
    auto& state = *static_cast<work*>(job.state.get());
    if (!state.others_sorted && sort_others(job, state)) job.wait();
    if (at_once_)
      state.leaves = of_leaves(params_, std::move(state.all), state.leaves.size(), run_.team,
                               *run_.host_memory, run_.owner);
    for (std::size_t i = 0; i < state.leaves.size(); ++i) {
      if (has_table(state, i)) take_table(state, i);
      auto& groups = state.leaves[i];
      if (cut_ != 0) groups = whole_groups(params_, std::move(groups));
      merger_.add(leaf_of(job.first) + static_cast<std::int64_t>(i), std::move(groups));
    }
  }

 private:
  struct work {
    memory::device_buffer_ptr initial;
    kept_buffers scratch;  // of one leaf
    memory::device_buffer_ptr keys, positions, values;
    segments found;
    kept_buffers results;               // that are being read
    std::vector<sorted_groups> leaves;  // of the chunk
    sorted_groups all;                  // of all leaves at once: keys of 8 bytes, by leaf and key

    std::int64_t room = 0;  // for groups, in a leaf's hash table; 0: there are no tables
    memory::device_buffer_ptr device_counts;
    std::vector<std::uint32_t> counts;        // of groups
    detail::buffer table_keys, table_states;  // of all leaves
    bool others_sorted = false;
  };

  std::size_t sorted_key_bytes() const { return at_once_ ? 8 : params_.key_bytes; }

  bool has_table(const work& state, std::size_t leaf) const {
    return state.room > 0 && state.counts[leaf] <= state.room;
  }

  void fill_tables(chunk_job& job, work& state, std::int64_t room) const {
    const auto leaves = state.leaves.size();
    const std::size_t slots = slots_for(room), groups = leaves * static_cast<std::size_t>(room);
    state.room = room;
    state.counts.resize(leaves);
    state.table_keys = on_host(groups * params_.key_bytes);
    state.table_states = on_host(groups * params_.state_bytes);
    const auto tables = job.acquire(leaves * slots * sizeof(std::uint32_t));
    const auto keys = job.acquire(groups * params_.key_bytes);
    const auto states = job.acquire(groups * params_.state_bytes);
    state.device_counts = job.acquire(leaves * sizeof(std::uint32_t));
    job.launch(code_, kernels_.hash_tables, leaves,
               {job.rows, leaf_rows_, last_key_, static_cast<std::int64_t>(std::countr_zero(slots)),
                state.initial->memory, tables->memory, room, keys->memory, states->memory,
                state.device_counts->memory, state_bytes()});
    job.read(*state.device_counts->memory, 0, state.counts.data(), leaves * sizeof(std::uint32_t));
    job.read(*keys->memory, 0, state.table_keys.data(), groups * params_.key_bytes);
    job.read(*states->memory, 0, state.table_states.data(), groups * params_.state_bytes);
  }

  /// Sorts the leaves that have no table; whether there are any.
  bool sort_others(chunk_job& job, work& state) {
    state.others_sorted = true;
    if (at_once_) {
      enqueue_rows(job, state, 0, job.rows, state.all);
      return true;
    }
    constexpr std::uint32_t fault = ~std::uint32_t{0};
    if (std::ranges::find(state.counts, fault) != state.counts.end())
      throw needs_cpu{outside_domain};
    std::int64_t most = 0;
    bool any = false;
    for (std::size_t i = 0; i < state.leaves.size(); ++i) {
      if (has_table(state, i)) {
        most = std::max(most, std::int64_t{state.counts[i]});
        continue;
      }
      any = true;
      const auto begin = static_cast<std::int64_t>(i) * leaf_rows_;
      enqueue_rows(job, state, begin, std::min(leaf_rows_, job.rows - begin), state.leaves[i]);
    }
    // The next leaves will hardly have many more groups.
    constexpr std::int64_t room_min = 64;
    likely_room_ = any ? 0 : std::clamp(most + most / 4, room_min, room_max_);
    return any;
  }

  void take_table(work& state, std::size_t leaf) const {
    const auto first = leaf * static_cast<std::size_t>(state.room);
    state.leaves[leaf] =
        in_order(params_,
                 {state.table_keys.data() + first * params_.key_bytes,
                  state.table_states.data() + first * params_.state_bytes, state.counts[leaf]},
                 *run_.host_memory, run_.owner);
  }

  memory::device_buffer_ptr scratch(chunk_job& job, work& state, std::size_t bytes) const {
    state.scratch.push_back(job.on.memory().acquire(std::max(bytes, std::size_t{16}), run_.owner));
    return state.scratch.back();
  }

  /// The groups of a leaf, or of a chunk's all.
  void enqueue_rows(chunk_job& job, work& state, std::int64_t begin, std::int64_t rows,
                    sorted_groups& groups) {
    if (!state.scratch.empty()) {  // the leaf before is done with it
      job.on.kernels().finish();
      state.scratch.clear();
    }
    const std::int64_t n = extract(job, state, begin, rows);
    if (n == 0) return;
    const auto key_bytes = sorted_key_bytes();
    radix_sort(job.on, state.keys, state.positions, n, key_bytes, run_.owner, state.scratch);
    state.found =
        find_segments(job.on, *state.keys->memory, n, key_bytes, run_.owner, state.scratch, cut_);
    state.scratch.push_back(state.found.starts);
    state.results.push_back(state.found.keys);
    fold(job, state, n, groups);
  }

  /// Keys of the rows that are kept and where their values lie; how many.
  std::int64_t extract(chunk_job& job, work& state, std::int64_t begin, std::int64_t rows) {
    const auto count = static_cast<std::size_t>(rows);
    const std::size_t items = by_block_ ? job.on.block_items(rows) : count;
    const auto blocks = static_cast<std::int64_t>(items);  // or rows, each at its place
    state.keys = scratch(job, state, count * sorted_key_bytes());
    state.values = scratch(job, state, count * value_bytes(params_));
    state.positions = scratch(job, state, count * sizeof(std::uint32_t));
    const std::size_t faults = by_block_ ? items : 1;
    const auto counts = scratch(job, state, (items + 1 + faults) * sizeof(std::uint32_t));
    static constexpr std::uint32_t none = 0;
    if (!by_block_) job.write(*counts->memory, (items + 1) * sizeof none, &none, sizeof none);
    job.launch(code_, kernels_.extract, items,
               {begin, rows, leaf_rows_, blocks, last_key_, state.keys->memory,
                state.values->memory, counts->memory, value_stride()});
    exclusive_scan(job.on, *counts->memory, blocks, 4, run_.owner, state.scratch);
    const auto total_and_faults =
        read_back<std::uint32_t>(job.on, *counts->memory, items * 4, 1 + faults);
    const std::int64_t kept = total_and_faults.front();
    if (std::any_of(total_and_faults.begin() + 1, total_and_faults.end(),
                    [](std::uint32_t fault) { return fault != 0; }))
      throw needs_cpu{outside_domain};
    if (kept == rows) {
      number_rows(job.on, *state.positions->memory, rows);
    } else if (kept > 0) {
      const auto packed = scratch(job, state, static_cast<std::size_t>(kept) * sorted_key_bytes());
      job.on.launch(code_, kernels_.pack, items,
                    {state.keys->memory, rows, blocks, counts->memory, packed->memory,
                     state.positions->memory});
      state.keys = packed;
    }
    return kept;
  }

  void fold(chunk_job& job, work& state, std::int64_t n, sorted_groups& groups) {
    const auto count = static_cast<std::size_t>(state.found.count);
    const std::size_t key_bytes = count * sorted_key_bytes();
    const std::size_t bytes = count * params_.state_bytes;
    groups.n = state.found.count;
    groups.keys = on_host(key_bytes);
    groups.states = on_host(bytes);
    const auto states = job.acquire(bytes);
    auto entry = kernels_.fold;
    auto items = by_block_ ? job.on.block_items(n) : count;
    // An item that adds a long group alone waits for each of its values.
    constexpr std::int64_t long_rows = 64;
    if (!by_block_ && n / state.found.count >= long_rows) {
      entry = kernels_.fold_long;
      entry.group = group_items;
      items = std::min<std::size_t>(count, 16 * job.on.about().compute_units) * group_items;
    }
    job.launch(code_, entry, items,
               {state.found.starts->memory, state.found.count, state.positions->memory,
                state.values->memory, state.initial->memory, states->memory, state_bytes(),
                value_stride()});
    job.read(*state.found.keys->memory, 0, groups.keys.data(), key_bytes);
    job.read(*states->memory, 0, groups.states.data(), bytes);
  }

  std::int64_t value_stride() const { return static_cast<std::int64_t>(params_.payload_bytes); }

  group_merger& merger_;
  static constexpr double place_bytes = 4;  // of a row that takes its place by itself
  static constexpr std::uint32_t piece_rows = 4096;
  const std::int64_t room_max_;               // of a hash table, groups; 0: there are none
  const bool by_block_;                       // blocks of rows are a work-item's
  const bool at_once_;                        // all leaves of a chunk are sorted at once
  const std::uint32_t cut_;                   // rows of a long group's pieces; 0: it has one
  std::atomic<std::int64_t> likely_room_{0};  // for the next chunk's leaves; 0: look at them first
};

class group_operator final : public device_operator {
 public:
  ops::answer supports(const graph::node& n, bool on_host) const override {
    const auto& params = n.as<group_params>();
    ops::answer found;
    found.why_not = refusal(n, params, on_host);
    const bool tables = has_leaf_tables(params);
    found.launches = tables ? 1 : 4.0 * static_cast<double>(params.key_bytes) + 8;
    found.scratch_row_bytes = tables ? static_cast<double>(algorithms::group_table_bytes(params)) /
                                           static_cast<double>(algorithms::group_leaf_rows(params))
                                     : scratch_row_bytes(params) + group_bytes(params);
    return found;
  }
  void run(stage_run& stage) const override {
    const auto& params = stage.node.as<group_params>();
    const auto fills_tables = [&](const auto* device) {
      return device->about().like_cpu || has_group_tables(params);
    };
    if (has_leaf_tables(params) && std::ranges::all_of(stage.devices, fills_tables)) {
      table_grouping with(stage);
      stream_chunks(stage, with);
      with.finish();
    } else if (has_leaf_tables(params)) {
      run_leaves<table_merger>(stage, false);
    } else if (!has_large_leaves(params, *stage.devices.front()) || !run_large_leaves(stage)) {
      run_leaves<run_merger>(stage, false);
    }
  }
  program main_program(const graph::node& n) const override { return group_program(n); }
  kernel_entry main_entry(const graph::node& n) const override {
    const auto& params = n.as<group_params>();
    return has_leaf_tables(params) ? kernels_of(params).tables : kernels_of(params).fold;
  }

 private:
  static std::string refusal(const graph::node& n, const group_params& params, bool on_host) {
    if (params.strings) return "its keys are strings";
    if (params.key_bytes > 8) return "keys of more than 8 bytes are grouped on the CPU";
    if (on_host && n.stage.yields == detail::cardinality::any)  // of others, element.cpp knows more
      return "records of a flat_map or join are grouped on the CPU";
    if (params.domain == 0) return "its domain has no keys";
    if (params.key_bytes == 4 && params.domain > std::numeric_limits<std::int32_t>::max())
      return "its domain has more keys than an int has values";
    return {};
  }
  template <typename Merger>
  static void run_leaves(stage_run& stage, bool large) {
    Merger merger(stage);
    leaf_grouping with(stage, merger, large);
    stream_chunks(stage, with);
    merger.finish();
  }
  /// False: a leaf doesn't fit. A device that others use, too, has less memory than it says.
  static bool run_large_leaves(stage_run& stage) {
    try {
      run_leaves<run_merger>(stage, true);
      return true;
    } catch (const devices::device_error& e) {
      if (e.what_failed != devices::fault::out_of_memory) throw;
      return false;
    }
  }
};

}  // namespace

const device_operator& group_on_devices() {
  static const group_operator entry;
  return entry;
}

}  // namespace pappus::device_ops
