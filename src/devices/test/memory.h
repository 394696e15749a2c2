// Memory of a test device, between guard zones of poison.
//
// A write into a zone is found by looking at it; under AddressSanitizer the zones are poisoned and
// the access itself is reported, reads as well. The content starts as poison too: 0xA5 in every
// byte, which is an unlikely index and a tiny negative float.
#pragma once

#include <cstddef>
#include <optional>

namespace pappus::devices::test {

inline constexpr unsigned char poison = 0xA5;

class guarded_memory {
 public:
  explicit guarded_memory(std::size_t bytes);
  ~guarded_memory();
  guarded_memory(const guarded_memory&) = delete;
  guarded_memory& operator=(const guarded_memory&) = delete;

  std::byte* data() const noexcept { return block_ + zone_bytes; }
  /// Offset from data() of the first byte of a zone that was written; negative: before it.
  std::optional<std::ptrdiff_t> damage() const;

 private:
  // More than 63 padding work-items can write of records of up to 64 bytes.
  static constexpr std::size_t zone_bytes = 4096;

  std::size_t bytes_;
  std::byte* block_;
};

}  // namespace pappus::devices::test
