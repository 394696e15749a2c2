// inclusive_scan and exclusive_scan on devices.
//
// Problem: a running value needs all rows before it, and chunks lie on several devices or come and
// go on one.
//
// Idea: two passes. The first one computes the totals of tiles of rows, all chunks on their own;
// the host combines these in order with the user's own operator; the second one scans each tile
// from there, chunks on their own again. A device that is like a CPU applies the operator to the
// same pairs of values as the CPU does (ops/scan.cpp), so sums of floats are the same to the last
// bit; others have smaller tiles, to be busy. Neither depends on chunks or on the number of
// devices.
//
// Alternatives: one pass, in which the value of all rows before it goes from chunk to chunk. An
// input that doesn't fit the device would be uploaded once instead of twice, but devices would wait
// for each other under their locks, which can't be done without deadlock when two queries meet; and
// an input that fits, the case in which a device wins, is uploaded once anyway.
#include "pappus/detail/loops/scan.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "device_ops/blocks.h"
#include "device_ops/host_stage.h"
#include "device_ops/operators.h"
#include "device_ops/stage.h"
#include "devices/host/entry.h"

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

constexpr std::string_view text_path = "device_ops/text/scan_rows.cl";
constexpr kernel_entry totals_entry{"tile_totals", devices::host::entry<on_host::tile_totals>};
constexpr kernel_entry scan_entry{"scan_tiles", devices::host::entry<on_host::scan_tiles>};

// Where a tile is a group's. Its totals lie in local memory, of which there are 32 KiB at least.
constexpr std::size_t group_value_bytes_max = (32 << 10) / group_items;

/// Rows of a work-item: what few registers hold.
std::int64_t item_rows(const graph::node& n) {
  constexpr std::size_t item_bytes = 64;
  return static_cast<std::int64_t>(std::clamp<std::size_t>(item_bytes / n.out.size, 1, 16));
}

program program_of(const graph::node& n) {
  return stage_program(n, text_path, fmt::format("#define ITEM_ROWS {}\n", item_rows(n)));
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
        tiles_((run.rows + tile_rows_ - 1) / tile_rows_),
        code_(program_of(run.node)),
        befores_(*run.host_memory, bytes(tiles_), run.who),
        output_(run, run.rows) {
    // Tiles must be the same everywhere.
    std::erase_if(run.devices, [&](const auto* on) { return has_item_blocks(*on) != item_tiles_; });
  }

  std::int64_t unit_rows() const override { return tile_rows_; }
  /// Of both passes: their chunks must be the same ones, or the second wouldn't find its input.
  double row_bytes() const override {
    return static_cast<double>(value_bytes_) * (1 + 1 / static_cast<double>(tile_rows_));
  }

  void enqueue(chunk_job& job) override {
    const std::int64_t tile = job.first / tile_rows_,
                       tiles = (job.rows + tile_rows_ - 1) / tile_rows_;
    auto values = job.acquire(bytes(tiles));
    if (befores_known_) {
      scan_chunk(job, tile, tiles, *values->memory);
    } else {
      launch(job, totals_entry, tiles, {job.rows, tile_rows_, *values->memory});
      job.read(*values->memory, 0, before(tile), bytes(tiles));
    }
  }
  void complete(chunk_job&) override {}

  void run() {
    if (tiles_ > 1) {
      const std::string note = run_.note;
      stream_chunks(run_, *this);
      run_.note = note;  // the second pass says the same
    }
    if (tiles_ > 0) combine_totals();
    befores_known_ = true;
    stream_chunks(run_, *this);
    output_.finish();
  }

 private:
  std::size_t bytes(std::int64_t values) const {
    return static_cast<std::size_t>(values) * value_bytes_;
  }
  std::byte* before(std::int64_t tile) { return befores_.data() + bytes(tile); }

  void launch(chunk_job& job, kernel_entry entry, std::int64_t tiles,
              std::initializer_list<devices::argument> more) {
    auto items = static_cast<std::size_t>(tiles);
    if (!item_tiles_) {
      entry.group = group_items;
      items *= group_items;
    }
    job.launch(code_, entry, items, more);
  }

  void scan_chunk(chunk_job& job, std::int64_t tile, std::int64_t tiles, devices::buffer& befores) {
    const int exclusive = params_.initial != nullptr;
    const int has_before = exclusive != 0 || tile > 0;
    auto out = job.acquire(bytes(job.rows));
    job.write(befores, 0, before(tile), bytes(tiles));
    launch(job, scan_entry, tiles,
           {job.rows, tile_rows_, exclusive, has_before, befores, *out->memory});
    if (run_.stays)
      output_.leave(job, std::move(out), job.rows);
    else
      job.read(*out->memory, 0, output_.host_room(job, job.rows), bytes(job.rows));
  }

  /// Totals of tiles become the values of all rows before each tile.
  void combine_totals() {
    detail::block scratch(*run_.host_memory, 3 * padded(value_bytes_), run_.who);
    std::byte *running = scratch.data(), *next = running + padded(value_bytes_),
              *own = next + padded(value_bytes_);
    bool any_before = params_.initial != nullptr;
    if (any_before) std::memcpy(running, params_.initial.get(), value_bytes_);
    for (std::int64_t tile = 0; tile < tiles_; ++tile) {
      std::memcpy(own, before(tile), value_bytes_);
      if (any_before) std::memcpy(before(tile), running, value_bytes_);
      if (tile + 1 == tiles_) break;  // nobody needs the value of all rows
      if (any_before) {
        params_.combine(run_.node.stage.element.get(), running, own, next);
        std::swap(running, next);
      } else {
        std::memcpy(running, own, value_bytes_);
      }
      any_before = true;
    }
  }

  static std::size_t padded(std::size_t n) { return (n + 63) / 64 * 64; }

  stage_run& run_;
  const detail::scan_params& params_;
  const std::size_t value_bytes_;
  const bool item_tiles_;  // a tile is a work-item's
  const std::int64_t tile_rows_, tiles_;
  const program code_;
  detail::block befores_;  // totals of tiles, then the values of all rows before them
  bool befores_known_ = false;
  collected_rows output_;
};

class scan_operator final : public device_operator {
 public:
  support supports(const graph::node& n, bool on_host) const override {
    support answer{.reason = {}, .launches = 2, .scratch_row_bytes = 0};
    if (!on_host && n.out.size > group_value_bytes_max)
      answer.reason =
          fmt::format("{}: running values of more than {} bytes are computed on the CPU", n.name,
                      group_value_bytes_max);
    return answer;
  }
  void run(stage_run& stage) const override { scanning(stage).run(); }
  program main_program(const graph::node& n) const override { return program_of(n); }
  kernel_entry main_entry(const graph::node&) const override { return scan_entry; }
};

}  // namespace

const device_operator& scan_on_device() {
  static const scan_operator entry;
  return entry;
}

}  // namespace pappus::device_ops
