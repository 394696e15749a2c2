// inclusive_scan and exclusive_scan on devices.
//
// Problem: a running value needs all rows before it, and chunks lie on several devices or come and
// go on one.
//
// Idea: rows are cut into tiles, whose totals are computed first and combined in order; then each
// tile is scanned from there. A device that is like a CPU applies the operator to the same pairs of
// values as the CPU does (cpu_ops/scan.cpp), so sums of floats are the same to the last bit; others
// have smaller tiles, to be busy. Neither depends on chunks or on the number of devices.
//
// One device that is like a CPU does both for a chunk while it is in the caches, and the value of
// all rows so far goes from chunk to chunk on the device. Elsewhere there are two passes over all
// chunks, and the host combines the totals with the user's own operator in between.
//
// Alternatives: several devices that hand the value on. They would wait for each other under their
// locks, which can't be done without deadlock when two queries meet. GPUs that do: their tiles are
// many, and combining them in order is one work-item's job, while an input that fits, the case in
// which they win, is uploaded once anyway.
#include "pappus/detail/loops/scan.h"
#include "ops/rows.h"
#include "pappus/detail/base/integers.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "chunk_loop/blocks.h"
#include "device_ops/contract.h"
#include "device_ops/host/host_stage.h"
#include "devices/host/entry.h"
#include "ops/implementations.h"

namespace pappus::device_ops::on_host {
namespace {

class host_scan : public host_stage {
 public:
  using host_stage::host_stage;

  /// The running value of one row by itself.
  void value(long row, host_bytes* out) {
    host_bytes beside;
    detail::scan_output to;
    to.buffer = beside.resize(out_bytes);
    to.first_block = true;
    params().accumulate(node.stage.element.get(), block_of(row), to, out->resize(out_bytes));
  }
  void combine(const std::byte* a, const std::byte* b, std::byte* to) const {
    params().combine(node.stage.element.get(), a, b, to);
  }

 private:
  const detail::scan_params& params() const { return node.as<detail::scan_params>(); }
};

void element(host_scan& stage, long row, host_bytes* out) { stage.value(row, out); }
void combine_into(host_scan& stage, host_bytes& total, host_bytes& value) {
  host_bytes both;
  stage.combine(total.data(), value.data(), both.resize(stage.out_bytes));
  std::memcpy(total.data(), both.data(), stage.out_bytes);
}
void load_record(host_scan& stage, host_bytes& to, const std::byte* rows, long at) {
  std::memcpy(to.resize(stage.out_bytes), rows + static_cast<std::size_t>(at) * stage.out_bytes,
              stage.out_bytes);
}

#undef ELEMENT_PARAMS
#define ELEMENT_PARAMS host_scan& stage_
#define LOAD(args, to, rows, at) load_record(args, to, rows, at)
#define COMBINE_INTO(args, total, value) combine_into(args, total, value)
#define STORE_COMBINED(args, rows, at, a, b) \
  (args).combine((a).data(), (b).data(), (rows) + static_cast<std::size_t>(at) * (args).out_bytes)
#include "device_ops/text/scan_rows.cl"

}  // namespace
}  // namespace pappus::device_ops::on_host

namespace pappus::device_ops {
namespace {

constexpr std::string_view scan_text = "device_ops/text/scan_rows.cl";
constexpr kernel_entry totals_entry{"tile_totals", devices::host::entry<on_host::tile_totals>};
constexpr kernel_entry scan_entry{"scan_tiles", devices::host::entry<on_host::scan_tiles>};

// Where a tile is a group's. Its totals lie in local memory, of which there are 32 KiB at least.
constexpr std::size_t group_value_bytes_max = (32 << 10) / group_items;

/// Rows of a work-item: what few registers hold.
std::int64_t item_rows(const graph::node& n) {
  constexpr std::size_t item_bytes = 64;
  return static_cast<std::int64_t>(std::clamp<std::size_t>(item_bytes / n.out.size, 1, 16));
}

program scan_program(const graph::node& n) {
  return stage_program(n, scan_text, fmt::format("#define ITEM_ROWS {}\n", item_rows(n)));
}

class scanning final : public chunk_operator {
 public:
  explicit scanning(stage_run& run)
      : run_(run),
        params_(run.node.as<detail::scan_params>()),
        value_bytes_(params_.value_bytes),
        item_tiles_(has_item_blocks(*run.devices.front())),
        tile_rows_(item_tiles_ ? params_.tile_rows
                               : static_cast<std::int64_t>(group_items) * item_rows(run.node)),
        tiles_(detail::ceil_div(run.rows, tile_rows_)),
        code_(scan_program(run.node)),
        output_(run, run.rows) {
    // Tiles must be the same everywhere.
    std::erase_if(run.devices, [&](const auto* on) { return has_item_blocks(*on) != item_tiles_; });
    chained_ = item_tiles_ && run.devices.size() == 1;
  }

