#include "base/atomic_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <string>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

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

// Numbers are unique in a process, whatever thread asks. Containers that share a folder may have
// processes of one number.
std::atomic<std::uint64_t> partial_files{0};

fs::path of_descriptor(int descriptor) {
  return fs::path("/proc/self/fd") / std::to_string(descriptor);
}

void write_all(int descriptor, std::int64_t offset, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::pwrite(descriptor, bytes.data(), bytes.size(), offset);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) fail("writing failed");
    bytes = bytes.subspan(static_cast<std::size_t>(put));
    offset += put;
  }
}

/// A file without a name that can be given one; -1: there can't be any there.
int open_unnamed(const fs::path& folder) {
  const int made =
      ::open(folder.empty() ? "." : folder.c_str(), O_RDWR | O_TMPFILE | O_CLOEXEC, 0666);
  if (made < 0 || ::access(of_descriptor(made).c_str(), F_OK) == 0) return made;
  ::close(made);  // without /proc it can't be named
  return -1;
}

/// Gives an unnamed file a name that no file has.
bool link_to(int descriptor, const fs::path& name) {
  return ::linkat(AT_FDCWD, of_descriptor(descriptor).c_str(), AT_FDCWD, name.c_str(),
                  AT_SYMLINK_FOLLOW) == 0;
}

}  // namespace

template <typename Make>
bool atomic_file::take_name(Make&& make) {
  for (int attempt = 0; attempt < 100; ++attempt) {
    auto name = target_;
    name += "." + std::to_string(::getpid()) + "." + std::to_string(partial_files++);
    name += partial_suffix;
    if (make(name)) {
      partial_ = name;
      return true;
    }
    if (errno != EEXIST) break;
  }
  return false;
}

atomic_file::atomic_file(const fs::path& target, folder missing) : target_(followed(target)) {
  struct stat old{};
  const bool replaces = ::stat(target_.c_str(), &old) == 0;
  if (replaces && !S_ISREG(old.st_mode))
    throw file_problem("can't be replaced: expected a regular file or none, got " +
                       std::string(S_ISDIR(old.st_mode) ? "a folder" : "a pipe or device"));
  while (descriptor_ < 0) {
    descriptor_ = open_unnamed(target_.parent_path());
    if (descriptor_ >= 0 || take_name([&](const fs::path& name) {
          descriptor_ = ::open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
          return descriptor_ >= 0;
        }))
      break;
    if (errno != ENOENT || missing == folder::refused) fail("can't be created");
    make_folder(target_.parent_path(), std::exchange(missing, folder::refused));
  }
  // Where that is refused the new file's own permissions will do.
  if (replaces) std::ignore = ::fchmod(descriptor_, old.st_mode & 07777);
}

atomic_file::~atomic_file() {
  if (descriptor_ < 0) return;
  ::close(descriptor_);
  if (!partial_.empty()) ::unlink(partial_.c_str());
}

void atomic_file::append(std::span<const std::byte> bytes) {
  write(appended_, bytes);
  appended_ += std::ssize(bytes);
}

void atomic_file::write(std::int64_t offset, std::span<const std::byte> bytes) {
  write_all(descriptor_, offset, bytes);
}

/// Whether the file has the target's name, and was closed; else errno tells why not.
bool atomic_file::put_in_place(older target) {
  if (partial_.empty()) {
    if (link_to(descriptor_, target_)) return ::close(std::exchange(descriptor_, -1)) == 0;
    if (errno != EEXIST || target == older::refused ||
        !take_name([&](const fs::path& name) { return link_to(descriptor_, name); }))
      return false;
  }
  // Network file systems report some failed writes only when a file is closed.
  if (::close(std::exchange(descriptor_, -1)) != 0) return false;
  if (target == older::replaced) return std::rename(partial_.c_str(), target_.c_str()) == 0;
  return ::link(partial_.c_str(), target_.c_str()) == 0 && ::unlink(partial_.c_str()) == 0;
}

void atomic_file::commit(older target) {
  if (put_in_place(target)) return;
  const int code = errno;
  if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
  if (!partial_.empty()) ::unlink(partial_.c_str());
  fail("can't be put in place", code);
}

/// The target, which nobody else has locked. Where the file system knows no locks, there is none.
int atomic_file::open_target() const {
  for (;;) {
    const int target = ::open(target_.c_str(), O_RDWR | O_CLOEXEC);
    if (target < 0) fail("can't be added to");
    while (::flock(target, LOCK_EX) != 0 && errno == EINTR) {
    }
    struct stat locked{}, named{};
    if (::fstat(target, &locked) == 0 && ::stat(target_.c_str(), &named) == 0 &&
        locked.st_dev == named.st_dev && locked.st_ino == named.st_ino)
      return target;
    ::close(target);  // another has taken its name meanwhile
  }
}

void atomic_file::copy_to(int target, std::int64_t offset) const {
  std::vector<std::byte> some(std::size_t{256} << 10);
  for (std::int64_t done = 0;;) {
    const ssize_t got = ::pread(descriptor_, some.data(), some.size(), done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail("reading what is to be added failed");
    if (got == 0) return;
    write_all(target, offset + done, std::span(some).first(static_cast<std::size_t>(got)));
    done += got;
  }
}

void atomic_file::commit_behind(const joined& how) {
  const int target = open_target();
  struct closed {
    int descriptor;
    ~closed() { ::close(descriptor); }  // the lock goes, too
  } const closing{target};
  struct stat now{}, own{};
  if (::fstat(target, &now) != 0 || ::fstat(descriptor_, &own) != 0) fail("can't be added to");
  char last = 0;
  if (now.st_size > 0 && ::pread(target, &last, 1, now.st_size - 1) != 1) fail("can't be read");
  const auto plan = how({now.st_size, own.st_size, last});
  const auto begin = plan.at + std::ssize(plan.between);
  try {
    write_all(target, plan.at, std::as_bytes(std::span(plan.between)));
    copy_to(target, begin);
    if (::close(std::exchange(descriptor_, -1)) != 0) fail("writing failed");
    if (begin + own.st_size < now.st_size && ::ftruncate(target, begin + own.st_size) != 0)
      fail("writing failed");
    write_all(target, plan.told_at, std::as_bytes(std::span(plan.told)));
  } catch (const file_problem&) {
    std::ignore = ::ftruncate(target, now.st_size);
    throw;
  }
  if (!partial_.empty()) ::unlink(partial_.c_str());
}

}  // namespace pappus::base
