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
  std::chrono::microseconds delay{0};  ///< before it
  std::function<void()> work;          ///< must not throw
};

class executor {
 public:
  executor();
  ~executor();  ///< after the jobs given so far

  /// Returns the job's number, from 1.
  std::uint64_t push(job next);
  /// Number of the latest job; 0: there was none.
  std::uint64_t latest() const noexcept { return pushed_; }
  /// Blocks until this job and all earlier ones have run.
  void wait(std::uint64_t number);

 private:
  void run() noexcept;

  std::uint64_t pushed_ = 0;  // of the thread that pushes and waits
  std::mutex mutex_;          // guards what follows
  std::condition_variable work_, done_;
  std::deque<job> jobs_;
  std::uint64_t completed_ = 0;
  bool stop_ = false;
  std::thread thread_;  // last: started when all else is there
};

}  // namespace pappus::devices::test
