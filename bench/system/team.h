// A pool of threads for the hand-written benchmark versions, which must not lean on the engine they
// are compared with.
//
// Items are handed out by an atomic ticket, so a core that someone else disturbs takes fewer of
// them. Threads spin for some microseconds before they sleep, because benchmarks start one parallel
// loop right after another. A thread that wakes too late for a loop finds it closed and is not
// waited for.
//
// Not here: nesting, exceptions (a body must not throw), pinning.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <type_traits>
#include <vector>

namespace pappus::bench {

class team {
 public:
  /// `threads` counts the caller; at least 1, at most 1000.
  explicit team(int threads);
  ~team();
  team(const team&) = delete;
  team& operator=(const team&) = delete;

  int threads() const { return static_cast<int>(workers_.size()) + 1; }

  /// Calls body(item, worker) once for each item in [0, items), worker in [0, threads()); returns
  /// when all are done and their writes are visible. Only one thread may call it at a time.
  template <class Body>
  void run(std::int64_t items, Body&& body) {
    using callee = std::remove_reference_t<Body>;
    call_ = [](void* context, std::int64_t item, int worker) {
      (*static_cast<callee*>(context))(item, worker);
    };
    context_ = const_cast<void*>(static_cast<const void*>(std::addressof(body)));
    items_ = items;
    run_erased();
  }

  /// The same over [0, n) cut into pieces: body(begin, end, worker).
  template <class Body>
  void run_pieces(std::int64_t n, std::int64_t piece, Body&& body) {
    run((n + piece - 1) / piece, [&](std::int64_t item, int worker) {
      const std::int64_t begin = item * piece;
      body(begin, begin + piece < n ? begin + piece : n, worker);
    });
  }

 private:
  void run_erased();
  void serve(int worker);
  void drain(int worker);

  void (*call_)(void*, std::int64_t, int) = nullptr;
  void* context_ = nullptr;
  std::int64_t items_ = 0;
  alignas(64) std::atomic<std::int64_t> ticket_ = 0;
  // Number of the loop, whether it is open, how many workers are inside, in one word: see team.cpp.
  alignas(64) std::atomic<std::uint32_t> state_ = 0;
  std::atomic<bool> stop_ = false;
  std::vector<std::thread> workers_;
};

}  // namespace pappus::bench
