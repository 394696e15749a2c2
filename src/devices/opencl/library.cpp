#include "devices/opencl/library.h"

#include <dlfcn.h>

#include "base/environment.h"

namespace pappus::devices::opencl {
namespace {

struct loaded {
  library functions;
  std::string why;  // empty: all functions are there
};

// Where functions are looked up. A process may have the library already: linked, or put there by a
// checker like oclgrind. A second one beside it would call the first by mistake.
void* open_library(const char* named, std::string& why) {
  if (!named && dlsym(RTLD_DEFAULT, "clGetPlatformIDs")) return RTLD_DEFAULT;
  const char* path = named ? named : "libOpenCL.so.1";
  // Never closed: drivers have threads and static objects of their own.
  void* handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (handle) return handle;
  const char* reason = dlerror();
  why = reason ? reason : path;
  return nullptr;
}

loaded load() {
  loaded result;
  void* handle = open_library(base::environment("PAPPUS_OPENCL_LIBRARY"), result.why);
  if (!result.why.empty()) return result;
#define PAPPUS_OPENCL_LOOK_UP(name)                                                           \
  result.functions.name = reinterpret_cast<decltype(&::cl##name)>(dlsym(handle, "cl" #name)); \
  if (!result.functions.name && result.why.empty())                                           \
    result.why = "no function cl" #name " in the library; OpenCL 1.2 is needed";
  PAPPUS_OPENCL_FUNCTIONS(PAPPUS_OPENCL_LOOK_UP)
#undef PAPPUS_OPENCL_LOOK_UP
  return result;
}

}  // namespace

const library* load_library(std::string* why) {
  static const loaded* const once = new loaded(load());  // kept, like the library
  if (why) *why = once->why;
  return once->why.empty() ? &once->functions : nullptr;
}

}  // namespace pappus::devices::opencl