  std::int64_t unit_rows() const override { return tile_rows_; }
  /// Of both passes: their chunks must be the same ones, or the second wouldn't find its input.
  double row_bytes() const override {
    return static_cast<double>(value_bytes_) * (1 + 1 / static_cast<double>(tile_rows_));
  }

  double chunk_bytes_preferred() const override {
    if (!chained_ || !inputs_in_place(run_)) return 0;
    // What the second kernel of a chunk reads is still in the caches; few tiles leave cores idle.
    const std::size_t tiles = std::max(32u, 4 * run_.devices.front()->about().compute_units);
    return static_cast<double>(tiles) * (row_bytes() + ops::input_row_bytes(run_.node)) *
           static_cast<double>(tile_rows_);
  }

  void enqueue(chunk_job& job) override {
    const std::int64_t tile = job.first / tile_rows_,
                       tiles = detail::ceil_div(job.rows, tile_rows_);
    if (chained_)
      scan_next(job, tiles);
    else if (!befores_known_)
      total_tiles(job, tile, tiles);
    else if (item_tiles_)
      scan_from(job, tiles, job.memory_with(before(tile), value_bytes_),
                job.memory_with(total(tile), bytes(tiles)), job.acquire(value_bytes_));
    else
      scan_groups(job, tiles, job.memory_with(before(tile), bytes(tiles)));
  }
  void complete(chunk_job&) override {}

  void run() {
    if (!chained_) find_befores();
    stream_chunks(run_, *this);
    output_.finish();
  }

 private:
  std::size_t bytes(std::int64_t values) const {
    return static_cast<std::size_t>(values) * value_bytes_;
  }
  std::byte* total(std::int64_t tile) { return totals_.data() + bytes(tile); }
  std::byte* before(std::int64_t tile) { return befores_.data() + bytes(tile); }
  int exclusive() const { return params_.initial != nullptr; }
  int has_before(const chunk_job& job) const { return exclusive() != 0 || job.first > 0; }

  void launch(chunk_job& job, kernel_entry entry, std::int64_t tiles,
              std::initializer_list<devices::argument> more) {
    auto items = static_cast<std::size_t>(tiles);
    if (!item_tiles_) {
      entry.group = group_items;
      items *= group_items;
    }
    job.launch(code_, entry, items, more);
  }

  void total_tiles(chunk_job& job, std::int64_t tile, std::int64_t tiles) {
    const auto totals = job.memory_for(total(tile), bytes(tiles));
    launch(job, totals_entry, tiles, {job.rows, tile_rows_, *totals->memory});
    job.read(*totals->memory, 0, total(tile), bytes(tiles));
  }

  /// The only device: a chunk begins where the one before it ended.
  void scan_next(chunk_job& job, std::int64_t tiles) {
    const auto totals = job.acquire(bytes(tiles));
    if (tiles > 1 || more_follow(job))
      launch(job, totals_entry, tiles, {job.rows, tile_rows_, *totals->memory});
    for (auto& c : carried_)
      if (!c.value) c.value = job.on.memory().acquire(value_bytes_, run_.owner);
    // A chunk that is tried again finds what is before it: it wrote to the other one.
    auto& from = carried_[carried_[0].to_row == job.first ? 0 : 1];
    auto& to = carried_[&from == &carried_[0] ? 1 : 0];
    const bool starts = job.first == 0 && exclusive();
    scan_from(job, tiles,
              starts ? job.memory_with(params_.initial.get(), value_bytes_) : from.value, totals,
              to.value);
    to.to_row = job.first + job.rows;
  }

