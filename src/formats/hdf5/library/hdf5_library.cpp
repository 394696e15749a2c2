#include "formats/hdf5/library/hdf5_library.h"

#include <dlfcn.h>

#include <fmt/format.h>

#include "formats/hdf5/hdf5_area.h"

namespace pappus::formats {
namespace {

std::mutex& one_at_a_time() {
  static auto* const lock = new std::mutex;  // kept: files may be closed when the process ends
  return *lock;
}

struct loaded_hdf5 {
  hdf5_library functions;
  std::string problem;  // empty: all functions are there
};

/// A process may have the library already, linked by others; a second one beside it would call the
/// first by mistake. Never closed: the library cleans up when the process ends.
void* open_hdf5_library(std::string& problem) {
  if (dlsym(RTLD_DEFAULT, "H5Fopen") != nullptr) return RTLD_DEFAULT;
  void* const handle = dlopen(PAPPUS_HDF5_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  if (handle != nullptr) return handle;
  const char* const reason = dlerror();
  problem = fmt::format(
      "expected libhdf5, which reads HDF5 files, got none ({}); install it: the package that has "
      "{}, libhdf5-103-1 in Debian 12",
      reason == nullptr ? "no reason given" : reason, PAPPUS_HDF5_LIBRARY);
  return nullptr;
}

#define PAPPUS_HDF5_TEXT(x) #x
#define PAPPUS_HDF5_NAME(x) PAPPUS_HDF5_TEXT(x)  // that a macro may stand for

loaded_hdf5 load_hdf5() {
  loaded_hdf5 result;
  void* const handle = open_hdf5_library(result.problem);
  if (!result.problem.empty()) return result;
#define PAPPUS_HDF5_LOOK_UP(name)                                                 \
  result.functions.call_##name =                                                  \
      reinterpret_cast<decltype(&::name)>(dlsym(handle, PAPPUS_HDF5_NAME(name))); \
  if (result.functions.call_##name == nullptr && result.problem.empty())          \
    result.problem = "expected libhdf5 with the function " PAPPUS_HDF5_NAME(name) ", got one "  \
                     "without it; install version 1.10.5 or a later one";
  PAPPUS_HDF5_FUNCTIONS(PAPPUS_HDF5_LOOK_UP)
#undef PAPPUS_HDF5_LOOK_UP
  if (!result.problem.empty()) return result;
  unsigned major = 0, minor = 0, release = 0;
  result.functions.call_H5get_libversion(&major, &minor, &release);
  if (major != H5_VERS_MAJOR || minor != H5_VERS_MINOR)
    result.problem = fmt::format(
        "expected libhdf5 {}.{}, which Pappus was built for, got {}.{}.{}, which the program has "
        "loaded; build both for the same one",
        H5_VERS_MAJOR, H5_VERS_MINOR, major, minor, release);
  return result;
}

}  // namespace

hdf5_calls::hdf5_calls() : lock_(one_at_a_time()) {
  static const auto* const once = new loaded_hdf5(load_hdf5());  // kept, like the library
  if (!once->problem.empty()) throw hdf5_problem(once->problem);
  library_ = &once->functions;
  library_->call_H5Eget_auto2(H5E_DEFAULT, &report_, &report_data_);
  library_->call_H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

hdf5_calls::~hdf5_calls() { library_->call_H5Eset_auto2(H5E_DEFAULT, report_, report_data_); }

std::string hdf5_calls::reason() const {
  std::string text;
  const auto first = [](unsigned, const H5E_error2_t* error, void* to) noexcept -> herr_t {
    if (error->desc != nullptr) *static_cast<std::string*>(to) = error->desc;
    return 1;  // no more of them
  };
  // Upward: from what failed first to the function that was called.
  library_->call_H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, first, &text);
  return text.empty() ? "no reason given" : text;
}

void hdf5_calls::fail(const std::string& what) const {
  throw hdf5_problem(fmt::format("{}: {}", what, reason()));
}

}  // namespace pappus::formats
