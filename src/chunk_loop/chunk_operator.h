// What an operator does with chunks of a stage's rows: it enqueues the work of a chunk and later,
// when that is done, takes its results.
#pragma once

#include <cstdint>

#include "pappus/detail/base/chunks.h"

namespace pappus::chunk_loop {

class chunk_job;

/// Rows of a chunk for operators that go through their input once and leave little behind, where
/// nothing is copied: enough to make launches cheap, few enough to be cancelled between.
inline constexpr double chunk_bytes_in_place = 64 << 20;

/// What an operator does with chunks. enqueue() and complete() are called by the thread of the
/// chunk's device, in chunk order per device; different devices at the same time.
class chunk_operator {
 public:
  virtual ~chunk_operator() = default;
  /// Chunks are multiples of so many rows.
  virtual std::int64_t unit_rows() const { return 1; }
  /// Device memory per row besides the input's, bytes.
  virtual double row_bytes() const = 0;
  /// Device memory that every chunk needs besides, bytes.
  virtual double chunk_bytes() const { return 0; }
  /// Chunks are about this large where memory allows; operators that must merge chunks want more.
  virtual double chunk_bytes_preferred() const { return 0; }
  /// Enqueues a chunk's kernels and copies. May be called again for other chunks of the same rows
  /// when it threw device_error: nothing of a failed chunk may remain.
  virtual void enqueue(chunk_job& job) = 0;
  /// The chunk's operations are done.
  virtual void complete(chunk_job& job) = 0;
  /// Whether the CPU calls the users' functions for all rows, whatever it saw of earlier ones.
  virtual bool looks_at_all_rows() const { return true; }
  /// Takes the records that the CPU made of the chunk beginning at this row, in place of a device.
  /// False: it can't.
  virtual bool take(std::int64_t /*first*/, const detail::row_set& /*records*/) { return false; }
};

}  // namespace pappus::chunk_loop
