#include "formats/byte_source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/environment.h"
#include "io/calls.h"
#include "pappus/error.h"

namespace pappus::formats {
namespace {

std::string reason(int code) { return std::strerror(code); }

std::shared_ptr<io::calls> calls_as_asked() {
  const char* const text = base::environment("PAPPUS_IO");
  return io::make_calls_on_users_files(text == nullptr ? "" : text);
}

class file_source final : public byte_source {
 public:
  file_source(const std::string& path, int descriptor)
      : byte_source(path), descriptor_(descriptor), calls_(calls_as_asked()) {
    struct stat status{};
    if (::fstat(descriptor_, &status) != 0) fail("can't be examined: " + reason(errno));
    if (S_ISDIR(status.st_mode)) fail("is a folder, expected a file");
    if (!S_ISREG(status.st_mode)) {
      fail(
          "is a pipe or device, expected a regular file, which can be read in parallel; save it to "
          "a file first");
    }
    bytes_ = status.st_size;
    ::posix_fadvise(descriptor_, 0, 0, POSIX_FADV_SEQUENTIAL);
  }
  file_source(const file_source&) = delete;
  file_source& operator=(const file_source&) = delete;
  ~file_source() override { ::close(descriptor_); }

  std::int64_t bytes() const noexcept override { return bytes_; }

  void announce(std::int64_t offset, std::int64_t bytes) const noexcept override {
    if (bytes <= 0 || is_cached(offset + bytes - 1)) return;
    ::posix_fadvise(descriptor_, offset, bytes, POSIX_FADV_WILLNEED);
  }

  void fetch(std::int64_t offset, std::span<std::byte> out) const override {
    while (!out.empty()) {
      const auto got =
          calls_->read(descriptor_, out.data(), out.size(), static_cast<std::uint64_t>(offset));
      if (got == -EINTR || got == -EAGAIN) continue;
      if (got < 0)
        throw format_error(name() + ": reading failed: " + reason(static_cast<int>(-got)));
      if (got == 0) {
        throw format_error(name() + ": the file became shorter while it was read: expected " +
                           std::to_string(bytes_) + " bytes, got " + std::to_string(offset));
      }
      out = out.subspan(static_cast<std::size_t>(got));
      offset += got;
    }
  }

 private:
  /// Whether a byte is in memory already: to look through all pages takes long.
  bool is_cached(std::int64_t offset) const noexcept {
    char byte = 0;
    iovec where{&byte, 1};
    return ::preadv2(descriptor_, &where, 1, offset, RWF_NOWAIT) == 1;
  }

  [[noreturn]] void fail(const std::string& what) {
    ::close(descriptor_);
    throw format_error(name() + ": " + what);
  }

  int descriptor_;
  const std::shared_ptr<io::calls> calls_;
  std::int64_t bytes_ = 0;
};

class borrowed_source final : public byte_source {
 public:
  borrowed_source(std::string name, std::span<const std::byte> content)
      : byte_source(std::move(name)), content_(content) {}

  std::int64_t bytes() const noexcept override {
    return static_cast<std::int64_t>(content_.size());
  }

  void fetch(std::int64_t offset, std::span<std::byte> out) const override {
    if (out.empty()) return;
    std::memcpy(out.data(), content_.data() + offset, out.size());
  }

 private:
  std::span<const std::byte> content_;
};

}  // namespace

std::unique_ptr<byte_source> open_file_if_there(const std::string& path) {
  // Without waiting for somebody to write to a pipe, which is refused then.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor >= 0) return std::make_unique<file_source>(path, descriptor);
  if (errno == ENOENT) return nullptr;
  throw format_error(path + ": can't be opened: " + reason(errno));
}

std::unique_ptr<byte_source> open_file(const std::string& path) {
  if (auto source = open_file_if_there(path)) return source;
  throw format_error(path + ": can't be opened: " + reason(ENOENT));
}

std::unique_ptr<byte_source> borrow_bytes(std::string name, std::span<const std::byte> content) {
  return std::make_unique<borrowed_source>(std::move(name), content);
}

}  // namespace pappus::formats
