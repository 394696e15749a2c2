// A device with memory of its own: buffers, queues, kernels.
//
// Everything the engine asks of OpenCL, of CUDA or of the stand-in that tests use. A device and all
// that comes from it (buffers, queues, kernels) are used by one thread at a time; whoever holds the
// lock of devices::attached (registry.h) is that thread. Operations of a queue run in the order in
// which they were enqueued; between queues only events order them. Every call may throw
// device_error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "devices/kernel.h"

namespace pappus::devices {

struct properties {
  std::string name;     ///< what users call it: "opencl:0"
  std::string model;    ///< the driver's name of it
  std::string version;  ///< of platform, driver and compiler: a part of every kernel's cache key
  dialect speaks = dialect::opencl_c;
  bool like_cpu = false;     ///< is fastest with few work-items that each walk a block of rows
  bool host_memory = false;  ///< its buffers are host memory and charged to the host's budget
  bool in_place = false;     ///< kernels can use the host's own rows: wrap()
  std::size_t memory_bytes = 0, buffer_bytes_max = 0;
  unsigned compute_units = 1;
  std::size_t group_items_max = 1;  ///< the most work-items of a work-group
  bool doubles = true;              ///< has 64-bit floats
};

/// Device memory, aligned for any type. Destroyed only when no operation on it is under way.
class buffer {
 public:
  virtual ~buffer() = default;
  std::size_t bytes = 0;
  const std::byte* host = nullptr;  ///< the host memory that it is, if wrap() made it; else null
};

/// A kernel ready to run on the device that built it.
class kernel {
 public:
  virtual ~kernel() = default;
};

/// The completion of an operation; null: it is done already. Copies refer to the same operation.
using event = std::shared_ptr<void>;

class queue {
 public:
  virtual ~queue() = default;  ///< waits for what is under way; never throws

  // Each operation starts after the queue's earlier ones and after all of `after` (events of any
  // queue of the same device). Host memory must stay as it is until the operation is done; kernels
  // and buffers must live until then. What a read brings is at `to` when wait() or finish() of its
  // queue, or the queue's end, says that it is done; another queue's events don't.
  virtual event write(buffer& to, std::size_t offset, const void* from, std::size_t bytes,
                      std::span<const event> after = {}) = 0;
  virtual event read(const buffer& from, std::size_t offset, void* to, std::size_t bytes,
                     std::span<const event> after = {}) = 0;
  virtual event copy(const buffer& from, std::size_t from_offset, buffer& to, std::size_t to_offset,
                     std::size_t bytes, std::span<const event> after = {}) = 0;
  virtual event fill(buffer& to, std::size_t offset, std::size_t bytes, std::uint8_t value,
                     std::span<const event> after = {}) = 0;
  /// Runs at least `items` work-items, padded to whole work-groups, so kernels test their
  /// work-item's number. Values of arguments are copied during the call. 0 items: nothing runs.
  virtual event launch(const kernel& what, const grid& size, std::span<const argument> arguments,
                       std::span<const event> after = {}) = 0;

  /// Hands enqueued operations to the device without waiting.
  virtual void flush() = 0;
  /// Blocks until an operation of this queue is done. Throws what went wrong in it or before it.
  virtual void wait(const event& done) = 0;
  /// Blocks until all operations of this queue are done.
  virtual void finish() = 0;
};

class device {
 public:
  virtual ~device() = default;
  virtual const properties& about() const noexcept = 0;
  /// Throws fault::out_of_memory when the device has no more. The content is unspecified.
  virtual std::unique_ptr<buffer> allocate(std::size_t bytes) = 0;
  /// A buffer that is the given host memory, with that memory's alignment; null where kernels can't
  /// use it in place. The memory must outlive the buffer. The host sees what kernels wrote to it
  /// only after a read() of the buffer to its own address. No operation may use two buffers whose
  /// memory overlaps.
  virtual std::unique_ptr<buffer> wrap(void*, std::size_t) { return nullptr; }
  virtual std::unique_ptr<queue> make_queue() = 0;
  /// Compiles a kernel, or finds it in a cache. Throws fault::build_failed with the compiler's log.
  virtual std::unique_ptr<kernel> build(const kernel_source& source) = 0;
  /// Whether build() would find it compiled: in this process or in the cache on disk.
  virtual bool is_built(const kernel_source& source) const = 0;
};

}  // namespace pappus::devices
