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

/// Threads that serve requests, whoever they are from. They are started by the first one and take
/// no signals.
class transfers {
 public:
  transfers(std::shared_ptr<calls> through, unsigned threads)
      : through_(std::move(through)), threads_max_(threads) {}
  ~transfers();  ///< all requests must be done
  transfers(const transfers&) = delete;
  transfers& operator=(const transfers&) = delete;

  /// Some requests of one thread, which waits for them.
  class batch {
   public:
    explicit batch(transfers& by) : by_(by) {}
    ~batch();  ///< waits for all
    batch(const batch&) = delete;
    batch& operator=(const batch&) = delete;

    void submit(const request& asked);
    /// Blocks until one of the requests is done, in any order. To be called once for each.
    completion wait();
    std::size_t open() const noexcept { return open_; }  ///< submitted, and not waited for

   private:
    friend class transfers;
    transfers& by_;
    std::size_t open_ = 0;
    std::condition_variable changed_;
    std::vector<completion> done_;  // guarded by by_.mutex_
  };

 private:
  struct entry {
    request asked;
    batch* of;
  };
  void serve();
  completion carry_out(request asked);

  const std::shared_ptr<calls> through_;
  const unsigned threads_max_;
  std::mutex mutex_;  // guards what follows
  std::condition_variable work_;
  std::deque<entry> waiting_;
  std::size_t idle_ = 0;
  bool ending_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace pappus::io
