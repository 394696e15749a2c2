// Finds and loads libpappus-arrow.so.
#include <dlfcn.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "base/environment.h"
#include "formats/arrow/arrow_library.h"
#include "pappus/error.h"

#define PAPPUS_ARROW_TEXT(x) #x
#define PAPPUS_ARROW_NAME(x) PAPPUS_ARROW_TEXT(x)

namespace pappus::formats {
namespace {

constexpr const char* name = "libpappus-arrow.so";

struct loaded_arrow {
  const arrow_library* library = nullptr;
  std::string problem;
};

/// Where it may lie, the likeliest place first.
std::vector<std::filesystem::path> places() {
  std::vector<std::filesystem::path> result;
  Dl_info self{};
  static const char within = 0;
  if (dladdr(&within, &self) != 0 && self.dli_fname != nullptr) {
    std::error_code unknown;
    const auto path = std::filesystem::canonical(self.dli_fname, unknown);
    if (!unknown)
      for (const char* folder : {".", "pappus", "../lib", "../lib/pappus"})
        result.push_back(path.parent_path() / folder / name);
  }
  std::string_view folders = PAPPUS_ARROW_FOLDERS;
  while (!folders.empty()) {
    const auto end = std::min(folders.find(':'), folders.size());
    result.push_back(std::filesystem::path(folders.substr(0, end)) / name);
    folders.remove_prefix(std::min(end + 1, folders.size()));
  }
  return result;
}

std::string find_arrow_library() {
  if (const char* path = base::environment("PAPPUS_ARROW_LIBRARY")) return path;
  std::error_code unknown;
  for (const auto& path : places())
    if (std::filesystem::exists(path, unknown)) return path.lexically_normal().string();
  return name;  // wherever the dynamic loader looks
}

loaded_arrow load_arrow_library() {
  loaded_arrow result;
  const auto path = find_arrow_library();
  void* const handle = dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL);  // never closed
  if (handle == nullptr) {
    const char* const reason = dlerror();
    result.problem = fmt::format(
        "expected {}, which reads and writes Parquet and Arrow files, got none ({}); {}", name,
        reason == nullptr ? "no reason given" : reason,
        PAPPUS_ARROW_BUILT != 0
            ? "put it where Pappus was built or installed, beside the program, or where "
              "PAPPUS_ARROW_LIBRARY says; it needs the Arrow that it was built with"
            : "Pappus was built without Arrow: get it by pip install pyarrow, configure Pappus "
              "again, with PAPPUS_ARROW_ROOT where CMake doesn't find it, and build it");
    return result;
  }
  constexpr const char* entry_name = PAPPUS_ARROW_NAME(PAPPUS_ARROW_ENTRY);
  using entry = const arrow_library*();
  if (auto* const call = reinterpret_cast<entry*>(dlsym(handle, entry_name)))
    result.library = call();
  else
    result.problem = fmt::format(
        "expected a {} of this version of Pappus, got another one, {}, without the function {}; "
        "build both together",
        name, path, entry_name);
  return result;
}

}  // namespace

const arrow_library& load_arrow(const std::string& file) {
  static const auto* const once = new loaded_arrow(load_arrow_library());  // kept, like the library
  if (once->library == nullptr) throw format_error(file + ": " + once->problem);
  return *once->library;
}

}  // namespace pappus::formats
