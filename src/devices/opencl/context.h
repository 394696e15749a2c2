// What the parts of one OpenCL device share.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "devices/device.h"
#include "devices/opencl/errors.h"
#include "devices/opencl/library.h"

namespace pappus::devices::opencl {

class opencl_queue;
class staging;

/// A device and its cl_context. Each device has a context of its own: drivers may keep the buffers
/// of devices that share one in memory they share too, and lock the context for each call.
struct context {
  const library& cl;
  cl_platform_id platform = nullptr;
  cl_device_id id = nullptr;
  properties about;
  std::string options;               ///< of the compiler, for each build
  bool reads_opencl_header = false;  ///< it reads clang's opencl-c.h for each build
  cl_context handle = nullptr;
  std::vector<opencl_queue*> queues;  ///< all that exist
  std::unique_ptr<staging> pinned;    ///< null: copies go directly

  context(const library& functions, cl_platform_id on, cl_device_id device, properties p);
  ~context();
  context(const context&) = delete;
  context& operator=(const context&) = delete;

  /// Makes the cl_context at the first call; until then a device that nobody uses costs nothing.
  cl_context open();
  /// Throws unless the code is CL_SUCCESS.
  void check(cl_int code, std::string_view operation) const {
    if (code != CL_SUCCESS) fail(about.name, operation, code);
  }
};

struct opencl_buffer final : buffer {
  const library& cl;
  cl_mem handle;

  opencl_buffer(const library& functions, cl_mem memory, std::size_t size)
      : cl(functions), handle(memory) {
    bytes = size;
  }
  ~opencl_buffer() override { cl.ReleaseMemObject(handle); }
};

/// A kernel object of its own for each build(): arguments are a state of the object.
struct opencl_kernel final : kernel {
  const library& cl;
  cl_kernel handle;
  std::shared_ptr<const std::string> name;  ///< for messages that outlive it
  std::size_t arguments = 0;
  std::size_t group_max = 1;
  std::size_t group_chosen = 1;  ///< work-items of a work-group where grid::group is 0

  opencl_kernel(const library& functions, cl_kernel k) : cl(functions), handle(k) {}
  ~opencl_kernel() override { cl.ReleaseKernel(handle); }
};

}  // namespace pappus::devices::opencl
