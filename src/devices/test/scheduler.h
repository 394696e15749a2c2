// In which order the operations of several queues run.
//
// A device may run them in any order in which each queue keeps its own and events are respected,
// and may start them at once or not before somebody waits. A test must see many of these orders,
// and the same one again for the same seed. Were the order left to threads, it couldn't be
// repeated. So it is drawn when calls are made: each call starts a random number of operations,
// taken from random queues among those whose next operation may start, and hands them to one
// thread, which runs them in that order, late (executor.h). Operations that nobody flushes or waits
// for may stay behind for ever.
//
// All bookkeeping happens in calls, on the caller's thread. So an operation counts as under way
// until the caller has learnt from wait or finish that it is over, even if the thread ran it long
// ago: a buffer that is destroyed too early is found every time, not just when the thread was slow.
//
// A failed operation fails its queue for good, and those of other queues that wait for its event.
// Not here: what operations do (test_queue.cpp) and which of them fail (faults.h).
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "devices/test/executor.h"
#include "devices/test/random.h"
#include "devices/test/settings.h"

namespace pappus::devices::test {

/// Counts the operations under way that use a buffer or a kernel.
struct use_count {
  std::size_t operations = 0;
  std::string last;  ///< the latest of them: "launch of map (call 12)"
};

struct failure {
  fault what = fault::launch_failed;
  std::string text;
};

enum class outcome : std::uint8_t { complete, stopped_midway };

struct operation {
  std::string name;
  std::uint64_t call = 0, queue = 0;
  const void* owner = nullptr;  ///< the device; compared, never followed
  std::vector<std::shared_ptr<operation>> after;
  std::vector<use_count*> uses;
  std::function<void(outcome)> run;  ///< on the device's thread
  std::chrono::microseconds delay{0};
  std::optional<fault> injected;

  enum class state : std::uint8_t { waiting, started, over };
  state now = state::waiting;
  std::optional<failure> failed;
  std::uint64_t job = 0;  ///< the executor's job that runs it
};
using operation_ptr = std::shared_ptr<operation>;

class scheduler {
 public:
  explicit scheduler(std::uint64_t seed) : numbers_(~seed) {}

  std::uint64_t open_queue();
  void close_queue(std::uint64_t queue);  ///< runs or drops what is in it, and waits

  void enqueue(operation_ptr next);
  void flush(std::uint64_t queue);
  /// Blocks until an operation is over.
  std::optional<failure> wait(const operation_ptr& until);
  /// Blocks until all operations of a queue are over.
  std::optional<failure> finish(std::uint64_t queue);

  /// Everything that hasn't started fails.
  void lose(const std::string& why);
  const std::optional<failure>& lost() const noexcept { return lost_; }
  /// Numbers of the calls whose operations started, in that order.
  const std::vector<std::uint64_t>& order() const noexcept { return order_; }

 private:
  struct queue_state {
    std::deque<operation_ptr> waiting, started;
    std::optional<failure> failed;
  };

  bool can_start(const queue_state& queue) const;
  bool start_any();
  void start_all(const queue_state& queue);
  void start(queue_state& queue);
  void run(queue_state& queue, const operation_ptr& next);
  void drop_waiting(queue_state& queue);
  void drain(queue_state& queue);
  void learn_over(const operation_ptr& done);
  void drop(queue_state& queue, const operation_ptr& next);

  random numbers_;
  std::map<std::uint64_t, queue_state> queues_;
  std::uint64_t queues_opened_ = 0;
  std::optional<failure> lost_;
  std::vector<std::uint64_t> order_;
  executor thread_;
};

}  // namespace pappus::devices::test
