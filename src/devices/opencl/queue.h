// An in-order command queue. What becomes of its operations: under_way.h.
#pragma once

#include <string_view>
#include <vector>

#include "devices/opencl/context.h"
#include "devices/opencl/under_way.h"

namespace pappus::devices::opencl {

class opencl_queue final : public queue {
 public:
  explicit opencl_queue(context& on);
  ~opencl_queue() override;

  event write(buffer& to, std::size_t offset, const void* from, std::size_t bytes,
              std::span<const event> after) override;
  event read(const buffer& from, std::size_t offset, void* to, std::size_t bytes,
             std::span<const event> after) override;
  event copy(const buffer& from, std::size_t from_offset, buffer& to, std::size_t to_offset,
             std::size_t bytes, std::span<const event> after) override;
  event fill(buffer& to, std::size_t offset, std::size_t bytes, std::uint8_t value,
             std::span<const event> after) override;
  event launch(const kernel& what, const grid& size, std::span<const argument> arguments,
               std::span<const event> after) override;
  void flush() override;
  void wait(const event& done) override;
  void finish() override;

 private:
  /// A copy between the device and host memory, or a piece of one.
  struct transfer {
    cl_mem memory;
    std::size_t offset, bytes;
    std::size_t all_bytes;  // for messages
  };

  cl_uint set_waits(std::span<const event> after);
  const cl_event* waits() const { return waits_.empty() ? nullptr : waits_.data(); }
  void check_range(const buffer& b, std::size_t offset, std::size_t bytes, const char* what) const;
  void set_arguments(const opencl_kernel& k, std::span<const argument> arguments);
  event nothing(std::span<const event> after, const char* what);
  event enqueued(cl_int code, cl_event done, operation op);
  event write_directly(const transfer& what, const void* from, std::span<const event> after);
  event read_directly(const transfer& what, void* to, std::span<const event> after);
  event write_staged(const transfer& all, const std::byte* from, std::span<const event> after);
  event read_staged(const transfer& all, std::byte* to, std::span<const event> after);
  pinned_slot* slot_for_read();

  context& on_;
  cl_command_queue handle_ = nullptr;
  std::vector<cl_event> waits_;  // of the operation being enqueued
  operations_under_way under_way_;
  bool unflushed_ = false;
};

}  // namespace pappus::devices::opencl
