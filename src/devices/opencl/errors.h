// OpenCL's error codes as device_error.
#pragma once

#include <string>
#include <string_view>

#include "devices/kernel.h"
#include "devices/opencl/library.h"

namespace pappus::devices::opencl {

/// "CL_OUT_OF_RESOURCES (-5)".
std::string error_text(cl_int code);
/// What a code means to the engine. Codes by which a device, context or queue is invalid count as a
/// lost device: our handles are valid, so only a broken context explains them.
fault fault_of(cl_int code) noexcept;

/// Throws the device_error of a code. `operation` tells sizes: "write of 64 KiB at byte 0".
[[noreturn]] void fail(const std::string& device, std::string_view operation, cl_int code);

}  // namespace pappus::devices::opencl
