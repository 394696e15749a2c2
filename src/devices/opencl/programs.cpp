#include "devices/opencl/programs.h"

#include <algorithm>
#include <vector>

#include "base/embedded.h"
#include "devices/kernel_cache.h"
#include "devices/kernel_key.h"
#include "devices/opencl/build_log.h"

namespace pappus::devices::opencl {
namespace {

// Lines of the log are counted from the text's first, not the prelude's.
std::string behind_prelude(const std::string& text) {
  return std::string(base::embedded("devices/opencl/prelude.cl")) + "\n#line 1 \"kernel\"\n" + text;
}

std::string behind_builtins(const std::string& text) {
  return std::string(base::embedded("devices/opencl/builtins.cl")) + behind_prelude(text);
}

}  // namespace

programs::~programs() {
  for (const auto& [text, program] : by_text_) on_.cl.ReleaseProgram(program);
}

std::string programs::cache_key(const kernel_source& source) const {
  return "opencl\n" + on_.about.model + '\n' + on_.about.version + '\n' + on_.options + '\n' +
         behind_prelude(key_text(source));
}

bool programs::has(const kernel_source& source) const {
  if (!source.text) return false;
  return by_text_.contains(*source.text) || kernel_cache::shared().contains(cache_key(source));
}

std::string programs::build_log(cl_program program) const {
  std::size_t size = 0;
  on_.cl.GetProgramBuildInfo(program, on_.id, CL_PROGRAM_BUILD_LOG, 0, nullptr, &size);
  std::string log(size, '\0');
  on_.cl.GetProgramBuildInfo(program, on_.id, CL_PROGRAM_BUILD_LOG, size, log.data(), nullptr);
  log.resize(std::min(log.find('\0'), log.size()));
  return log;
}

// The program is the caller's, built or not.
cl_int programs::build(const kernel_source& source, const std::string& text,
                       const std::string& options, cl_program& program) {
  const char* begin = text.data();
  const std::size_t size = text.size();
  cl_int code = CL_SUCCESS;
  program = on_.cl.CreateProgramWithSource(on_.open(), 1, &begin, &size, &code);
  on_.check(code, "build of " + source.name);
  return on_.cl.BuildProgram(program, 1, &on_.id, options.c_str(), nullptr, nullptr);
}

// Null where the text needs more of OpenCL C than builtins.cl has, or is wrong.
cl_program programs::from_few_builtins(const kernel_source& source) {
  cl_program program = nullptr;
  if (build(source, behind_builtins(*source.text), on_.options + " -D_OPENCL_H_", program) ==
      CL_SUCCESS)
    return program;
  on_.cl.ReleaseProgram(program);
  return nullptr;
}

cl_program programs::from_source(const kernel_source& source) {
  if (on_.reads_opencl_header)
    if (const cl_program program = from_few_builtins(source)) return program;
  cl_program program = nullptr;
  const std::string text = behind_prelude(*source.text);
  const cl_int code = build(source, text, on_.options, program);
  if (code == CL_SUCCESS) return program;
  const std::string log = with_given_places(build_log(program), text);
  on_.cl.ReleaseProgram(program);
  if (fault_of(code) != fault::build_failed) on_.check(code, "build of " + source.name);
  throw device_error(fault::build_failed, on_.about.name,
                     "build of " + source.name + " failed: " + error_text(code) + first_error(log),
                     log);
}

// Null where the driver doesn't take it: after an update that left its version as it was, say.
cl_program programs::from_binary(std::span<const std::byte> binary) {
  const auto* begin = reinterpret_cast<const unsigned char*>(binary.data());
  const std::size_t size = binary.size();
  cl_int status = CL_SUCCESS, code = CL_SUCCESS;
  cl_program program =
      on_.cl.CreateProgramWithBinary(on_.open(), 1, &on_.id, &size, &begin, &status, &code);
  if (code != CL_SUCCESS || status != CL_SUCCESS) {
    if (code == CL_SUCCESS) on_.cl.ReleaseProgram(program);
    return nullptr;
  }
  code = on_.cl.BuildProgram(program, 1, &on_.id, on_.options.c_str(), nullptr, nullptr);
  if (code == CL_SUCCESS) return program;
  on_.cl.ReleaseProgram(program);
  return nullptr;
}

// A driver may have to compile for it: PoCL makes a binary of all kernels for groups of any size,
// and compiles those that are launched once more.
void programs::store_binary(cl_program program, const std::string& key) {
  if (!kernel_cache::shared().keeps()) return;
  std::size_t size = 0;
  cl_int code =
      on_.cl.GetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, nullptr);
  if (code != CL_SUCCESS || size == 0) return;  // a driver without binaries: nothing to keep
  std::vector<std::byte> binary(size);
  std::byte* to = binary.data();
  code = on_.cl.GetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof to, &to, nullptr);
  if (code == CL_SUCCESS) kernel_cache::shared().store(key, binary);
}

cl_program programs::compiled(const kernel_source& source) {
  const auto known = by_text_.find(*source.text);
  if (known != by_text_.end()) return known->second;
  const std::string key = cache_key(source);
  cl_program program = nullptr;
  if (const auto binary = kernel_cache::shared().find(key)) program = from_binary(*binary);
  if (!program) {
    program = from_source(source);
    store_binary(program, key);
  }
  by_text_.emplace(*source.text, program);
  return program;
}

std::unique_ptr<opencl_kernel> programs::make_kernel(const kernel_source& source) {
  if (!source.text)
    throw device_error(fault::build_failed, on_.about.name,
                       "build of " + source.name + ": it has no text for devices");
  cl_int code = CL_SUCCESS;
  const cl_kernel handle = on_.cl.CreateKernel(compiled(source), source.entry.c_str(), &code);
  on_.check(code, "build of " + source.name + ", kernel function " + source.entry);
  auto result = std::make_unique<opencl_kernel>(on_.cl, handle);
  result->name = std::make_shared<const std::string>(source.name);

  cl_uint arguments = 0;
  on_.check(on_.cl.GetKernelInfo(handle, CL_KERNEL_NUM_ARGS, sizeof arguments, &arguments, nullptr),
            "asking for the arguments of " + source.name);
  result->arguments = arguments;

  std::size_t most = 1, required[3] = {0, 0, 0};
  const auto ask = [&](cl_kernel_work_group_info what, std::size_t size, void* answer) {
    on_.check(on_.cl.GetKernelWorkGroupInfo(handle, on_.id, what, size, answer, nullptr),
              "asking for the group size of " + source.name);
  };
  ask(CL_KERNEL_WORK_GROUP_SIZE, sizeof most, &most);
  ask(CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof required, required);
  result->group_max = most;
  // One work-item a group lets a CPU's compiler see the loop over rows and nothing around it; on a
  // GPU 256 hide latency on all that are known, without asking too much of registers.
  const std::size_t usual = on_.about.like_cpu ? 1 : 256;
  result->group_chosen = required[0] ? required[0] : std::min(usual, most);
  return result;
}

}  // namespace pappus::devices::opencl
