// The loop over a stage's chunks, on one device or several. See stage.h.
//
// Each device has two chunks under way: while the kernels of one run, the next is uploaded and the
// one before it downloaded. A chunk that doesn't fit is halved, and so are those after it; nothing
// that was computed is lost. Anything else that goes wrong ends the stage here; who called decides
// where it runs next.
//
// Where a check of a user's function failed in a chunk, chunks after it wait until those before it
// are done, on all devices. Then the CPU computes the first such chunk and, as a rule, throws: what
// it would have thrown of all rows, for it throws what the first of them throws. Where the check
// holds on the CPU (it may depend on the last digit of a sine), the chunk is the CPU's.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <deque>
#include <exception>
#include <limits>
#include <string_view>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "device_ops/overlaps.h"
#include "device_ops/stage.h"
#include "ops/core/rows_in.h"
#include "pappus/error.h"

namespace pappus::device_ops {
namespace {

using devices::device_error;
using devices::fault;

constexpr std::size_t jobs_under_way = 2;
// Enough to hide a launch, small enough to overlap. What is copied within the host's memory is best
// used while it is in the caches.
constexpr double chunk_bytes_far = 32 << 20, chunk_bytes_near = 4 << 20;

struct range {
  std::int64_t first, rows;
};

/// Which rows each device computes.
using share = std::vector<std::deque<range>>;

double bytes_per_row(const stage_run& run, const chunk_operator& with) {
  double bytes = with.row_bytes();
  for (const auto& input : run.inputs) bytes += static_cast<double>(input.layout().size);
  for (const auto& parts : run.parts) bytes += static_cast<double>(total(parts));
  return std::max(bytes, 1.0);
}

std::int64_t rounded_up(std::int64_t rows, std::int64_t unit) {
  return (rows + unit - 1) / unit * unit;
}

/// Rows a chunk for which the smallest of the devices has room, by its limit alone: what is in use
/// just now must not shape chunks, or a loop wouldn't find its input again.
std::int64_t rows_a_chunk(const stage_run& run, const chunk_operator& with) {
  const std::int64_t unit = with.unit_rows();
  double side_bytes = 0;
  for (std::size_t i = 0; i < run.sides.size(); ++i)
    side_bytes += static_cast<double>(is_join_index(run.node, i) ? image_of(*run.sides[i]).bytes()
                                                                 : run.sides[i]->bytes());
  double room = 1e18;
  for (const auto* device : run.devices)
    room = std::min(room, 0.9 * static_cast<double>(device->memory().limit()));
  room = std::max((room - side_bytes) / jobs_under_way, 0.0);
  // Small chunks need less than chunk_bytes(): where little would be left, let halving find out.
  room -= std::min(with.chunk_bytes(), room / 2);
  // Unless an operator wants large ones, chunks leave room for others to be kept.
  const double usual =
      run.devices.front()->about().host_memory ? chunk_bytes_near : chunk_bytes_far;
  const double bytes = with.chunk_bytes_preferred() > usual
                           ? std::min(room, with.chunk_bytes_preferred())
                           : std::min(room / 2, usual);
  auto rows = static_cast<std::int64_t>(bytes / bytes_per_row(run, with));
  double largest_row = static_cast<double>(run.node.out.size);
  for (const auto& input : run.inputs)
    largest_row = std::max(largest_row, static_cast<double>(input.layout().size));
  for (const auto* device : run.devices)
    rows = std::min(rows, static_cast<std::int64_t>(
                              static_cast<double>(device->about().buffer_bytes_max) / largest_row));
  if (run.chunk_rows > 0) rows = std::min(rows, run.chunk_rows);
  const auto devices = static_cast<std::int64_t>(run.devices.size());
  rows = std::min(rows, (run.rows + devices - 1) / devices);
  return rows <= unit ? unit : rows / unit * unit;
}

/// Inputs that lie on devices decide where their rows are computed, if that is possible for all.
bool follow_input(stage_run& run, const chunk_operator& with, share& shares) {
  const device_rows* lying = nullptr;
  for (const auto& input : run.inputs)
    if (!input.host) {
      if (lying != nullptr && lying != input.device.get()) return false;
      lying = input.device.get();
    }
  if (lying == nullptr || with.unit_rows() != 1 || lying->rows() != run.rows) return false;
  std::vector<std::deque<range>> found(run.devices.size());
  const auto most = rows_a_chunk(run, with);
  for (const auto& chunk : lying->chunks()) {
    const auto at = std::find(run.devices.begin(), run.devices.end(), chunk.on);
    if (at == run.devices.end()) return false;
    auto& own = found[static_cast<std::size_t>(at - run.devices.begin())];
    if (chunk.rows <= 2 * most)
      own.push_back({chunk.first, chunk.rows});
    else
      for (std::int64_t row = 0; row < chunk.rows; row += most)
        own.push_back({chunk.first + row, std::min(most, chunk.rows - row)});
  }
  shares = std::move(found);
  return true;
}

/// Inputs all of whose chunks lie on one of the stage's devices: that one runs the stage. What lies
/// elsewhere goes through the host.
void gather_input(stage_run& run) {
  device_session* only = nullptr;
  bool one_device = true;
  for (const auto& input : run.inputs)
    if (!input.host)
      for (const auto& chunk : input.device->chunks()) {
        one_device = one_device && (only == nullptr || only == chunk.on);
        only = chunk.on;
      }
  if (only == nullptr) return;
  if (one_device && std::find(run.devices.begin(), run.devices.end(), only) != run.devices.end()) {
    run.devices = {only};
    return;
  }
  for (auto& input : run.inputs)
    if (!input.host) input.host = download(*input.device, run.host_memory, run.who);
}

share deal(stage_run& run, const chunk_operator& with) {
  share shares;
  if (follow_input(run, with, shares)) return shares;
  gather_input(run);
  shares.assign(run.devices.size(), {});
  const auto rows = rows_a_chunk(run, with);
  std::size_t next = 0;
  for (std::int64_t first = 0; first < run.rows; first += rows, ++next)
    shares[next % shares.size()].push_back({first, std::min(rows, run.rows - first)});
  return shares;
}

/// Where the first chunk begins, of all devices', in which a check failed.
class first_failed {
 public:
  std::int64_t row() const noexcept { return row_.load(std::memory_order_relaxed); }
  void note(std::int64_t row) noexcept {
    auto known = row_.load(std::memory_order_relaxed);
    while (row < known && !row_.compare_exchange_weak(known, row)) {
    }
  }
  void forget() noexcept { row_ = none; }

