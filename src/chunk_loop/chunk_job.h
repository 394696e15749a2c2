// One chunk of a stage on one device: its memory, its copies, its kernels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

#include "chunk_loop/join_image.h"
#include "chunk_loop/stage_run.h"

namespace pappus::chunk_loop {

/// One chunk of a stage on one device.
class chunk_job {
 public:
  device_session& on;
  stage_run& stage;
  const std::int64_t first, rows;  ///< the chunk is rows [first, first + rows) of the stage
  std::shared_ptr<void> state;     ///< what chunk_operator::enqueue() leaves for complete()

  chunk_job(device_session& device, stage_run& run, std::int64_t first_row, std::int64_t row_count);

  /// Allocates device memory. The job holds it until it is done; it lives longer if somebody else
  /// keeps the pointer.
  memory::device_buffer_ptr acquire(std::size_t bytes);
  /// A buffer with the content of host memory at `data`: an uploaded copy, or that memory itself
  /// where the device can use it in place. Kernels may only read it. The bytes at `data` must not
  /// change until the job is done.
  memory::device_buffer_ptr memory_with(const void* data, std::size_t bytes);
  /// A buffer for results that read() will put at `to`: host memory `to` itself where the device
  /// can use it in place, else device memory that read() copies from.
  memory::device_buffer_ptr memory_for(void* to, std::size_t bytes);
  /// Launches a kernel whose parameters are ELEMENT_PARAMS (codegen/element/element.h), then
  /// `more`.
  void launch(const program& what, const kernel_entry& entry, std::size_t items,
              std::initializer_list<devices::argument> more);
  /// Enqueues a copy to the host after the kernels so far.
  void read(const devices::buffer& from, std::size_t offset, void* to, std::size_t bytes);
  /// Enqueues a copy to the device before the next kernels; `from` must stay until the job is done.
  void write(devices::buffer& to, std::size_t offset, const void* from, std::size_t bytes);
  /// Blocks until everything enqueued so far for this job is done.
  void wait();
  /// An input's rows on the device.
  const memory::device_buffer_ptr& input(std::size_t i) const { return inputs_[i]; }

  // For the loop over chunks.
  void upload();
  void enqueued();  ///< to be called after the last enqueue: flushes the queues
  /// Blocks until the chunk's own operations are done; doesn't wait for those that later chunks
  /// have enqueued. Throws check_failed.
  void complete();

 private:
  void upload_input(std::size_t number);
  memory::device_buffer_ptr whole(device_part& part);
  void take_rows(device_part& part, std::int64_t first_row, std::int64_t n, devices::buffer& to,
                 std::int64_t to_row);
  memory::device_buffer_ptr in_place(const void* memory, std::size_t bytes);
  memory::device_buffer_ptr rows_in_place(const detail::row_set& set, std::int64_t first_row,
                                          std::int64_t row_count);
  void upload_host_rows(const detail::rows_ptr& set, const codegen::byte_ranges* parts);
  bool upload_parts(const detail::row_set& set, const codegen::byte_ranges& parts,
                    const devices::buffer& to);
  memory::device_buffer_ptr upload_side(const detail::rows_ptr& set);
  memory::device_buffer_ptr upload_index(const detail::rows_ptr& set);

  std::vector<memory::device_buffer_ptr> inputs_, sides_, held_;
  std::deque<join_image> indexes_;  // don't move while they are uploaded
  std::deque<detail::buffer> packed_;
  std::vector<detail::rows_ptr> moved_;  // to the host; they are copied to the device again
  std::vector<std::pair<device_part*, memory::device_buffer_ptr>> brought_back_;
  memory::device_buffer_ptr values_, trap_;
  std::uint32_t trapped_ = 0;
  devices::event uploaded_, computed_, downloaded_;
  bool done_ = false;  // set by complete()
  void wait_for_own();
};

/// Thrown by a chunk's job when a check in one of the users' functions failed. The chunk's results
/// are dropped.
struct check_failed {
  std::int64_t first;  ///< the chunk's first row
};

}  // namespace pappus::chunk_loop
