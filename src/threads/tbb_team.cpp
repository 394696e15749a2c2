// The team over oneTBB: the only file that includes it.
#ifndef PAPPUS_STD_THREADS

#include <optional>

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#include "threads/team.h"

namespace pappus::threads {
namespace {

class tbb_team final : public team {
 public:
  explicit tbb_team(unsigned threads) : threads_(threads), arena_(static_cast<int>(threads)) {
    // oneTBB starts no more threads than there are cores unless told so; tests ask for more.
    if (threads > available_cores())
      control_.emplace(oneapi::tbb::global_control::max_allowed_parallelism, threads);
  }

  unsigned threads() const noexcept override { return threads_; }

  void join_in(unsigned helpers, void (*participant)(void*), void* context) override {
    arena_.execute([&] {
      // While it waits, this thread must not pick up items of an outer call: those may wait for
      // ours. An isolated wait runs tasks that were spawned in its scope alone, so ours must be
      // among them.
      oneapi::tbb::this_task_arena::isolate([&] {
        oneapi::tbb::task_group group;
        for (unsigned i = 0; i < helpers; ++i) group.run([=] { participant(context); });
        participant(context);
        group.wait();
      });
    });
  }

 private:
  unsigned threads_;
  std::optional<oneapi::tbb::global_control> control_;
  oneapi::tbb::task_arena arena_;
};

}  // namespace

std::unique_ptr<team> make_team(unsigned threads) { return std::make_unique<tbb_team>(threads); }

}  // namespace pappus::threads

#endif
