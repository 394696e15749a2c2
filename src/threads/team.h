// The threads on which queries run.
//
// A team is a set of threads shared by all queries of a session. A query sees it through
// query_workers, which adds what belongs to one query: the items still to do, the first exception,
// and whether the query was cancelled. The calling thread always takes part, so nested and
// concurrent queries make progress even when all other threads are busy.
//
// An item that takes long shares out what is left of it (share()). Threads of the team that are
// free join in by themselves; those that wait for items of the same query do so, too.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "pappus/detail/base/parallel.h"
#include "trace/recorder.h"

namespace pappus::threads {

/// Threads. Implemented over oneTBB (tbb_team.cpp), or over std::thread where a sanitizer must see
/// the synchronisation.
class team {
 public:
  virtual ~team() = default;
  virtual unsigned threads() const noexcept = 0;

  /// Calls participant(context) on the calling thread and, as they become free, on up to `helpers`
  /// other threads; returns when every call that was started has returned. Calls not yet started
  /// when the calling thread's own returns are dropped or find nothing to do.
  virtual void join_in(unsigned helpers, void (*participant)(void*), void* context) = 0;
};

/// \param threads  at least 1; the caller counts as one.
std::unique_ptr<team> make_team(unsigned threads);

/// The number of cores that this process may use.
unsigned available_cores();

/// Counts cancellations of a session: a query is cancelled once the count has moved since it began.
using cancel_count = std::atomic<std::uint64_t>;

struct batch;  // query_workers.cpp

/// One query's view of a team.
class query_workers final : public detail::workers {
 public:
  /// \param recorder  told what the workers do; may be null.
  query_workers(team& threads, const cancel_count& cancels, trace::recorder* recorder = nullptr)
      : team_(threads),
        cancels_(cancels),
        began_(cancels.load(std::memory_order_relaxed)),
        recorder_(recorder) {}

  unsigned count() const noexcept override { return team_.threads(); }
  void run(std::size_t items, detail::parallel_body body, void* context) override;
  void share(std::size_t items, detail::parallel_body body, void* context) override;
  bool help() override;
  void record(trace::recorder* recorder) noexcept { recorder_ = recorder; }
  bool stopping() const noexcept override {
    return cancels_.load(std::memory_order_relaxed) != began_;
  }

 private:
  friend struct batch;
  static void take_part(void* work);

  /// Blocks until no other thread is in an item of `work`, whose items have all been taken;
  /// meanwhile helps with what other items share.
  void wait_for(batch& work);
  /// Wakes threads in wait_for(): a batch has ended, or a new one may be helped with.
  void tell_waiting();

  team& team_;
  const cancel_count& cancels_;
  const std::uint64_t began_;
  trace::recorder* recorder_;

  std::mutex mutex_;                  // guards shared_
  std::vector<batch*> shared_;        // batches whose items any thread of the query may take
  std::atomic<unsigned> sharing_{0};  // shared_.size()
  std::atomic<unsigned> waiting_{0};  // threads that sleep, or are about to
  std::condition_variable changed_;
};

}  // namespace pappus::threads
