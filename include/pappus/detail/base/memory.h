// Where untyped code gets its memory: buffers charged to the session's budget.
#pragma once

#include <cstddef>
#include <string_view>
#include <utility>

namespace pappus::detail {

/// Hands out memory that counts against a budget. Thread-safe.
class memory_source {
 public:
  virtual ~memory_source() = default;

  /// Allocates at least `bytes` bytes, content unspecified. They are aligned to the greatest power
  /// of two that isn't above `bytes`, at least 64 and at most 4096, and so for any record that
  /// fits. Throws memory_error naming `owner`, the bytes and the limit.
  virtual std::byte* acquire(std::size_t bytes, std::string_view owner) = 0;

  /// Takes back what acquire(bytes) gave.
  virtual void release(std::byte* data, std::size_t bytes) noexcept = 0;

  /// Bytes that acquire() could still hand out, if nobody else asked.
  virtual std::size_t available() const noexcept = 0;
};

/// Memory from a memory_source, which is given back when the buffer is destroyed. The source must
/// outlive the buffer.
class buffer {
 public:
  buffer() = default;
  buffer(memory_source& source, std::size_t bytes, std::string_view owner)
      : source_(&source),
        data_(bytes == 0 ? nullptr : source.acquire(bytes, owner)),
        bytes_(bytes) {}
  buffer(buffer&& other) noexcept
      : source_(other.source_),
        data_(std::exchange(other.data_, nullptr)),
        bytes_(std::exchange(other.bytes_, 0)) {}
  buffer& operator=(buffer&& other) noexcept {
    if (this != &other) {
      reset();
      source_ = other.source_;
      data_ = std::exchange(other.data_, nullptr);
      bytes_ = std::exchange(other.bytes_, 0);
    }
    return *this;
  }
  ~buffer() { reset(); }

  std::byte* data() const noexcept { return data_; }
  std::size_t size() const noexcept { return bytes_; }
  template <typename T>
  T* as() const noexcept {
    return reinterpret_cast<T*>(data_);
  }
  void reset() noexcept {
    if (data_ != nullptr) source_->release(data_, bytes_);
    data_ = nullptr;
    bytes_ = 0;
  }

 private:
  memory_source* source_ = nullptr;
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace pappus::detail
