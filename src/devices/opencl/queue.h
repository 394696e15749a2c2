// An in-order command queue.
//
// OpenCL tells an operation's failure only through the operation's event, and what an in-order
// queue does with the operations behind a failed one is the driver's business. So the queue keeps
// the events of all operations until somebody waits, looks at each, and reports the first that
// failed.
#pragma once

#include <deque>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "devices/opencl/context.h"

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
  struct operation {
    event done;
    const char* what;                           // "write"
    std::shared_ptr<const std::string> kernel;  // its name; null: not a launch
    std::size_t amount;                         // bytes or, of a launch, work-items
    std::string text() const;
  };

  cl_uint set_waits(std::span<const event> after);
  const cl_event* waits() const { return waits_.empty() ? nullptr : waits_.data(); }
  void check_range(const buffer& b, std::size_t offset, std::size_t bytes, const char* what) const;
  void set_arguments(const opencl_kernel& k, std::span<const argument> arguments);
  event nothing(std::span<const event> after, const char* what);
  event enqueued(cl_int code, cl_event done, operation op);
  void settle_front() noexcept;
  void report();

  context& on_;
  cl_command_queue handle_ = nullptr;
  std::vector<cl_event> waits_;  // of the operation being enqueued
  std::deque<operation> under_way_;
  std::exception_ptr failure_;  // the first not yet reported
  bool unflushed_ = false;
};

}  // namespace pappus::devices::opencl
