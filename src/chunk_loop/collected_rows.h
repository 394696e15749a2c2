// The output of a stage's chunks, put together in row order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>

#include "chunk_loop/chunk_job.h"

namespace pappus::chunk_loop {

/// The output of a stage's chunks, put together in row order, whichever chunk is done first.
class collected_rows {
 public:
  /// \param rows  of the result, where every row yields one record; -1: not known beforehand.
  collected_rows(stage_run& run, std::int64_t rows);

  /// Host memory for the `n` records of a chunk.
  std::byte* host_room(const chunk_job& job, std::int64_t n);
  /// Adds the `n` records of a chunk, which stay on its device, in `block`.
  void leave(const chunk_job& job, memory::device_buffer_ptr block, std::int64_t n);
  /// Adds the records that the CPU made of the chunk that begins at this row. False where the
  /// result stays on devices.
  bool put(std::int64_t first, const detail::row_set& records);
  /// Puts the result into stage_run::host_rows or device_rows_left.
  void finish();

 private:
  std::byte* room_at(std::int64_t first, std::int64_t n);
  struct piece {
    detail::buffer host;
    std::shared_ptr<device_part> device;
    std::int64_t rows = 0;
  };
  stage_run& run_;
  const std::int64_t rows_;
  const std::uint64_t set_ = device_part::next_set();  // of parts that stay on devices
  detail::buffer all_;  // the result, where its number of rows is known beforehand
  std::mutex mutex_;
  std::map<std::int64_t, piece> pieces_;  // by first row
};

}  // namespace pappus::chunk_loop
