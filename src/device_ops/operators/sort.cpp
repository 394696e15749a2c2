// sort, sort_by, top and bottom on devices.
//
// Problem: an input larger than the device's memory, records of any size, several keys.
//
// Idea: each chunk is sorted on its device: for each part of the keys, the least significant first,
// bits are computed in the order so far and sorted stably with the rows' numbers (radix_sort); at
// the end records are gathered once. Where there is one chunk that is the result; else sorted runs
// and their keys come back, and the host merges them (algorithms/merge_runs.h). Records that are
// integers are their own keys: no row numbers, no gathering. top takes the first rows of each run,
// which is why it is here.
//
// Alternatives: partitioning by sampled keys first, so that sorted chunks only need to be put one
// after the other. It reads the input twice and lets skewed keys overflow a chunk; merging on the
// host costs log2(chunks) comparisons a row, with all cores, while devices sort the next chunks.
//
// Not here: strings and keys of more than 8 bytes a part.
#include "pappus/detail/loops/sort.h"
#include "codegen/element/element.h"
#include "pappus/detail/base/integers.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "algorithms/merge_runs.h"
#include "algorithms/rows_in.h"
#include "chunk_loop/blocks.h"
#include "device_ops/algorithms/primitives.h"
#include "device_ops/contract.h"
#include "device_ops/host/host_stage.h"
#include "devices/host/entry.h"
#include "ops/implementations.h"
#include "pappus/detail/loops/top.h"

#define SORT_KEY_OF_ROW(args, row, part) (args).sort_key(row, part)
namespace pappus::device_ops::on_host::keys_of_4 {
namespace {
using sort_key = std::uint32_t;
#include "device_ops/text/sort_keys.cl"
}  // namespace
}  // namespace pappus::device_ops::on_host::keys_of_4
namespace pappus::device_ops::on_host::keys_of_8 {
namespace {
using sort_key = std::uint64_t;
#include "device_ops/text/sort_keys.cl"
}  // namespace
}  // namespace pappus::device_ops::on_host::keys_of_8

namespace pappus::device_ops {
namespace {

using detail::sort_params;
using detail::top_params;

constexpr std::string_view sort_text = "device_ops/text/sort_keys.cl";
constexpr kernel_entry keys_entry_4{"sort_keys",
                                    devices::host::entry<on_host::keys_of_4::sort_keys>};
constexpr kernel_entry keys_entry_8{"sort_keys",
                                    devices::host::entry<on_host::keys_of_8::sort_keys>};
constexpr kernel_entry in_order_entry_4{
    "sort_keys_in_order", devices::host::entry<on_host::keys_of_4::sort_keys_in_order>};
constexpr kernel_entry in_order_entry_8{
    "sort_keys_in_order", devices::host::entry<on_host::keys_of_8::sort_keys_in_order>};
constexpr kernel_entry records_entry{"sort_records",
                                     devices::host::entry<on_host::keys_of_8::sort_records>};

/// Else it is a sort.
bool is_top(const graph::node& n) { return n.op == &detail::top_operator(); }

/// Bytes of each part of the keys, the least significant first.
std::vector<std::size_t> key_parts(const graph::node& n, bool on_host) {
  if (!on_host) return codegen::element_of(n)->key_bytes;
  if (is_top(n)) return {n.as<top_params>().key_bytes};
  std::vector<std::size_t> bytes;
  for (const auto& pass : n.as<sort_params>().passes) bytes.push_back(pass.key_bytes);
  return bytes;
}

program program_of(const graph::node& n, std::size_t part, std::size_t key_bytes) {
  return stage_program(n, sort_text,
                       fmt::format("#define SORT_KEY_OF key_of_{}\ntypedef {} sort_key;\n", part,
                                   key_bytes == 4 ? "uint" : "ulong"));
}

/// The input's rows are the records.
bool is_plain(const graph::node& n) { return n.stage.ops.empty() && n.stage.inputs.size() == 1; }

/// Integers of 4 or 8 bytes: the record is the key's bits, but for the sign.
bool sorts_integers(const graph::node& n) { return !is_top(n) && n.as<sort_params>().integers; }

template <typename T>
void flip_words(std::byte* words, std::int64_t n, std::uint64_t flip) {
  auto* const at = reinterpret_cast<T*>(words);
  for (std::int64_t i = 0; i < n; ++i) at[i] ^= static_cast<T>(flip);
}

class sorting final : public chunk_operator {
 public:
  explicit sorting(stage_run& run)
      : run_(run),
        node_(run.node),
        on_host_(run.devices.front()->runs_on_host()),
        key_bytes_(key_parts(node_, on_host_)),
        limit_(std::min(is_top(node_) ? node_.as<top_params>().limit : run.limit, run.rows)),
        // That are sorted as keys, which come back as a whole.
        integers_(sorts_integers(node_) && limit_ == run.rows) {
    for (std::size_t part = 0; part < key_bytes_.size(); ++part)
      programs_.push_back(program_of(node_, part, key_bytes_[part]));
  }

