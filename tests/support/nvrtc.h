// CUDA's compiler, loaded at run time. It needs no GPU.
#pragma once

#include <dlfcn.h>

#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "base/embedded.h"

namespace pappus::testing {

// NVRTC's C interface, as its documentation has it.
class nvrtc {
 public:
  static const nvrtc* installed() {
    static const std::optional<nvrtc> library = load();
    return library ? &*library : nullptr;
  }

  /// The compiler's log if it refuses a text, else nothing.
  std::string refusal(const std::string& text) const {
    const std::string whole =
        std::string(base::embedded("devices/cuda/prelude.cuh")) + "\n#line 1 \"kernel\"\n" + text;
    void* program = nullptr;
    if (create_(&program, whole.c_str(), "kernel.cu", 0, nullptr, nullptr) != 0)
      return "nvrtcCreateProgram failed";
    std::vector<const char*> options{"--gpu-architecture=sm_90", "--fmad=false",
                                     "--device-as-default-execution-space", "--std=c++17"};
    // Half the time: what it makes isn't run.
    if (int major = 0, minor = 0; version_(&major, &minor) == 0 && major >= 13)
      options.push_back("--Ofast-compile=max");
    const int code = compile_(program, static_cast<int>(options.size()), options.data());
    std::size_t size = 0, binary = 0;
    log_size_(program, &size);
    std::string log(size, '\0');
    log_(program, log.data());
    if (code == 0) cubin_size_(program, &binary);
    destroy_(&program);
    if (code == 0) return binary > 0 ? "" : "no binary";
    return "error " + std::to_string(code) + ":\n" + log.c_str();
  }

 private:
  static std::optional<nvrtc> load() {
    for (const char* name :
         {"libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12", "/usr/local/cuda/lib64/libnvrtc.so"}) {
      void* handle = ::dlopen(name, RTLD_NOW | RTLD_LOCAL);
      nvrtc found;
      if (handle != nullptr && found.look_up(handle)) return found;
    }
    return {};
  }
  bool look_up(void* handle) {
    const auto take = [&](auto& function, const char* name) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(handle, name));
      return function != nullptr;
    };
    return take(version_, "nvrtcVersion") && take(create_, "nvrtcCreateProgram") &&
           take(compile_, "nvrtcCompileProgram") && take(log_size_, "nvrtcGetProgramLogSize") &&
           take(log_, "nvrtcGetProgramLog") && take(cubin_size_, "nvrtcGetCUBINSize") &&
           take(destroy_, "nvrtcDestroyProgram");
  }

  int (*version_)(int*, int*) = nullptr;
  int (*create_)(void**, const char*, const char*, int, const char* const*,
                 const char* const*) = nullptr;
  int (*compile_)(void*, int, const char* const*) = nullptr;
  int (*log_size_)(void*, std::size_t*) = nullptr;
  int (*log_)(void*, char*) = nullptr;
  int (*cubin_size_)(void*, std::size_t*) = nullptr;
  int (*destroy_)(void**) = nullptr;
};

}  // namespace pappus::testing
