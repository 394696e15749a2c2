// A fused stage's records written to memory: map, filter, flat_map and their chains.
//
// Aligned stages write each record to its row. For the others see text/map.cl.
//
// Where blocks of rows are a work-item's, a filter's blocks write runs, whose lengths are read
// back, and the runs are copied to where they belong, on the host or in a buffer of the right size.
// A flat_map's blocks are counted, the host adds the counts up, and the blocks write in one piece.
//
// Elsewhere a row is a work-item's and has a flag or a count of its own, which are scanned on the
// device; only the total is read back. A filter's records go from the rows where they were left to
// one piece: at once, to a buffer that would hold them all, where the piece is read by the host,
// for the copy then waits for nothing; where it stays, to a buffer of the right size when the total
// is known, unless all rows were kept.
//
// Not here: filters whose result is folded, sorted or grouped in the same stage; these operators
// call the element function themselves.
#include <algorithm>

#include "chunk_loop/blocks.h"
#include "device_ops/algorithms/primitives.h"
#include "device_ops/contract.h"
#include "device_ops/host/host_stage.h"
#include "devices/host/entry.h"
#include "ops/implementations.h"

namespace pappus::device_ops::on_host {
namespace {
#include "device_ops/text/map.cl"
}
}  // namespace pappus::device_ops::on_host

namespace pappus::device_ops {
namespace {

namespace host = devices::host;
constexpr std::string_view map_text = "device_ops/text/map.cl";
constexpr kernel_entry map_entry{"map_rows", host::entry<on_host::map_rows>};
constexpr kernel_entry filter_entry{"filter_blocks", host::entry<on_host::filter_blocks>};
constexpr kernel_entry count_entry{"count_blocks", host::entry<on_host::count_blocks>};
constexpr kernel_entry write_entry{"write_blocks", host::entry<on_host::write_blocks>};
// Where a row is a work-item's. Hosts aren't like that.
constexpr kernel_entry mask_entry{"mask_rows"}, scatter_entry{"scatter_rows"};
constexpr kernel_entry count_rows_entry{"count_rows"}, write_rows_entry{"write_rows"};

/// Of a filter by blocks, and of a flat_map by blocks until it has written.
struct runs {
  memory::device_buffer_ptr out, on_device;
  std::vector<std::int64_t> counts;
  std::int64_t total = 0;
};

/// Of a filter or a flat_map by rows.
struct scanned {
  memory::device_buffer_ptr places;  // of each row's first record; the total is behind the last
  memory::device_buffer_ptr kept,
      out;  // a filter's: records where they were left, and in one piece
  kept_buffers scan_memory;
  std::uint64_t total = 0;
};

class materialising final : public chunk_operator {
 public:
  explicit materialising(stage_run& run)
      : run_(run),
        yields_(run.node.stage.yields),
        row_bytes_(run.node.out.size),
        code_(stage_program(run.node, map_text)),
        output_(run, yields_ == detail::cardinality::one ? run.rows : -1),
        any_by_rows_(std::ranges::any_of(run.devices,
                                         [](const auto* on) { return !has_item_blocks(*on); })) {}

  double row_bytes() const override {
    const auto record = static_cast<double>(row_bytes_);
    if (!any_by_rows_ || yields_ == detail::cardinality::one) return record;
    return yields_ == detail::cardinality::at_most_one ? 2 * record + mask_bytes
                                                       : record + count_bytes;
  }

  double chunk_bytes_preferred() const override {
    const bool straight = yields_ == detail::cardinality::one && inputs_in_place(run_);
    return straight ? chunk_bytes_in_place : 0;
  }

  void enqueue(chunk_job& job) override {
    if (yields_ == detail::cardinality::one)
      map(job);
    else if (yields_ == detail::cardinality::at_most_one)
      has_item_blocks(job.on) ? filter_blocks(job) : filter_rows(job);
    else
      has_item_blocks(job.on) ? flat_map_blocks(job) : flat_map_rows(job);
  }

  void complete(chunk_job& job) override {
    if (yields_ != detail::cardinality::at_most_one) return;
    if (has_item_blocks(job.on))
      complete_blocks(job, *static_cast<runs*>(job.state.get()));
    else
      complete_rows(job, *static_cast<scanned*>(job.state.get()));
  }

