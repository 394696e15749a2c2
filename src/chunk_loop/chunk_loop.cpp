// The loop over a stage's chunks, on one device or several.
//
// Each device has two chunks under way: while the kernels of one run, the next is uploaded and the
// one before it downloaded. A chunk that doesn't fit is halved, and so are those after it; nothing
// that was computed is lost. One that can't be halved takes what it is made of from the host.
// Anything else that goes wrong ends the stage here; who called decides where it runs next.
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

#include "algorithms/rows_in.h"
#include "chunk_loop/chunk_job.h"
#include "chunk_loop/chunk_loop.h"
#include "chunk_loop/deal.h"
#include "chunk_loop/overlaps.h"
#include "pappus/detail/base/integers.h"
#include "pappus/error.h"

namespace pappus::chunk_loop {
namespace {

using devices::device_error;
using devices::fault;

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
  driver(stage_run& run, chunk_operator& with, device_session& on, std::deque<row_range> work,
         first_failed& failed)
      : run_(run), with_(with), on_(on), work_(std::move(work)), failed_(failed) {
    // Large chunks are quick where nothing is copied, unless the user's functions are slow. Then
    // they stay small, so that cancelling needn't wait for long. What sorts and groups a chunk
    // wants it large all the same.
    constexpr double first_bytes = 16 << 20;
    const bool on_host =
        std::ranges::all_of(run.inputs, [](const auto& i) { return i.host != nullptr; });
    if (run.chunk_rows == 0 && on_host && with.chunk_bytes_preferred() == chunk_bytes_in_place)
      rows_max_ = detail::round_up(
          static_cast<std::int64_t>(first_bytes / bytes_per_row(run, with)) + 1, with.unit_rows());
  }

  /// Until all chunks are done, or all before the first in which a check failed.
  void drive() {
    const std::lock_guard lock(on_.on().lock);
    if (on_.on().lost)
      throw device_error(fault::lost, on_.about().name, "the device was lost earlier");
    on_.forget_old_kernels();
    try {
      while (true) {
        // Asked once a round: meanwhile a check may fail on another device.
        const bool next = has_next();
        if (!next && under_way_.empty()) break;
        if (run_.team.stopping()) throw cancelled();
        try {
          if (!next || under_way_.size() == jobs_under_way)
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
    const row_range chunk = work_.front();
    if (!with_.looks_at_all_rows())
      throw needs_cpu{"a check in one of its functions failed, and the CPU may not get that far"};
    if (!with_.take(chunk.first, *run_.rows_on_cpu(run_, chunk.first, chunk.rows)))
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
    if (auto& front = work_.front(); front.rows > rows_max_) {
      const row_range rest{front.first + rows_max_, front.rows - rows_max_};
      front.rows = rows_max_;
      work_.insert(work_.begin() + 1, rest);
    }
    const row_range next = work_.front();
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
    if (rows_done == rows_max_ && begun_ - begun < little) rows_max_ *= 4;
  }

  void halve(row_range failed, std::string_view reason) {
    const std::int64_t unit = with_.unit_rows();
    const std::int64_t most = detail::round_up((failed.rows + 1) / 2, unit);
    if (most >= failed.rows) {
      if (move_inputs(failed)) return;
      throw device_error(fault::out_of_memory, on_.about().name,
                         fmt::format("{}: not even {} rows fit in the device's memory ({})",
                                     run_.owner, failed.rows, reason));
    }
    std::deque<row_range> smaller;
    for (const auto& whole : work_)
      for (std::int64_t row = 0; row < whole.rows; row += most)
        smaller.push_back({whole.first + row, std::min(most, whole.rows - row)});
    work_ = std::move(smaller);
    shrank_ = true;
  }

  /// Moves what a chunk is copied together from: so long as that lies here the chunk takes its
  /// place twice. False: nothing was moved.
  bool move_inputs(row_range of) {
    bool moved = false;
    for (const auto& input : run_.inputs)
      if (!input.host)
        for_overlaps(input.device->chunks(), of.first, of.rows,
                     [&](const auto& c, std::int64_t, std::int64_t) {
                       if (c.on == &on_) moved |= c.part->move_to_host();
                     });
    return moved;
  }

  void finish_queues() {
    on_.uploads().finish();
    on_.kernels().finish();
    on_.downloads().finish();
  }

  /// Nothing of what was enqueued may use memory that is given back below.
  void abandon(bool lost) noexcept {
    on_.come_to_rest(lost);
    under_way_.clear();
    on_.start_anew();
  }

  stage_run& run_;
  chunk_operator& with_;
  device_session& on_;
  std::deque<row_range> work_;
  std::deque<std::unique_ptr<chunk_job>> under_way_;
  first_failed& failed_;
  bool shrank_ = false;
  std::size_t chunks_ = 0;

  using clock = std::chrono::steady_clock;
  std::int64_t rows_max_ = std::numeric_limits<std::int64_t>::max() / 2;  // a chunk, for now
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

}  // namespace pappus::chunk_loop
