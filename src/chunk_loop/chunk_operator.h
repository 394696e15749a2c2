// What an operator does with chunks of a stage's rows: it enqueues the work of a chunk and later,
// when that is done, takes its results.
#pragma once

#include <cstdint>

#include "pappus/detail/base/chunks.h"

namespace pappus::chunk_loop {

class chunk_job;

/// Bytes of a chunk where nothing is copied, for operators that go through their input once and
/// leave little behind: large enough to make launches cheap, small enough to cancel between chunks.
inline constexpr double chunk_bytes_in_place = 64 << 20;

/// The same on a device that isn't like a CPU: a launch, and what the host does for it, take longer
/// than to reduce 32 MiB that lie there. Small enough to be copied while others are reduced.
inline constexpr double chunk_bytes_far_away = 256 << 20;

/// What an operator does with chunks. enqueue() and complete() are called by the thread of the
/// chunk's device, in chunk order per device; different devices at the same time.
class chunk_operator {
 public:
  virtual ~chunk_operator() = default;
  /// The number of a chunk's rows is a multiple of this, the last chunk's excepted.
  virtual std::int64_t unit_rows() const { return 1; }
  /// Device memory per row besides the input's, bytes.
  virtual double row_bytes() const = 0;
  /// Device memory that every chunk needs besides, bytes.
  virtual double chunk_bytes() const { return 0; }
  /// Bytes of a chunk that the operator would like, memory permitting; counts where it is more than
  /// the usual size (4 or 32 MiB, deal.cpp). Operators that must merge chunks ask for much.
  virtual double chunk_bytes_preferred() const { return 0; }
  /// Enqueues a chunk's kernels and copies. When it throws device_error it may be called again with
  /// smaller chunks of the same rows, so it must leave nothing of the failed chunk behind.
  virtual void enqueue(chunk_job& job) = 0;
  /// Takes the results of a chunk whose operations are done.
  virtual void complete(chunk_job& job) = 0;
  /// Whether the CPU would call the users' functions for every row. False for folds that may stop
  /// early, such as any(): the CPU might never come to the row whose check failed.
  virtual bool looks_at_all_rows() const { return true; }
  /// Takes the records that the CPU made of the chunk that begins at row `first`, after a check
  /// failed on the device. False: the operator can't use them.
  virtual bool take(std::int64_t /*first*/, const detail::row_set& /*records*/) { return false; }
};

}  // namespace pappus::chunk_loop