  bool take(std::int64_t first, const detail::row_set& records) override {
    return output_.put(first, records);
  }

  void finish() { output_.finish(); }

 private:
  std::size_t bytes(std::int64_t rows) const { return static_cast<std::size_t>(rows) * row_bytes_; }

  void map(chunk_job& job) {
    auto out = run_.stays ? job.acquire(bytes(job.rows))
                          : job.memory_for(output_.host_room(job, job.rows), bytes(job.rows));
    job.launch(code_, map_entry, row_items(job.on, job.rows), {job.rows, *out->memory});
    deliver(job, std::move(out), job.rows);
  }

  /// Rows [0, n) of a buffer are a chunk's records.
  void deliver(chunk_job& job, memory::device_buffer_ptr out, std::int64_t n) {
    if (run_.stays)
      output_.leave(job, std::move(out), n);
    else if (n > 0)
      job.read(*out->memory, 0, output_.host_room(job, n), bytes(n));
  }

  void filter_blocks(chunk_job& job) {
    auto state = std::make_shared<runs>();
    job.state = state;  // copies use it
    const std::size_t blocks = job.on.block_items(job.rows);
    state->counts.resize(blocks);
    state->out = job.acquire(bytes(job.rows));
    state->on_device = job.acquire(blocks * sizeof(std::int64_t));
    job.launch(code_, filter_entry, blocks,
               {job.rows, static_cast<std::int64_t>(blocks), *state->out->memory,
                *state->on_device->memory});
    job.read(*state->on_device->memory, 0, state->counts.data(), blocks * sizeof(std::int64_t));
  }

  void complete_blocks(chunk_job& job, runs& state) {
    for (const auto n : state.counts) state.total += n;
    if (state.total == 0) return;
    if (run_.stays)
      compact(job, state);
    else
      read_runs(job, state);
    job.wait();
  }

  /// f(first row of a block, where its records go, how many).
  template <typename F>
  void for_runs(const chunk_job& job, const runs& state, F&& f) const {
    const auto blocks = static_cast<std::int64_t>(state.counts.size());
    std::int64_t to = 0;
    for (std::int64_t i = 0; i < blocks; ++i) {
      const auto n = state.counts[static_cast<std::size_t>(i)];
      if (n > 0) f(on_host::block_begin(job.rows, i, blocks), to, n);
      to += n;
    }
  }

  void read_runs(chunk_job& job, const runs& state) {
    std::byte* const room = output_.host_room(job, state.total);
    for_runs(job, state, [&](std::int64_t from, std::int64_t to, std::int64_t n) {
      job.read(*state.out->memory, bytes(from), room + bytes(to), bytes(n));
    });
  }

  void compact(chunk_job& job, runs& state) {
    if (state.total == job.rows) return output_.leave(job, std::move(state.out), job.rows);
    auto exact = job.acquire(bytes(state.total));
    for_runs(job, state, [&](std::int64_t from, std::int64_t to, std::int64_t n) {
      job.on.copy(*state.out->memory, bytes(from), *exact->memory, bytes(to), bytes(n));
    });
    output_.leave(job, std::move(exact), state.total);
  }

  void flat_map_blocks(chunk_job& job) {
    const std::size_t blocks = job.on.block_items(job.rows);
    const auto blocks_argument = static_cast<std::int64_t>(blocks);
    auto counted = job.acquire(blocks * sizeof(std::int64_t));
    job.launch(code_, count_entry, blocks, {job.rows, blocks_argument, *counted->memory});
    auto state = std::make_shared<runs>();
    job.state = state;  // copies use it
    state->counts.resize(blocks);
    job.read(*counted->memory, 0, state->counts.data(), blocks * sizeof(std::int64_t));
    job.wait();
    for (auto& n : state->counts) {  // counts become where blocks begin
      const std::int64_t begin = state->total;
      state->total += n;
      n = begin;
    }
    if (state->total == 0) return;
    auto out = job.acquire(bytes(state->total));
    job.write(*counted->memory, 0, state->counts.data(), blocks * sizeof(std::int64_t));
    job.launch(code_, write_entry, blocks,
               {job.rows, blocks_argument, *counted->memory, *out->memory});
    deliver(job, std::move(out), state->total);
  }

