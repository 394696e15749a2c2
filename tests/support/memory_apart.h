// An OpenCL device as if its memory weren't the host's, as a discrete GPU's: copies go by way of
// pinned memory, whatever the device.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <string>

#include "devices/opencl/device.h"

namespace pappus::testing {

/// So small that tests' copies need several slots, and run out of them.
inline constexpr devices::opencl::staging_sizes small_slots{
    .copy_bytes_min = 64, .slot_bytes = 1024, .slots = 5, .read_slots = 3, .threads = 3};

/// The last device of the first platform: of PoCL's it is one that runs operations on threads of
/// its own, after the call that enqueued them (driver_environment.h), as a GPU does. Null where
/// there is no OpenCL device.
/// \param table   functions to call; null: the library's
/// \param before  the device that comes so many before it, where there is one
inline std::unique_ptr<devices::opencl::opencl_device> open_memory_apart(
    const devices::opencl::staging_sizes& sizes, const devices::opencl::library* table = nullptr,
    std::size_t before = 0) {
  if (!table) table = devices::opencl::load_library(nullptr);
  cl_platform_id platform = nullptr;
  std::array<cl_device_id, 8> ids{};
  cl_uint count = 0;
  if (!table || table->GetPlatformIDs(1, &platform, nullptr) != CL_SUCCESS ||
      table->GetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, ids.size(), ids.data(), &count) !=
          CL_SUCCESS)
    return nullptr;
  const std::size_t last = std::min<std::size_t>(count, ids.size()) - 1;
  const std::size_t number = last - std::min(before, last);
  return std::make_unique<devices::opencl::opencl_device>(
      *table, platform, ids[number], "opencl:" + std::to_string(number), sizes);
}

}  // namespace pappus::testing
