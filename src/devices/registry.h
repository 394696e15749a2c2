// The devices of this machine, by name. Drivers are loaded when first asked for; where there is
// none, there are no devices, and that is no error.
//
// A device is opened once a process and kept until it ends, so that kernels and contexts serve all
// sessions. "cpu" isn't listed here: the engine runs on it natively (threads/).
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "devices/device.h"

namespace pappus::devices {

/// A device and the right to use it: who holds `lock` is its one thread.
struct attached {
  std::unique_ptr<device> driver;
  std::recursive_mutex lock;
  bool lost = false;    ///< guarded by lock; a lost device is never used again
  unsigned number = 0;  ///< unique in this process, from 0

  explicit attached(std::unique_ptr<device> d) : driver(std::move(d)) {}
  const properties& about() const noexcept { return driver->about(); }
};
using attached_ptr = std::shared_ptr<attached>;

/// True on a test device's thread. It runs kernels, and so users' functions, while another thread
/// holds the device's lock: a query that such a function runs must not wait for a device.
inline thread_local bool is_device_thread = false;

/// What PAPPUS_DEVICES asks for.
struct selection {
  bool cpu = true;                    ///< the engine's own cores may be chosen
  std::vector<attached_ptr> devices;  ///< in the order named
  std::vector<std::string> notes;     ///< what isn't used and why, for `pappus devices`
};

/// Opens the devices that a list names: "cpu", "opencl" (all of them), "opencl:1", "test:SPEC",
/// separated by commas. Empty: every device that isn't the host's own cores under another name.
/// Test devices are opened anew for each mention. Throws usage_error naming what isn't there and
/// what is.
selection select(std::string_view list);

/// All devices there are, opened, in order; also those that select("") leaves out.
std::vector<attached_ptr> all_devices();

// One line for each kind of device. Adds to `notes` what can't be used and why.
std::vector<std::unique_ptr<device>> open_opencl_devices(
    std::vector<std::string>& notes);                                      // opencl/opencl.cpp
std::unique_ptr<device> open_test_device(std::string_view specification);  // test/test_device.cpp

}  // namespace pappus::devices