 private:
  static constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
  std::atomic<std::int64_t> row_{none};
};

/// One device at work on its share.
class driver {
 public:
  driver(stage_run& run, chunk_operator& with, device_session& on, std::deque<range> work,
         first_failed& failed)
      : run_(run), with_(with), on_(on), work_(std::move(work)), failed_(failed) {
    // Large chunks are quick where nothing is copied, unless the user's functions are slow. Then
    // they stay small, so that cancelling needn't wait for long. What sorts and groups a chunk
    // wants it large all the same.
    constexpr double first_bytes = 16 << 20;
    const bool on_host =
        std::ranges::all_of(run.inputs, [](const auto& i) { return i.host != nullptr; });
    if (run.chunk_rows == 0 && on_host && with.chunk_bytes_preferred() == chunk_bytes_in_place)
      most_rows_ = rounded_up(static_cast<std::int64_t>(first_bytes / bytes_per_row(run, with)) + 1,
                              with.unit_rows());
  }

  /// Until all chunks are done, or all before the first in which a check failed.
  void drive() {
    const std::lock_guard lock(on_.on().lock);
    if (on_.on().lost)
      throw device_error(fault::lost, on_.about().name, "the device was lost earlier");
    on_.forget_old_kernels();
    try {
      while (has_next() || !under_way_.empty()) {
        if (run_.team.stopping()) throw cancelled();
        try {
          if (!has_next() || under_way_.size() == jobs_under_way)
            complete_oldest();
          else
            enqueue_next();
        } catch (const check_failed& e) {
          hold_back(e.first);
        }
      }
    } catch (const device_error& e) {
      abandon(e.what_failed == fault::lost);
      throw;
    } catch (...) {
      abandon(false);
      throw;
    }
  }