  void scan_from(chunk_job& job, std::int64_t tiles, const memory::device_buffer_ptr& before,
                 const memory::device_buffer_ptr& totals, const memory::device_buffer_ptr& after) {
    auto out = room_for(job);
    launch(job, scan_entry, tiles,
           {job.rows, tile_rows_, exclusive(), has_before(job), int{more_follow(job)},
            *before->memory, *totals->memory, *after->memory, *out->memory});
    deliver(job, std::move(out));
  }

  void scan_groups(chunk_job& job, std::int64_t tiles, const memory::device_buffer_ptr& befores) {
    auto out = room_for(job);
    launch(job, scan_entry, tiles,
           {job.rows, tile_rows_, exclusive(), has_before(job), *befores->memory, *out->memory});
    deliver(job, std::move(out));
  }

  bool more_follow(const chunk_job& job) const { return job.first + job.rows < run_.rows; }
  memory::device_buffer_ptr room_for(chunk_job& job) {
    return run_.stays ? job.acquire(bytes(job.rows))
                      : job.memory_for(output_.host_room(job, job.rows), bytes(job.rows));
  }
  void deliver(chunk_job& job, memory::device_buffer_ptr out) {
    if (run_.stays)
      output_.leave(job, std::move(out), job.rows);
    else
      job.read(*out->memory, 0, output_.host_room(job, job.rows), bytes(job.rows));
  }

  /// Tiles may be others than the CPU's: it knows whether their totals make the operator throw.
  void combine_on_host(const std::byte* a, const std::byte* b, std::byte* to) const {
    try {
      params_.combine(run_.node.stage.element.get(), a, b, to);
    } catch (...) {
      throw needs_cpu{"its function threw"};
    }
  }

  /// The first of two passes.
  void find_befores() {
    totals_ = detail::buffer(*run_.host_memory, bytes(tiles_), run_.owner);
    befores_ = detail::buffer(*run_.host_memory, bytes(tiles_), run_.owner);
    if (tiles_ > 1) {
      const std::string note = run_.note;
      stream_chunks(run_, *this);
      run_.note = note;  // the second pass says the same
    }
    if (exclusive() && tiles_ > 0) std::memcpy(before(0), params_.initial.get(), value_bytes_);
    for (std::int64_t tile = 1; tile < tiles_; ++tile) {
      if (tile > 1 || exclusive())
        combine_on_host(before(tile - 1), total(tile - 1), before(tile));
      else
        std::memcpy(before(tile), total(tile - 1), value_bytes_);
    }
    befores_known_ = true;
  }

  stage_run& run_;
  const detail::scan_params& params_;
  const std::size_t value_bytes_;
  const bool item_tiles_;  // a tile is a work-item's
  const std::int64_t tile_rows_, tiles_;
  const program code_;
  bool chained_ = false;
  struct carry {
    memory::device_buffer_ptr value;
    std::int64_t to_row = 0;  // the value of all rows before it
  };
  carry carried_[2];                 // of the only device
  detail::buffer totals_, befores_;  // of all tiles; the values of all rows before them
  bool befores_known_ = false;
  collected_rows output_;
};

class scan_operator final : public device_operator {
 public:
  ops::answer supports(const graph::node& n, bool on_host) const override {
    ops::answer answer{.launches = 2, .scratch_row_bytes = 0};
    if (!on_host && n.out.size > group_value_bytes_max)
      answer.why_not =
          fmt::format("{}: running values of more than {} bytes are computed on the CPU", n.name,
                      group_value_bytes_max);
    return answer;
  }
  void run(stage_run& stage) const override { scanning(stage).run(); }
  program main_program(const graph::node& n) const override { return scan_program(n); }
  kernel_entry main_entry(const graph::node&) const override { return scan_entry; }
};

}  // namespace

const device_operator& scan_on_devices() {
  static const scan_operator entry;
  return entry;
}

}  // namespace pappus::device_ops
