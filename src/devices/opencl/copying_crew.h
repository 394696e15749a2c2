// Threads that copy memory together.
//
// One core moves about 8 GB/s of memory, a PCIe 5 bus 50. So a copy is cut into pieces, and whoever
// is free takes the next: the caller, and helpers that sleep between copies. A helper that wakes
// when all pieces are taken isn't waited for, so a copy takes no longer than its caller alone would
// need, however busy the cores are.
//
// The session's team (threads/) isn't used: a device serves all sessions, and knows none of them.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <thread>
#include <vector>

namespace pappus::devices::opencl {

class copying_crew {
 public:
  /// \param threads  including the caller; the others start with the first copy that needs them
  explicit copying_crew(unsigned threads) : threads_(threads) {}
  ~copying_crew();
  copying_crew(const copying_crew&) = delete;
  copying_crew& operator=(const copying_crew&) = delete;

  /// Blocks until all is copied. Called by one thread at a time.
  void copy(void* to, const void* from, std::size_t bytes) noexcept;

 private:
  void start();
  void serve();
  void take_pieces() noexcept;

  const unsigned threads_;
  bool started_ = false;
  std::vector<std::thread> helpers_;

  // The copy under way. Written before open_ is set, and not before helpers are done with it.
  std::byte* to_ = nullptr;
  const std::byte* from_ = nullptr;
  std::size_t bytes_ = 0;
  std::atomic<std::size_t> next_{0};  // the first byte that nobody has taken

  std::mutex mutex_;  // guards what follows
  std::condition_variable opened_, done_;
  bool open_ = false;  // there may be pieces to take
  bool ending_ = false;
  unsigned at_work_ = 0;  // helpers
};

}  // namespace pappus::devices::opencl