  /// Whether the chunk is this device's in which a check failed before all others.
  bool holds_failed() const { return !work_.empty() && work_.front().first == failed_.row(); }
  /// Has the CPU compute it.
  void leave_to_cpu() {
    const range chunk = work_.front();
    if (!with_.looks_at_all_rows())
      throw needs_cpu{"a check in one of its functions failed, and the CPU may not get that far"};
    if (!with_.take(chunk.first, *rows_on_cpu(run_, chunk.first, chunk.rows)))
      throw needs_cpu{"a check failed in one of its functions, but not on the CPU"};
    work_.pop_front();
  }

  bool shrank() const noexcept { return shrank_; }
  std::size_t chunks() const noexcept { return chunks_; }  ///< done
  const std::string& name() const noexcept { return on_.about().name; }

 private:
  bool has_next() const { return !work_.empty() && work_.front().first < failed_.row(); }

  /// Chunks from this row on aren't wanted for now.
  void hold_back(std::int64_t row) {
    failed_.note(row);
    finish_queues();
    while (!under_way_.empty() && under_way_.back()->first >= row) {
      const auto& job = *under_way_.back();
      if (work_.empty() || work_.front().first != job.first)
        work_.push_front({job.first, job.rows});
      under_way_.pop_back();
    }
  }

  void enqueue_next() {
    if (auto& front = work_.front(); front.rows > most_rows_) {
      const range rest{front.first + most_rows_, front.rows - most_rows_};
      front.rows = most_rows_;
      work_.insert(work_.begin() + 1, rest);
    }
    const range next = work_.front();
    // Known to abandon() from the start: what was enqueued for it uses its memory.
    under_way_.push_back(std::make_unique<chunk_job>(on_, run_, next.first, next.rows));
    auto& job = *under_way_.back();
    on_.work_for(&job);
    try {
      job.upload();
      with_.enqueue(job);
      job.enqueued();
    } catch (const device_error& e) {
      if (e.what_failed != fault::out_of_memory) throw;
      finish_queues();
      under_way_.pop_back();
      if (under_way_.empty()) halve(next, e.what());
      while (!under_way_.empty()) complete_oldest();  // then there may be room
      return;
    }
    work_.pop_front();
    if (under_way_.size() == 1) begun_ = clock::now();
  }

  void complete_oldest() {
    auto& job = *under_way_.front();
    on_.work_for(&job);
    job.complete();
    with_.complete(job);
    grow(job.rows);
    ++chunks_;
    under_way_.pop_front();
  }

  /// Makes chunks that begin small larger while they take little time.
  void grow(std::int64_t rows_done) {
    constexpr std::chrono::milliseconds little{25};
    const auto begun = std::exchange(begun_, clock::now());
    if (rows_done == most_rows_ && begun_ - begun < little) most_rows_ *= 4;
  }

  void halve(range failed, std::string_view reason) {
    const std::int64_t unit = with_.unit_rows();
    const std::int64_t most = rounded_up((failed.rows + 1) / 2, unit);
    if (most >= failed.rows)
      throw device_error(fault::out_of_memory, on_.about().name,
                         fmt::format("{}: not even {} rows fit in the device's memory ({})",
                                     run_.who, failed.rows, reason));
    std::deque<range> smaller;
    for (const auto& whole : work_)
      for (std::int64_t row = 0; row < whole.rows; row += most)
        smaller.push_back({whole.first + row, std::min(most, whole.rows - row)});
    work_ = std::move(smaller);
    shrank_ = true;
  }

  void finish_queues() {
    on_.uploads().finish();
    on_.kernels().finish();
    on_.downloads().finish();
  }

  /// Nothing of what was enqueued may use memory that is given back below.
  void abandon(bool lost) noexcept {
    if (lost) on_.on().lost = true;
    for (auto* queue : {&on_.uploads(), &on_.kernels(), &on_.downloads()}) bring_to_rest(*queue);
    under_way_.clear();
    try {
      on_.memory().drop();
      if (!lost) on_.renew_queues();
    } catch (const device_error&) {
      on_.on().lost = true;
    }
  }

