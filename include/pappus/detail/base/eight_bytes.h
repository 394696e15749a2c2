// Eight bytes at once, as a number.
#pragma once

#include <cstdint>

namespace pappus::detail {

/// A byte eight times.
constexpr std::uint64_t eight_of(std::uint64_t byte) noexcept {
  return std::uint64_t{0x0101'0101'0101'0101} * byte;
}
inline constexpr std::uint64_t high_bits = eight_of(0x80);

}  // namespace pappus::detail
