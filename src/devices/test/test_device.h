// A device that lies in wait: for tests, on any machine.
//
// It runs kernels' host functions, and otherwise is as far from the host as a device may be. Its
// memory is its own and starts as poison, between guard zones. Its queues run late, on a thread, in
// a random one of the orders that the contract allows (scheduler.h). Work-items are padded with
// some nobody asked for and run in pieces, in any order. A read's destination holds poison until
// the read has run. Faults strike where the seed or the caller says (faults.h), and what fails has
// done its work in part. All of that depends on the seed and the sequence of calls only.
//
// A failed operation shows in wait and finish. Its queue stays failed: nothing that was enqueued
// later runs. What waits for it in other queues doesn't run either and fails those with
// launch_failed, whatever the cause, as OpenCL does. The device and new queues go on.
//
// Breaking the contract of device.h ends the process with a message: writes outside of a buffer,
// ranges that don't fit, two threads at once, events, buffers or kernels of another device, and
// buffers or kernels destroyed while an operation on them is under way. An operation counts as
// under way until the caller has learnt that it is over: from wait() for it or for a later one,
// from finish(), even where it throws, or by destroying the queue.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "devices/device.h"
#include "devices/test/faults.h"
#include "devices/test/settings.h"

namespace pappus::devices::test {

struct device_state;

class test_device final : public device {
 public:
  explicit test_device(const settings& how = {});

  const properties& about() const noexcept override;
  std::unique_ptr<buffer> allocate(std::size_t bytes) override;
  std::unique_ptr<queue> make_queue() override;
  std::unique_ptr<kernel> build(const kernel_source& source) override;
  bool is_built(const kernel_source& source) const override;

  /// The calls so far that count (call_kind), and what struck them.
  const std::vector<call_made>& calls() const noexcept;
  /// Numbers of the calls whose operations have started, in the order in which they run.
  const std::vector<std::uint64_t>& order() const noexcept;
  /// Adds a fault to those to come.
  void plan(planned_fault more);
  std::size_t bytes_in_use() const noexcept;

 private:
  std::shared_ptr<device_state> state_;  // buffers, queues and kernels may outlive us
};

}  // namespace pappus::devices::test
