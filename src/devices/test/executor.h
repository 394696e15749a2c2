// The thread of a test device: runs jobs one after another, in the order given.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace pappus::devices::test {

struct job {
  std::chrono::microseconds delay{0};  ///< to sleep before it
  std::function<void()> work;          ///< must not throw
};

class executor {
 public:
  executor();
  ~executor();  ///< blocks until all jobs pushed so far have run

  /// Returns the job's number, from 1.
  std::uint64_t push(job next);
  /// The number of the job pushed last; 0: there was none.
  std::uint64_t latest() const noexcept { return pushed_; }
  /// Blocks until this job and all earlier ones have run.
  void wait(std::uint64_t number);

 private:
  void run() noexcept;

  std::uint64_t pushed_ = 0;  // used only by the thread that pushes and waits
  std::mutex mutex_;          // guards what follows
  std::condition_variable work_, done_;
  std::deque<job> jobs_;
  std::uint64_t completed_ = 0;
  bool stop_ = false;
  std::thread thread_;  // last: started when all else is there
};

}  // namespace pappus::devices::test
