// What a test device, its buffers, queues and kernels share.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "devices/device.h"
#include "devices/test/faults.h"
#include "devices/test/memory.h"
#include "devices/test/scheduler.h"

namespace pappus::devices::test {

struct device_state {
  explicit device_state(const settings& how);

  const settings how;
  properties about;
  fault_source faults;
  scheduler operations;
  std::set<std::pair<std::string, std::string>> built;  ///< entry and text of each kernel
  std::size_t bytes_in_use = 0;
  std::atomic<bool> busy = false;  ///< a thread is in a call: see only_caller

  /// Notes that a host function threw. Real devices' kernels can't, so the caller is told that an
  /// operation failed.
  void trap(std::string text) const;
  /// Throws launch_failed if one threw since the last call.
  void raise_trap() const;

  /// Counts a call. If it is struck by fault::lost the device is lost now, or, of an operation,
  /// maybe only when it runs: then lost is returned. Any other fault that strikes it is returned.
  std::optional<fault> count_call(call_kind kind);
  /// The same, but throws where the device is lost; for calls that don't wait for anything.
  std::optional<fault> next_call(call_kind kind);
  [[noreturn]] void raise(const failure& what, std::string log = {}) const;
  /// Ends the process: the device was misused.
  [[noreturn]] void die(std::string_view message) const;

 private:
  mutable std::mutex trap_mutex_;
  mutable std::optional<failure> trapped_;  // the first
};
using state_ptr = std::shared_ptr<device_state>;

/// Held during a call: ends the process if two threads call at the same time.
class only_caller {
 public:
  explicit only_caller(device_state& state);
  ~only_caller();
  only_caller(const only_caller&) = delete;
  only_caller& operator=(const only_caller&) = delete;

 private:
  device_state& state_;
};

class test_buffer final : public buffer {
 public:
  test_buffer(state_ptr owner, std::size_t size);
  ~test_buffer() override;

  const state_ptr owner;
  const guarded_memory memory;
  mutable use_count use;            // kernels' arguments are constant, their memory isn't
  mutable std::string last_kernel;  ///< the latest that may have written outside of it
};

class test_kernel final : public kernel {
 public:
  test_kernel(state_ptr by, kernel_source from);
  ~test_kernel() override;

  const state_ptr owner;
  const kernel_source source;
  mutable use_count use;
};

}  // namespace pappus::devices::test