  double row_bytes() const override {
    double keys = 0;
    for (const auto bytes : key_bytes_) keys = std::max(keys, static_cast<double>(bytes));
    if (integers_ && !run_.stays) return 3 * keys;
    return 2 * (keys + 4) + 4 + static_cast<double>(node_.out.size) * (is_plain(node_) ? 1 : 2) +
           static_cast<double>(key_bytes_.size() > 1 ? 8 * key_bytes_.size() : 0);
  }
  double chunk_bytes() const override { return 1 << 20; }  // of histograms
  double chunk_bytes_preferred() const override { return 1e12; }

  void enqueue(chunk_job& job) override {
    if (integers_ && !(only_chunk(job) && run_.stays))
      sort_integers(job);
    else
      sort_records(job);
  }
  void complete(chunk_job&) override {}

  void finish() {
    if (left_) {
      auto rows = std::make_shared<device_rows>(node_.out);
      rows->append(
          device_part::make(*left_on_, std::move(left_), run_.rows, run_, device_part::next_set()));
      run_.device_rows_left = std::move(rows);
      return;
    }
    const std::int64_t rows = std::min(limit_, run_.rows);
    const std::size_t bytes = static_cast<std::size_t>(rows) * node_.out.size;
    detail::buffer merged;
    if (runs_.size() == 1) {  // of integers, keys are the records but for their signs
      auto& only = runs_.begin()->second;
      merged = std::move(integers_ ? only.keys.front() : only.records);
      if (integers_) restore_integers(merged.data());
    } else {
      merged = detail::buffer(*run_.host_memory, bytes, run_.owner);
      merge(merged.data());
    }
    auto result = empty_result(run_);
    algorithms::append_buffer(*result, std::move(merged), rows);
    run_.host_rows = std::move(result);
  }

 private:
  struct run_blocks {
    detail::buffer records;
    std::vector<detail::buffer> keys;  // the most significant first
    std::int64_t rows = 0;
  };

  std::size_t bytes(std::int64_t rows, std::size_t each) const {
    return static_cast<std::size_t>(rows) * each;
  }
  bool only_chunk(const chunk_job& job) const { return job.rows == run_.rows; }

  memory::device_buffer_ptr keys_of(chunk_job& job, std::size_t part,
                                    const devices::buffer& order) {
    auto keys = job.acquire(bytes(job.rows, key_bytes_[part]));
    job.launch(programs_[part], key_bytes_[part] == 4 ? keys_entry_4 : keys_entry_8,
               row_items(job.on, job.rows),
               {job.rows, static_cast<std::int32_t>(part), order, *keys->memory});
    return keys;
  }
  /// Of the least significant part, before anything is sorted.
  memory::device_buffer_ptr first_keys(chunk_job& job, memory::device_buffer_ptr keys) {
    job.launch(programs_[0], key_bytes_[0] == 4 ? in_order_entry_4 : in_order_entry_8,
               row_items(job.on, job.rows), {job.rows, std::int32_t{0}, *keys->memory});
    return keys;
  }

  /// Passes mostly come in pairs: then the keys end where they began, which is where the host wants
  /// them.
  void sort_integers(chunk_job& job) {
    auto& run = new_run(job.first, job.rows);
    std::byte* const room = key_room(run, key_bytes_[0], job.rows);
    const std::size_t key_bytes = bytes(job.rows, key_bytes_[0]);
    auto keys = first_keys(job, job.memory_for(room, key_bytes));
    memory::device_buffer_ptr no_rows;
    radix_sort(job.on, keys, no_rows, job.rows, key_bytes_[0], run_.owner, kept(job));
    kept(job).push_back(keys);
    job.read(*keys->memory, 0, room, key_bytes);
  }

  void sort_records(chunk_job& job) {
    auto order = job.acquire(bytes(job.rows, 4));
    number_rows(job.on, *order->memory, job.rows);
    memory::device_buffer_ptr keys;
    for (std::size_t part = 0; part < key_bytes_.size(); ++part) {
      keys = part == 0 ? first_keys(job, job.acquire(bytes(job.rows, key_bytes_[0])))
                       : keys_of(job, part, *order->memory);
      radix_sort(job.on, keys, order, job.rows, key_bytes_[part], run_.owner, kept(job));
      kept(job).insert(kept(job).end(), {keys, order});
    }
    const auto gathered = [&](const memory::device_buffer_ptr& to) {
      const auto from = job_records(job);
      gather(job.on, *from->memory, node_.out.size, *order->memory, job.rows, *to->memory);
      return to;
    };
    const std::size_t all = bytes(job.rows, node_.out.size);
    if (only_chunk(job) && run_.stays && limit_ == run_.rows) {
      left_ = gathered(job.acquire(all));
      left_on_ = &job.on;
      return;
    }
    const std::int64_t n = std::min(limit_, job.rows);
    auto& run = new_run(job.first, n);
    run.records = detail::buffer(*run_.host_memory, bytes(n, node_.out.size), run_.owner);
    const auto sorted =
        gathered(n == job.rows ? job.memory_for(run.records.data(), all) : job.acquire(all));
    job.read(*sorted->memory, 0, run.records.data(), bytes(n, node_.out.size));
    if (only_chunk(job)) return;
    for (std::size_t part = key_bytes_.size(); part-- > 0;) {
      if (part + 1 != key_bytes_.size()) keys = keys_of(job, part, *order->memory);
      download_key(job, run, *keys->memory, key_bytes_[part], n);
    }
  }

