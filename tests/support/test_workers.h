// Workers for tests: plain threads, started for each run, so that any number of them can be asked
// for on any machine.
//
// Nothing here is fast. It keeps the contract of detail::workers to the letter: items start in
// ascending order, one item at a time per worker index, and of several exceptions the one of the
// lowest item reaches the caller.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <limits>
#include <mutex>
#include <thread>
#include <vector>

#include "pappus/detail/base/parallel.h"
#include "pappus/error.h"

namespace pappus::testing {

class test_workers final : public detail::workers {
 public:
  explicit test_workers(unsigned count) : count_(std::max(1u, count)) {}

  unsigned count() const noexcept override { return count_; }

  void run(std::size_t items, detail::parallel_body body, void* context) override {
    round work{items, body, context};
    const auto threads = static_cast<unsigned>(std::min<std::size_t>(count_, items));
    std::vector<std::thread> team;
    for (unsigned worker = 1; worker < threads; ++worker) {
      team.emplace_back([this, &work, worker] { take_items(work, worker); });
    }
    take_items(work, 0);
    for (std::thread& member : team) member.join();
    if (work.failure) std::rethrow_exception(work.failure);
    if (stopping()) throw cancelled();
  }

  bool stopping() const noexcept override { return stop_.load(std::memory_order_relaxed); }

  /// Asks the running and all later runs to stop.
  void cancel() noexcept { stop_ = true; }

 private:
  struct round {
    std::size_t items;
    detail::parallel_body body;
    void* context;
    std::atomic<std::size_t> next{0};
    std::atomic<bool> failed{false};
    std::mutex lock{};
    std::size_t failed_item = std::numeric_limits<std::size_t>::max();
    std::exception_ptr failure{};
  };

  void take_items(round& work, unsigned worker) {
    while (!work.failed.load() && !stopping()) {
      const std::size_t item = work.next.fetch_add(1);
      if (item >= work.items) return;
      try {
        work.body(work.context, item, worker);
      } catch (...) {
        const std::lock_guard hold(work.lock);
        if (item < work.failed_item) {
          work.failed_item = item;
          work.failure = std::current_exception();
        }
        work.failed = true;
      }
    }
  }

  unsigned count_;
  std::atomic<bool> stop_{false};
};

}  // namespace pappus::testing
