// A memory_source for tests: counts what is held and what was held at most, and refuses beyond a
// limit.
#pragma once

#include <cstddef>
#include <limits>
#include <mutex>
#include <new>
#include <string>
#include <string_view>

#include "pappus/detail/base/memory.h"
#include "pappus/error.h"

namespace pappus::testing {

class test_memory final : public detail::memory_source {
 public:
  explicit test_memory(std::size_t limit_bytes = std::numeric_limits<std::size_t>::max())
      : limit_bytes_(limit_bytes) {}

  std::byte* acquire(std::size_t bytes, std::string_view owner) override {
    const std::lock_guard hold(lock_);
    if (bytes > limit_bytes_ - used_bytes_) {
      throw memory_error(std::string(owner) + ": needs " + std::to_string(bytes) + " bytes, " +
                         std::to_string(limit_bytes_ - used_bytes_) + " of " +
                         std::to_string(limit_bytes_) + " are free");
    }
    auto* data = static_cast<std::byte*>(::operator new(bytes, std::align_val_t{64}));
    used_bytes_ += bytes;
    if (used_bytes_ > peak_bytes_) peak_bytes_ = used_bytes_;
    return data;
  }

  void release(std::byte* data, std::size_t bytes) noexcept override {
    const std::lock_guard hold(lock_);
    ::operator delete(data, std::align_val_t{64});
    used_bytes_ -= bytes;
  }

  std::size_t available() const noexcept override {
    const std::lock_guard hold(lock_);
    return limit_bytes_ - used_bytes_;
  }

  std::size_t used_bytes() const {
    const std::lock_guard hold(lock_);
    return used_bytes_;
  }
  std::size_t peak_bytes() const {
    const std::lock_guard hold(lock_);
    return peak_bytes_;
  }

 private:
  mutable std::mutex lock_;
  std::size_t limit_bytes_;
  std::size_t used_bytes_ = 0;
  std::size_t peak_bytes_ = 0;
};

}  // namespace pappus::testing
