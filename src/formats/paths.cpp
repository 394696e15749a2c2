#include "formats/paths.h"

#include <glob.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "pappus/error.h"

namespace pappus::formats {
namespace {

namespace fs = std::filesystem;

bool is_pattern(const std::string& path) {
  std::error_code unknown;
  return path.find_first_of("*?[") != path.npos && !fs::exists(path, unknown);
}

/// As Spark and others write tables.
void check_is_no_folder(const std::string& path) {
  std::error_code unknown;
  if (!fs::is_directory(path, unknown)) return;
  throw format_error(fmt::format(
      "{0}: is a folder, expected a file; a pattern stands for the files in it, as \"{0}/*\" does",
      path.ends_with('/') ? path.substr(0, path.size() - 1) : path));
}

[[noreturn]] void refuse_no_match(const std::string& path) {
  const auto slash = path.rfind('/');
  const auto folder = slash == path.npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
  const auto pattern = slash == path.npos ? path : path.substr(slash + 1);
  std::error_code unknown;
  const bool there =
      folder.find_first_of("*?[") != folder.npos || fs::is_directory(folder, unknown);
  throw format_error(
      fmt::format("{}: expected files that match \"{}\" in the folder \"{}\", got {}", path,
                  pattern, folder, there ? "none" : "no such folder"));
}

std::vector<std::string> matching(const std::string& path) {
  struct found : glob_t {
    found() : glob_t{} {}
    ~found() { ::globfree(this); }
  } all;
  if (const int status = ::glob(path.c_str(), GLOB_NOSORT, nullptr, &all);
      status != 0 && status != GLOB_NOMATCH)
    throw format_error(
        fmt::format("{}: the files that it matches can't be found: {}", path,
                    status == GLOB_NOSPACE ? "out of memory" : std::strerror(errno)));
  std::vector<std::string> files;
  for (std::size_t i = 0; i < all.gl_pathc; ++i) {
    std::error_code unknown;
    if (!fs::is_directory(all.gl_pathv[i], unknown)) files.emplace_back(all.gl_pathv[i]);
  }
  if (files.empty()) refuse_no_match(path);
  std::ranges::sort(files);
  return files;
}

}  // namespace

std::vector<std::string> files_of(const std::vector<std::string>& paths) {
  if (paths.empty()) throw usage_error("expected the paths of files, got an empty list");
  std::vector<std::string> files;
  for (const auto& path : paths) {
    if (!is_pattern(path)) {
      check_is_no_folder(path);
      files.push_back(path);
      continue;
    }
    const auto some = matching(path);
    files.insert(files.end(), some.begin(), some.end());
  }
  return files;
}

std::string shown_paths(const std::vector<std::string>& paths, std::size_t files) {
  if (files == 1 && paths.size() == 1) return paths.front();
  return paths.size() == 1
             ? fmt::format("{} ({} files)", paths.front(), files)
             : fmt::format("{}, .., {} ({} files)", paths.front(), paths.back(), files);
}

}  // namespace pappus::formats
