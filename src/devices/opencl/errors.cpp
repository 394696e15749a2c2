#include "devices/opencl/errors.h"

namespace pappus::devices::opencl {
namespace {

struct code_name {
  cl_int code;
  const char* name;
};

#define PAPPUS_OPENCL_CODE(name) {name, #name}
constexpr code_name names[] = {
    PAPPUS_OPENCL_CODE(CL_DEVICE_NOT_FOUND),
    PAPPUS_OPENCL_CODE(CL_DEVICE_NOT_AVAILABLE),
    PAPPUS_OPENCL_CODE(CL_COMPILER_NOT_AVAILABLE),
    PAPPUS_OPENCL_CODE(CL_MEM_OBJECT_ALLOCATION_FAILURE),
    PAPPUS_OPENCL_CODE(CL_OUT_OF_RESOURCES),
    PAPPUS_OPENCL_CODE(CL_OUT_OF_HOST_MEMORY),
    PAPPUS_OPENCL_CODE(CL_MEM_COPY_OVERLAP),
    PAPPUS_OPENCL_CODE(CL_BUILD_PROGRAM_FAILURE),
    PAPPUS_OPENCL_CODE(CL_MAP_FAILURE),
    PAPPUS_OPENCL_CODE(CL_MISALIGNED_SUB_BUFFER_OFFSET),
    PAPPUS_OPENCL_CODE(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST),
    PAPPUS_OPENCL_CODE(CL_COMPILE_PROGRAM_FAILURE),
    PAPPUS_OPENCL_CODE(CL_LINKER_NOT_AVAILABLE),
    PAPPUS_OPENCL_CODE(CL_LINK_PROGRAM_FAILURE),
    PAPPUS_OPENCL_CODE(CL_INVALID_VALUE),
    PAPPUS_OPENCL_CODE(CL_INVALID_PLATFORM),
    PAPPUS_OPENCL_CODE(CL_INVALID_DEVICE),
    PAPPUS_OPENCL_CODE(CL_INVALID_CONTEXT),
    PAPPUS_OPENCL_CODE(CL_INVALID_COMMAND_QUEUE),
    PAPPUS_OPENCL_CODE(CL_INVALID_HOST_PTR),
    PAPPUS_OPENCL_CODE(CL_INVALID_MEM_OBJECT),
    PAPPUS_OPENCL_CODE(CL_INVALID_BINARY),
    PAPPUS_OPENCL_CODE(CL_INVALID_BUILD_OPTIONS),
    PAPPUS_OPENCL_CODE(CL_INVALID_PROGRAM),
    PAPPUS_OPENCL_CODE(CL_INVALID_PROGRAM_EXECUTABLE),
    PAPPUS_OPENCL_CODE(CL_INVALID_KERNEL_NAME),
    PAPPUS_OPENCL_CODE(CL_INVALID_KERNEL_DEFINITION),
    PAPPUS_OPENCL_CODE(CL_INVALID_KERNEL),
    PAPPUS_OPENCL_CODE(CL_INVALID_ARG_INDEX),
    PAPPUS_OPENCL_CODE(CL_INVALID_ARG_VALUE),
    PAPPUS_OPENCL_CODE(CL_INVALID_ARG_SIZE),
    PAPPUS_OPENCL_CODE(CL_INVALID_KERNEL_ARGS),
    PAPPUS_OPENCL_CODE(CL_INVALID_WORK_DIMENSION),
    PAPPUS_OPENCL_CODE(CL_INVALID_WORK_GROUP_SIZE),
    PAPPUS_OPENCL_CODE(CL_INVALID_WORK_ITEM_SIZE),
    PAPPUS_OPENCL_CODE(CL_INVALID_GLOBAL_OFFSET),
    PAPPUS_OPENCL_CODE(CL_INVALID_EVENT_WAIT_LIST),
    PAPPUS_OPENCL_CODE(CL_INVALID_EVENT),
    PAPPUS_OPENCL_CODE(CL_INVALID_OPERATION),
    PAPPUS_OPENCL_CODE(CL_INVALID_BUFFER_SIZE),
    PAPPUS_OPENCL_CODE(CL_INVALID_GLOBAL_WORK_SIZE),
    PAPPUS_OPENCL_CODE(CL_INVALID_PROPERTY),
    PAPPUS_OPENCL_CODE(CL_PLATFORM_NOT_FOUND_KHR),
    {-9999, "illegal access to memory"},  // NVIDIA's, in no header
};
#undef PAPPUS_OPENCL_CODE

}  // namespace

std::string error_text(cl_int code) {
  std::string name = "unknown error";
  for (const code_name& known : names)
    if (known.code == code) name = known.name;
  return name + " (" + std::to_string(code) + ")";
}

fault fault_of(cl_int code) noexcept {
  switch (code) {
    case CL_MEM_OBJECT_ALLOCATION_FAILURE:
    case CL_OUT_OF_RESOURCES:
    case CL_OUT_OF_HOST_MEMORY:
    case CL_INVALID_BUFFER_SIZE:
      return fault::out_of_memory;
    case CL_BUILD_PROGRAM_FAILURE:
    case CL_COMPILE_PROGRAM_FAILURE:
    case CL_COMPILER_NOT_AVAILABLE:
    case CL_LINKER_NOT_AVAILABLE:
    case CL_LINK_PROGRAM_FAILURE:
    case CL_INVALID_BINARY:
    case CL_INVALID_BUILD_OPTIONS:
    case CL_INVALID_PROGRAM:
    case CL_INVALID_PROGRAM_EXECUTABLE:
    case CL_INVALID_KERNEL_NAME:
    case CL_INVALID_KERNEL_DEFINITION:
      return fault::build_failed;
    case CL_DEVICE_NOT_FOUND:
    case CL_DEVICE_NOT_AVAILABLE:
    case CL_INVALID_PLATFORM:
    case CL_INVALID_DEVICE:
    case CL_INVALID_CONTEXT:
    case CL_INVALID_COMMAND_QUEUE:
      return fault::lost;
    default:
      return fault::launch_failed;
  }
}

void fail(const std::string& device, std::string_view operation, cl_int code) {
  const fault what = fault_of(code);
  std::string text = std::string(operation) + " failed: " + error_text(code);
  if (what == fault::out_of_memory) text += "; the device has too little memory or registers left";
  if (what == fault::lost) text += "; the device can't be used again in this process";
  throw device_error(what, device, text);
}

}  // namespace pappus::devices::opencl