  stage_run& run_;
  chunk_operator& with_;
  device_session& on_;
  std::deque<range> work_;
  std::deque<std::unique_ptr<chunk_job>> under_way_;
  first_failed& failed_;
  bool shrank_ = false;
  std::size_t chunks_ = 0;

  using clock = std::chrono::steady_clock;
  std::int64_t most_rows_ = std::numeric_limits<std::int64_t>::max() / 2;  // a chunk, for now
  clock::time_point begun_{};  // the oldest chunk under way, or after the one before it
};

/// All devices at work at the same time, the first on this thread. Throws what the first of them
/// threw that did.
void drive(std::deque<driver>& drivers) {
  std::vector<std::exception_ptr> failed(drivers.size());
  const auto drive_one = [&](std::size_t i) {
    try {
      drivers[i].drive();
    } catch (...) {
      failed[i] = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 1; i < drivers.size(); ++i) threads.emplace_back(drive_one, i);
    if (!drivers.empty()) drive_one(0);
  }
  for (const auto& failure : failed)
    if (failure) std::rethrow_exception(failure);
}

}  // namespace

void stream_chunks(stage_run& run, chunk_operator& with) {
  take_values(run);
  auto shares = deal(run, with);
  std::deque<driver> drivers;  // they don't move
  first_failed failed;
  std::size_t on_cpu = 0;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    if (!shares[i].empty())
      drivers.emplace_back(run, with, *run.devices[i], std::move(shares[i]), failed);
  }
  while (true) {
    drive(drivers);
    const auto holder = std::ranges::find_if(drivers, &driver::holds_failed);
    if (holder == drivers.end()) break;
    holder->leave_to_cpu();
    failed.forget();
    ++on_cpu;
  }
  for (const auto& input : run.inputs)
    if (input.host)
      for (auto* device : run.devices) {
        const std::lock_guard lock(device->on().lock);
        device->remember(input.host);
      }
  std::size_t chunks = on_cpu;
  for (const auto& d : drivers) chunks += d.chunks();
  if (chunks > 1 || drivers.size() > 1)
    run.note += fmt::format("{} chunks on {} device{}; ", chunks, drivers.size(),
                            drivers.size() == 1 ? "" : "s");
  if (on_cpu > 0)
    run.note += fmt::format("{} chunk{} from the CPU, where no check failed; ", on_cpu,
                            on_cpu == 1 ? "" : "s");
  for (const auto& d : drivers)
    if (d.shrank()) run.faults.push_back(d.name() + ": memory was short, so chunks were halved");
}

detail::rows_ptr download(const device_rows& rows, const std::shared_ptr<memory::pool>& host,
                          std::string_view who) {
  return download(rows, 0, rows.rows(), host, who);
}

detail::rows_ptr download(const device_rows& rows, std::int64_t first, std::int64_t count,
                          const std::shared_ptr<memory::pool>& host, std::string_view who) {
  const std::size_t row_bytes = rows.layout().size;
  detail::block memory(*host, static_cast<std::size_t>(count) * row_bytes, who);
  for_overlaps(
      rows.chunks(), first, count, [&](const auto& chunk, std::int64_t row, std::int64_t n) {
        const std::lock_guard lock(chunk.on->on().lock);
        if (chunk.on->on().lost)
          throw device_error(fault::lost, chunk.on->about().name,
                             fmt::format("{}: its rows were on this device", who));
        try {
          chunk.on->read_and_wait(chunk.on->downloads(), *chunk.block->memory,
                                  static_cast<std::size_t>(row - chunk.first) * row_bytes,
                                  memory.data() + static_cast<std::size_t>(row - first) * row_bytes,
                                  static_cast<std::size_t>(n) * row_bytes);
        } catch (const device_error& e) {
          if (e.what_failed == fault::lost)
            chunk.on->on().lost = true;
          else
            chunk.on->renew_queues();
          throw;
        }
      });
  return ops::rows_in(std::move(memory), rows.layout(), count, host);
}

void keep_copies(const device_rows& rows, const detail::rows_ptr& on_host) {
  for (const auto& chunk : rows.chunks()) {
    const std::lock_guard lock(chunk.on->on().lock);
    chunk.on->memory().keep(on_host, chunk.first, chunk.rows, chunk.block);
  }
}

}  // namespace pappus::device_ops
