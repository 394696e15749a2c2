#include "base/cache_folder.h"

#include "base/environment.h"

namespace pappus::base {

std::filesystem::path cache_folder(const char* xdg_cache_home, const char* home) {
  const auto is_absolute = [](const char* path) { return path != nullptr && *path == '/'; };
  if (is_absolute(xdg_cache_home)) return std::filesystem::path(xdg_cache_home) / "pappus";
  if (is_absolute(home)) return std::filesystem::path(home) / ".cache" / "pappus";
  return {};
}

std::filesystem::path cache_folder() {
  return cache_folder(environment("XDG_CACHE_HOME"), environment("HOME"));
}

}  // namespace pappus::base
