#include "base/atomic_folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <string>
#include <system_error>
#include <tuple>

namespace pappus::base {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const char* what) {
  throw file_problem(what + (": " + std::generic_category().message(errno)));
}

// Unique in a process, whatever thread asks.
std::atomic<std::uint64_t> partial_folders{0};

fs::path name_beside(const fs::path& target) {
  auto name = target;
  name += "." + std::to_string(::getpid()) + "." + std::to_string(partial_folders++);
  name += atomic_file::partial_suffix;
  return name;
}

/// A name that no file has, with a new folder.
fs::path make_beside(const fs::path& target) {
  for (int attempt = 0; attempt < 100; ++attempt) {
    auto name = name_beside(target);
    if (::mkdir(name.c_str(), 0777) == 0) return name;
    if (errno != EEXIST) break;
  }
  refuse("can't be created");
}

}  // namespace

atomic_folder::atomic_folder(const fs::path& target) {
  std::error_code dangling;
  target_ = fs::canonical(target, dangling);
  if (dangling) target_ = target;
  struct stat old{};
  const bool replaces = ::stat(target_.c_str(), &old) == 0;
  if (replaces && !S_ISDIR(old.st_mode)) {
    throw file_problem("can't be replaced: expected a folder or none, got a file");
  }
  partial_ = make_beside(target_);
  // Where that is refused the new folder's own permissions will do.
  if (replaces) std::ignore = ::chmod(partial_.c_str(), old.st_mode & 07777);
}

atomic_folder::~atomic_folder() {
  std::error_code ignored;
  if (!partial_.empty()) fs::remove_all(partial_, ignored);
}

void atomic_folder::put_in_place() {
  if (::renameat2(AT_FDCWD, partial_.c_str(), AT_FDCWD, target_.c_str(), RENAME_EXCHANGE) == 0) {
    return;
  }
  const fs::path aside = name_beside(target_);
  // Where names can't be exchanged, that may be told before that there is nothing to be replaced.
  bool replaces = errno != ENOENT;
  if (replaces && std::rename(target_.c_str(), aside.c_str()) != 0) {
    if (errno != ENOENT) refuse("can't be replaced");
    replaces = false;
  }
  if (std::rename(partial_.c_str(), target_.c_str()) != 0) {
    const int code = errno;
    if (replaces) std::rename(aside.c_str(), target_.c_str());
    errno = code;
    refuse("can't be put in place");
  }
  partial_ = replaces ? aside : fs::path();
}

void atomic_folder::commit() {
  put_in_place();
  std::error_code ignored;
  if (!partial_.empty()) fs::remove_all(partial_, ignored);
  partial_.clear();
}

}  // namespace pappus::base
