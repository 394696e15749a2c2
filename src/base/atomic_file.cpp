#include "base/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <string>
#include <system_error>
#include <tuple>
#include <utility>

namespace pappus::base {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const char* what, int code = errno) {
  throw file_problem(what + (": " + std::generic_category().message(code)));
}

void make_folder(const fs::path& folder, atomic_file::folder how) {
  std::error_code problem;
  const bool made = fs::create_directories(folder, problem);
  if (problem) fail("can't be created", problem.value());
  if (made && how == atomic_file::folder::made_for_owner)
    fs::permissions(folder, fs::perms::owner_all, problem);
}

/// The target itself, links followed; it need not exist.
fs::path followed(const fs::path& path) {
  std::error_code dangling;
  const auto found = fs::canonical(path, dangling);
  return dangling ? path : found;
}

}  // namespace

atomic_file::atomic_file(const fs::path& target, folder missing) : target_(followed(target)) {
  struct stat old{};
  const bool replaces = ::stat(target_.c_str(), &old) == 0;
  if (replaces && !S_ISREG(old.st_mode))
    throw file_problem("can't be replaced: expected a regular file or none, got " +
                       std::string(S_ISDIR(old.st_mode) ? "a folder" : "a pipe or device"));
  // Numbers are unique in a process, whatever thread asks. Containers that share the folder may
  // have processes of one number: O_EXCL tells, and the next name is tried.
  static std::atomic<std::uint64_t> number{0};
  for (int attempt = 0; attempt < 100 && descriptor_ < 0; ++attempt) {
    partial_ = target_;
    partial_ += "." + std::to_string(::getpid()) + "." + std::to_string(number++);
    partial_ += partial_suffix;
    descriptor_ = ::open(partial_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor_ >= 0 || errno == EEXIST) continue;
    if (errno != ENOENT || missing == folder::refused) fail("can't be created");
    make_folder(target_.parent_path(), std::exchange(missing, folder::refused));
  }
  if (descriptor_ < 0) fail("can't be created");
  // Where that is refused the new file's own permissions will do.
  if (replaces) std::ignore = ::fchmod(descriptor_, old.st_mode & 07777);
}

atomic_file::~atomic_file() {
  if (descriptor_ < 0) return;
  ::close(descriptor_);
  ::unlink(partial_.c_str());
}

void atomic_file::append(std::span<const std::byte> bytes) {
  write(appended_, bytes);
  appended_ += std::ssize(bytes);
}

void atomic_file::write(std::int64_t offset, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::pwrite(descriptor_, bytes.data(), bytes.size(), offset);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) fail("writing failed");
    bytes = bytes.subspan(static_cast<std::size_t>(put));
    offset += put;
  }
}

void atomic_file::commit() {
  // Network file systems report some failed writes only when a file is closed.
  if (::close(std::exchange(descriptor_, -1)) == 0 &&
      std::rename(partial_.c_str(), target_.c_str()) == 0)
    return;
  const int code = errno;
  ::unlink(partial_.c_str());
  fail("can't be put in place", code);
}

}  // namespace pappus::base
