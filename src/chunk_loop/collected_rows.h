// Output of chunks, put together in row order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>

#include "chunk_loop/chunk_job.h"

namespace pappus::chunk_loop {

/// Output of chunks, put together in row order whatever the order in which they were done.
class collected_rows {
 public:
  /// \param rows  exact: known beforehand, one record out per row; -1: not known.
  collected_rows(stage_run& run, std::int64_t rows);

  /// Room for `n` records on the host that come from a chunk's rows.
  std::byte* host_room(const chunk_job& job, std::int64_t n);
  /// Records that stay on the device.
  void leave(const chunk_job& job, memory::device_buffer_ptr block, std::int64_t n);
  /// Records that the CPU made of the chunk that begins at this row. False: they would have to stay
  /// on a device.
  bool put(std::int64_t first, const detail::row_set& records);
  /// Puts the result into the run.
  void finish();

 private:
  std::byte* room_at(std::int64_t first, std::int64_t n);
  struct piece {
    detail::buffer host;
    device_session* on = nullptr;
    memory::device_buffer_ptr device;
    std::int64_t rows = 0;
  };
  stage_run& run_;
  const std::int64_t rows_;
  detail::buffer all_;  // where the number of rows is known
  std::mutex mutex_;
  std::map<std::int64_t, piece> pieces_;  // by first row
};

}  // namespace pappus::chunk_loop
