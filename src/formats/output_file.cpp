#include "formats/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

#include "pappus/error.h"

namespace pappus::formats {
namespace {

// Names of partial files differ within a process by number, between processes by process id.
std::string partial_name(const std::string& target) {
  static std::atomic<unsigned> number{0};
  return target + ".part-" + std::to_string(::getpid()) + "-" + std::to_string(number++);
}

[[noreturn]] void fail(const std::string& name, const std::string& what) {
  throw format_error(name + ": " + what + ": " + std::strerror(errno));
}

}  // namespace

output_file::output_file(const std::string& path) : name_(path), target_(path) {
  struct stat status{};
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (exists && !S_ISREG(status.st_mode)) {
    throw format_error(path + ": can't be replaced: expected a regular file or none, got " +
                       (S_ISDIR(status.st_mode) ? "a folder" : "a pipe or device"));
  }
  std::error_code ignored;
  if (exists) target_ = std::filesystem::canonical(path, ignored).string();
  if (target_.empty()) target_ = path;
  partial_ = partial_name(target_);
  descriptor_ = ::open(partial_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor_ < 0) fail(name_, "can't be created");
  // A file that replaces another keeps its permissions; where that is refused the new file's own
  // will do.
  if (exists && ::fchmod(descriptor_, status.st_mode & 07777) != 0) errno = 0;
}

output_file::~output_file() {
  if (descriptor_ < 0) return;
  ::close(descriptor_);
  ::unlink(partial_.c_str());
}

void output_file::write(std::int64_t offset, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::pwrite(descriptor_, bytes.data(), bytes.size(), offset);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) fail(name_, "writing failed");
    bytes = bytes.subspan(static_cast<std::size_t>(put));
    offset += put;
  }
}

void output_file::commit() {
  const int closed = ::close(std::exchange(descriptor_, -1));
  if (closed != 0 || std::rename(partial_.c_str(), target_.c_str()) != 0) {
    const int code = errno;
    ::unlink(partial_.c_str());
    errno = code;
    fail(name_, "can't be put in place");
  }
}

}  // namespace pappus::formats
