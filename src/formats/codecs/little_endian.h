// Numbers as files have them: the lowest byte first.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace pappus::formats {

static_assert(std::endian::native == std::endian::little, "numbers are copied as they are");

inline std::uint32_t little_endian_32(const std::byte* from) noexcept {
  std::uint32_t value = 0;
  std::memcpy(&value, from, sizeof value);
  return value;
}

inline std::uint64_t little_endian_64(const std::byte* from) noexcept {
  std::uint64_t value = 0;
  std::memcpy(&value, from, sizeof value);
  return value;
}

template <typename Number>
void put_little_endian(Number value, std::byte* to) noexcept {
  std::memcpy(to, &value, sizeof value);
}

}  // namespace pappus::formats
