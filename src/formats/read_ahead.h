// A compressed file's bytes, decompressed by a thread of its own while others work on what it has
// handed out: decompression can't be shared, and so is all that a query over a gzip file waits for.
//
// The first block is small and needs no thread: the header of a file is there at once, and small
// files are. Afterwards the thread keeps two blocks ready at most.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <span>
#include <thread>

#include "formats/codecs/decompressor.h"

namespace pappus::formats {

/// Used by one thread.
class read_ahead {
 public:
  /// Both must outlive it. Throws memory_error.
  read_ahead(compression by, const byte_source& source, detail::memory_source& memory);
  read_ahead(const read_ahead&) = delete;
  read_ahead& operator=(const read_ahead&) = delete;
  ~read_ahead();

  /// As decompressor::read().
  std::size_t read(std::span<std::byte> out);

  /// Whether read() has come to the end. Waits until that's known.
  bool ended();

  /// Bytes of the file that what was handed out took, about. From any thread.
  std::int64_t stored_read() const noexcept { return taken_.load(std::memory_order_relaxed); }

  /// The most bytes of memory that it takes besides the decompressor.
  static std::size_t bytes_max() noexcept;

 private:
  struct block {
    detail::buffer memory;
    std::size_t bytes = 0;
    std::int64_t stored_end = 0;  ///< of the file, behind what these bytes took
    bool last = false;
    std::exception_ptr failure{};  ///< behind the bytes
  };

  void decompress(block& to);
  void work();
  void start();
  block& front();
  void pass();

  detail::memory_source& memory_;
  const std::string owner_;
  std::unique_ptr<decompressor> from_;
  std::array<block, 3> blocks_;
  std::size_t front_ = 0;  // the block that is handed out
  std::size_t used_ = 0;   // bytes of it that were
  std::atomic<std::int64_t> taken_{0};

  std::thread thread_;
  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::size_t ready_ = 0;  // blocks that have their bytes, the front one first
  bool stopping_ = false;
};

}  // namespace pappus::formats
