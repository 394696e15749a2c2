#include "devices/opencl/device.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "base/environment.h"
#include "base/text.h"
#include "devices/opencl/ask.h"
#include "devices/opencl/queue.h"
#include "pappus/error.h"

namespace pappus::devices::opencl {
namespace {

/// So that what GPUs are given can be tried on any device.
bool is_taken_for_gpu() {
  const char* like = base::environment("PAPPUS_OPENCL_LIKE");
  if (like == nullptr) return false;
  if (std::string_view(like) == "gpu") return true;
  throw usage_error(std::string("PAPPUS_OPENCL_LIKE: expected gpu, got \"") + like + '"');
}

properties properties_of(const library& cl, cl_platform_id platform, cl_device_id id,
                         std::string name) {
  const asking of(cl, platform, id);
  const auto type = of.device<cl_device_type>(CL_DEVICE_TYPE);
  properties p;
  p.name = std::move(name);
  p.model = of.device_text(CL_DEVICE_NAME);
  p.version = of.platform_text(CL_PLATFORM_VERSION) + "; " + of.device_text(CL_DEVICE_VERSION) +
              "; driver " + of.device_text(CL_DRIVER_VERSION);
  p.speaks = dialect::opencl_c;
  p.like_cpu = (type & CL_DEVICE_TYPE_CPU) != 0;
  p.host_memory = p.like_cpu || of.device<cl_bool>(CL_DEVICE_HOST_UNIFIED_MEMORY) != CL_FALSE;
  // Drivers of integrated GPUs want whole pages, and else make copies that nobody sees.
  p.in_place = p.like_cpu;
  if (is_taken_for_gpu()) {
    p.like_cpu = p.host_memory = p.in_place = false;
    p.version += "; taken for a GPU";  // its rates are others
  }
  p.memory_bytes = of.device<cl_ulong>(CL_DEVICE_GLOBAL_MEM_SIZE);
  p.buffer_bytes_max = of.device<cl_ulong>(CL_DEVICE_MAX_MEM_ALLOC_SIZE);
  p.compute_units = std::max(1u, of.device<cl_uint>(CL_DEVICE_MAX_COMPUTE_UNITS));
  p.group_items_max = of.device<std::size_t>(CL_DEVICE_MAX_WORK_GROUP_SIZE);
  p.doubles = of.device_text(CL_DEVICE_EXTENSIONS).find("cl_khr_fp64") != std::string::npos;
  return p;
}

}  // namespace

context::context(const library& functions, cl_platform_id on, cl_device_id device, properties p)
    : cl(functions), platform(on), id(device), about(std::move(p)) {
  options = std::string("-cl-std=CL1.2 -DLIKE_CPU=") + (about.like_cpu ? "1" : "0");
  // PoCL (3.1) keeps loaded kernels in one list for all devices of a process, and aborts now and
  // then when two of them use the same one at once. Other options make it another kernel.
  const asking of(cl, platform, id);
  if (of.device<cl_device_type>(CL_DEVICE_TYPE) & CL_DEVICE_TYPE_CPU)
    options += " -DDEVICE_NUMBER=" + about.name.substr(about.name.find(':') + 1);
  reads_opencl_header = of.platform_text(CL_PLATFORM_NAME) == "Portable Computing Language";
  // OpenCL lets float division and square roots be off by 2.5 and 3 units; the host's are exact.
  if (of.device<cl_device_fp_config>(CL_DEVICE_SINGLE_FP_CONFIG) &
      CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT)
    options += " -cl-fp32-correctly-rounded-divide-sqrt";
}

context::~context() {
  pinned.reset();
  if (handle) cl.ReleaseContext(handle);
}

cl_context context::open() {
  if (handle) return handle;
  const cl_context_properties on[] = {CL_CONTEXT_PLATFORM,
                                      reinterpret_cast<cl_context_properties>(platform), 0};
  cl_int code = CL_SUCCESS;
  const cl_context made = cl.CreateContext(on, 1, &id, nullptr, nullptr, &code);
  check(code, "making a context");
  return handle = made;
}

opencl_device::opencl_device(const library& cl, cl_platform_id platform, cl_device_id id,
                             std::string name, std::optional<staging_sizes> apart)
    : context_(cl, platform, id, properties_of(cl, platform, id, std::move(name))) {
  if (apart) context_.about.host_memory = context_.about.in_place = false;
  if (!about().host_memory)
    context_.pinned = std::make_unique<staging>(context_, apart.value_or(staging_sizes{}));
}

// Some drivers find memory only when a buffer is first used; then out_of_memory comes from the
// operation that does.
std::unique_ptr<buffer> opencl_device::allocate(std::size_t bytes) {
  if (bytes > about().buffer_bytes_max)
    throw device_error(fault::out_of_memory, about().name,
                       "allocation of " + base::bytes_text(static_cast<double>(bytes)) +
                           ": its buffers have at most " +
                           base::bytes_text(static_cast<double>(about().buffer_bytes_max)));
  cl_int code = CL_SUCCESS;
  const cl_mem handle = context_.cl.CreateBuffer(context_.open(), CL_MEM_READ_WRITE,
                                                 std::max<std::size_t>(bytes, 1), nullptr, &code);
  context_.check(code, "allocation of " + base::bytes_text(static_cast<double>(bytes)));
  return std::make_unique<opencl_buffer>(context_.cl, handle, bytes);
}

// That memory is aligned for what kernels find there suffices (OpenCL 1.2, 5.2.1 and C.3).
std::unique_ptr<buffer> opencl_device::wrap(void* memory, std::size_t bytes) {
  if (!about().in_place || bytes == 0 || bytes > about().buffer_bytes_max) return nullptr;
  cl_int code = CL_SUCCESS;
  const cl_mem handle = context_.cl.CreateBuffer(
      context_.open(), CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, bytes, memory, &code);
  if (code != CL_SUCCESS) return nullptr;
  auto made = std::make_unique<opencl_buffer>(context_.cl, handle, bytes);
  made->host = static_cast<const std::byte*>(memory);
  return made;
}

std::unique_ptr<queue> opencl_device::make_queue() {
  return std::make_unique<opencl_queue>(context_);
}

std::unique_ptr<kernel> opencl_device::build(const kernel_source& source) {
  return programs_.make_kernel(source);
}

}  // namespace pappus::devices::opencl
