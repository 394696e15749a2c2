// Reads and writes of files beside the threads that compute: a few threads of blocking calls.
//
// Not io_uring: the usual containers forbid it, so threads are needed anyway, and with requests of
// 1 MiB both reach the disk.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "io/calls.h"

namespace pappus::io {

struct request {
  enum class kind : std::uint8_t { read, write, allocate } what = kind::read;
  int file = -1;
  std::uint64_t offset = 0;
  std::size_t bytes = 0;
  std::byte* memory = nullptr;  ///< is left alone until the request is done
  std::size_t number = 0;       ///< of the caller's choice, for completion
};

struct completion {
  std::size_t number = 0;
  int problem = 0;           ///< errno; 0: all bytes were transferred. A file's end is ENODATA
  std::uint64_t offset = 0;  ///< where the problem was
};

/// Threads that serve requests, whoever they are from. They are started when there is more to do
/// than others do, and take no signals.
class transfers {
  struct completions;

 public:
  transfers(std::shared_ptr<calls> through, unsigned threads);
  ~transfers();  ///< all requests must be done
  transfers(const transfers&) = delete;
  transfers& operator=(const transfers&) = delete;

  /// Some requests of one thread, which waits for them, and carries out a read itself where it has
  /// nothing else to do: to hand over a small one takes as long as to read it. What may not take a
  /// signal, as writes, it leaves to the threads.
  class batch {
   public:
    explicit batch(transfers& by) : by_(by), shared_(std::make_shared<completions>()) {}
    ~batch();  ///< waits for all that are under way
    batch(const batch&) = delete;
    batch& operator=(const batch&) = delete;

    void submit(const request& asked);
    /// Blocks until one of the requests is done, in any order. To be called once for each.
    completion wait();
    std::size_t open() const noexcept { return open_; }  ///< submitted, and not waited for

   private:
    friend class transfers;
    void hand_over(const request& asked);
    transfers& by_;
    std::size_t open_ = 0;
    std::optional<request> own_;  // a read that the thread has kept to itself
    std::shared_ptr<completions> shared_;
  };

 private:
  /// Of a batch. It is notified after the mutex was released, as who waits takes that: it may be
  /// gone by then, but for this.
  struct completions {
    std::condition_variable changed;
    std::vector<completion> done;  // guarded by mutex_
  };
  struct entry {
    request asked;
    std::shared_ptr<completions> of;
  };
  /// A thread, which waits for a condition of its own: where several wait for one, glibc before
  /// 2.41 may lose a notification (its bug 25847).
  struct server {
    std::thread thread;
    std::condition_variable called;
    bool idle = false;
  };
  void start_one();
  server* called() noexcept;
  void serve(server& own);
  completion carry_out(request asked) const;

  const std::shared_ptr<calls> through_;
  const unsigned threads_max_;
  std::mutex mutex_;  // guards what follows
  std::deque<entry> waiting_;
  bool ending_ = false;
  std::deque<server> servers_;  // whose places don't change
  std::vector<server*> idle_;   // the last to become so is called first
};

}  // namespace pappus::io
