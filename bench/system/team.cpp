#include "system/team.h"

#include <chrono>

namespace pappus::bench {
namespace {

constexpr std::uint32_t inside_one = 1;
constexpr std::uint32_t inside_mask = 0x3ff;
constexpr std::uint32_t open_bit = 0x400;
constexpr std::uint32_t loop_one = 0x800;

constexpr std::uint32_t loop_of(std::uint32_t state) { return state / loop_one; }

void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

// Long enough to bridge the gap between two loops of one benchmark, short enough not to take a core
// from a neighbour.
constexpr auto spin_time = std::chrono::microseconds(50);

}  // namespace

team::team(int threads) {
  for (int worker = 1; worker < threads; ++worker) {
    workers_.emplace_back([this, worker] { serve(worker); });
  }
}

team::~team() {
  stop_ = true;
  state_ += loop_one;
  state_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void team::drain(int worker) {
  for (;;) {
    const std::int64_t item = ticket_.fetch_add(1, std::memory_order_relaxed);
    if (item >= items_) return;
    call_(context_, item, worker);
  }
}

void team::run_erased() {
  ticket_.store(0, std::memory_order_relaxed);
  if (items_ > 1 && !workers_.empty()) {
    state_.fetch_add(loop_one + open_bit, std::memory_order_release);
    state_.notify_all();
    drain(0);
    state_.fetch_sub(open_bit, std::memory_order_relaxed);
    for (int spins = 0; state_.load(std::memory_order_acquire) & inside_mask; ++spins) {
      if (spins < 4096) {
        relax();
      } else {
        std::this_thread::yield();
      }
    }
  } else {
    drain(0);
  }
}

void team::serve(int worker) {
  std::uint32_t served = 0;
  while (!stop_) {
    std::uint32_t state = state_.load(std::memory_order_acquire);
    const auto idle_since = std::chrono::steady_clock::now();
    while (loop_of(state) == served) {
      if (std::chrono::steady_clock::now() - idle_since > spin_time) state_.wait(state);
      relax();
      state = state_.load(std::memory_order_acquire);
    }
    served = loop_of(state);
    // Entering succeeds only while the loop is open, so the fields of the loop are stable until we
    // leave.
    while ((state & open_bit) && loop_of(state) == served) {
      if (!state_.compare_exchange_weak(state, state + inside_one, std::memory_order_acq_rel)) {
        continue;
      }
      drain(worker);
      state_.fetch_sub(inside_one, std::memory_order_release);
      break;
    }
  }
}

}  // namespace pappus::bench