  memory::device_buffer_ptr job_records(chunk_job& job) {
    if (is_plain(node_)) return job.input(0);
    auto records = job.acquire(bytes(job.rows, node_.out.size));
    job.launch(programs_.front(), records_entry, row_items(job.on, job.rows),
               {job.rows, *records->memory});
    return records;
  }

  std::byte* key_room(run_blocks& run, std::size_t key_bytes, std::int64_t n) {
    run.keys.emplace_back(*run_.host_memory, bytes(n, key_bytes), run_.owner);
    return run.keys.back().data();
  }
  void download_key(chunk_job& job, run_blocks& run, const devices::buffer& keys,
                    std::size_t key_bytes, std::int64_t n) {
    job.read(keys, 0, key_room(run, key_bytes, n), bytes(n, key_bytes));
  }

  run_blocks& new_run(std::int64_t first_row, std::int64_t rows) {
    run_blocks made;
    made.rows = rows;
    const std::lock_guard lock(mutex_);
    return runs_.insert_or_assign(first_row, std::move(made)).first->second;
  }

  kept_buffers& kept(chunk_job& job) {
    if (!job.state) job.state = std::make_shared<kept_buffers>();
    return *static_cast<kept_buffers*>(job.state.get());
  }

  void merge(std::byte* out) {
    std::vector<algorithms::sorted_run> runs;
    for (auto& [first, blocks] : runs_) {
      algorithms::sorted_run run;
      for (const auto& keys : blocks.keys) run.keys.push_back(keys.data());
      run.records = integers_ ? blocks.keys.front().data() : blocks.records.data();
      run.rows = blocks.rows;
      runs.push_back(std::move(run));
    }
    const std::vector<std::size_t> parts(key_bytes_.rbegin(), key_bytes_.rend());
    algorithms::merge_runs(run_.team, runs, parts, node_.out.size, limit_, out);
    if (integers_) restore_integers(out);
  }

  void restore_integers(std::byte* out) {
    constexpr std::int64_t piece = 1 << 16;
    const std::uint64_t flip = node_.as<sort_params>().flip;
    detail::parallel_chunks(run_.team, static_cast<std::size_t>(detail::ceil_div(run_.rows, piece)),
                            [&](std::size_t item, unsigned) {
                              const std::int64_t begin = static_cast<std::int64_t>(item) * piece;
                              const std::int64_t n = std::min(piece, run_.rows - begin);
                              std::byte* const at = out + bytes(begin, node_.out.size);
                              if (node_.out.size == 4)
                                flip_words<std::uint32_t>(at, n, flip);
                              else
                                flip_words<std::uint64_t>(at, n, flip);
                            });
  }

  stage_run& run_;
  const graph::node& node_;
  const bool on_host_;
  const std::vector<std::size_t> key_bytes_;
  const std::int64_t limit_;
  const bool integers_;
  std::vector<program> programs_;
  memory::device_buffer_ptr left_;
  device_session* left_on_ = nullptr;
  std::mutex mutex_;
  std::map<std::int64_t, run_blocks> runs_;  // by first row
};

class sort_operator final : public device_operator {
 public:
  ops::answer supports(const graph::node& n, bool on_host) const override {
    ops::answer answer{.launches = 24, .scratch_row_bytes = 24};
    for (const auto bytes : key_parts(n, on_host))
      if (bytes != 4 && bytes != 8)
        answer.why_not =
            n.name + ": keys that are strings or wider than 8 bytes are sorted on the CPU";
    if (n.stage.yields != detail::cardinality::one)
      answer.why_not =
          n.name + ": rows that a filter or flat_map yields are chosen from on the CPU";
    return answer;
  }
  void run(stage_run& stage) const override {
    sorting with(stage);
    stream_chunks(stage, with);
    with.finish();
  }
  program main_program(const graph::node& n) const override {
    return program_of(n, 0, key_parts(n, !codegen::element_of(n)->possible()).front());
  }
  kernel_entry main_entry(const graph::node&) const override { return keys_entry_8; }
};

}  // namespace

const device_operator& sort_on_devices() {
  static const sort_operator entry;
  return entry;
}

}  // namespace pappus::device_ops
