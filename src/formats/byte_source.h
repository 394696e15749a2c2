// What readers get their bytes from: a file, or memory.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace pappus::formats {

/// A fixed number of bytes that can be read at any offset. Reading is thread-safe.
class byte_source {
 public:
  explicit byte_source(std::string name) : name_(std::move(name)) {}
  virtual ~byte_source() = default;

  /// The name in errors: the path as the user gave it.
  const std::string& name() const noexcept { return name_; }

  virtual std::int64_t bytes() const noexcept = 0;

  /// Fills `out` with the bytes from `offset` on. Throws format_error if the device fails or the
  /// file has become shorter.
  void read(std::int64_t offset, std::span<std::byte> out) const {
    fetch(offset, out);
    bytes_read_.fetch_add(std::ssize(out), std::memory_order_relaxed);
  }

  /// These bytes will be read soon: the system may begin to.
  virtual void announce(std::int64_t, std::int64_t) const noexcept {}

  /// Bytes read so far, from any thread.
  std::int64_t bytes_read() const noexcept { return bytes_read_.load(std::memory_order_relaxed); }

 private:
  virtual void fetch(std::int64_t offset, std::span<std::byte> out) const = 0;

  std::string name_;
  mutable std::atomic<std::int64_t> bytes_read_{0};
};

/// Opens a regular file for reading. Throws format_error naming the path and the system's reason.
std::unique_ptr<byte_source> open_file(const std::string& path);
/// The same; null where there is no such file.
std::unique_ptr<byte_source> open_file_if_there(const std::string& path);

/// A source over memory that the caller keeps alive.
std::unique_ptr<byte_source> borrow_bytes(std::string name, std::span<const std::byte> content);

}  // namespace pappus::formats