  /// Turns what each row's kernel told into places, and has the total read.
  void scan_places(chunk_job& job, scanned& state, std::size_t value_bytes) {
    exclusive_scan(job.on, *state.places->memory, job.rows, value_bytes, run_.owner,
                   state.scan_memory);
    job.read(*state.places->memory, static_cast<std::size_t>(job.rows) * value_bytes, &state.total,
             value_bytes);  // into the low bytes: little-endian, as everywhere here
  }

  void filter_rows(chunk_job& job) {
    auto state = std::make_shared<scanned>();
    job.state = state;  // the scan and the copy use it
    state->kept = job.acquire(bytes(job.rows));
    state->places = job.acquire(static_cast<std::size_t>(job.rows + 1) * mask_bytes);
    job.launch(code_, mask_entry, row_items(job.on, job.rows),
               {job.rows, *state->kept->memory, *state->places->memory});
    scan_places(job, *state, mask_bytes);
    if (run_.stays) return;
    state->out = job.acquire(bytes(job.rows));
    scatter(job, *state);
  }

  void scatter(chunk_job& job, const scanned& state) {
    job.on.launch(code_, scatter_entry, row_items(job.on, job.rows),
                  {*state.kept->memory, job.rows, *state.places->memory, *state.out->memory});
  }

  void complete_rows(chunk_job& job, scanned& state) {
    const auto total = static_cast<std::int64_t>(state.total);
    if (total == 0) return;
    if (run_.stays && total == job.rows) return output_.leave(job, std::move(state.kept), total);
    if (run_.stays) {
      state.out = job.acquire(bytes(total));
      scatter(job, state);
    }
    deliver(job, std::move(state.out), total);
    job.wait();
  }

  void flat_map_rows(chunk_job& job) {
    auto state = std::make_shared<scanned>();
    job.state = state;  // the scan and the copy use it
    state->places = job.acquire(static_cast<std::size_t>(job.rows + 1) * count_bytes);
    const std::size_t items = row_items(job.on, job.rows);
    job.launch(code_, count_rows_entry, items, {job.rows, *state->places->memory});
    scan_places(job, *state, count_bytes);
    job.wait();
    const auto total = static_cast<std::int64_t>(state->total);
    if (total == 0) return;
    auto out = job.acquire(bytes(total));
    job.launch(code_, write_rows_entry, items, {job.rows, *state->places->memory, *out->memory});
    deliver(job, std::move(out), total);
  }

  static constexpr std::size_t mask_bytes = 4, count_bytes = 8;  // a row's, before and after scans

  stage_run& run_;
  const detail::cardinality yields_;
  const std::size_t row_bytes_;
  const program code_;
  collected_rows output_;
  const bool any_by_rows_;
};

class materialise_operator final : public device_operator {
 public:
  /// Of devices that compile, those like a CPU are the exception.
  ops::answer supports(const graph::node& n, bool on_host) const override {
    if (n.stage.yields == detail::cardinality::one) return {};
    const bool many = n.stage.yields == detail::cardinality::any;
    const double record = static_cast<double>(n.out.size);
    if (on_host) return {.launches = many ? 2.0 : 1.0, .scratch_row_bytes = record};
    const double places = many ? 8 : 4;
    return {.launches = 5, .scratch_row_bytes = record + places};
  }
  void run(stage_run& stage) const override {
    materialising with(stage);
    stream_chunks(stage, with);
    with.finish();
  }
  program main_program(const graph::node& n) const override { return stage_program(n, map_text); }
  kernel_entry main_entry(const graph::node& n) const override {
    switch (n.stage.yields) {
      case detail::cardinality::one:
        return map_entry;
      case detail::cardinality::at_most_one:
        return filter_entry;
      case detail::cardinality::any:
        break;
    }
    return write_entry;
  }
};

}  // namespace

const device_operator& materialise_on_devices() {
  static const materialise_operator entry;
  return entry;
}

}  // namespace pappus::device_ops
