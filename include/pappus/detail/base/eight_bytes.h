// Eight bytes at once, as a number.
#pragma once

#include <cstddef>
#include <cstdint>

namespace pappus::detail {

/// A byte eight times.
constexpr std::uint64_t eight_of(std::uint64_t byte) noexcept {
  return std::uint64_t{0x0101'0101'0101'0101} * byte;
}
inline constexpr std::uint64_t high_bits = eight_of(0x80);

/// The high bits of those of eight bytes that aren't zero.
constexpr std::uint64_t others_than_zero(std::uint64_t eight) noexcept {
  return (((eight & ~high_bits) + ~high_bits) | eight) & high_bits;
}
/// How many of eight high bits are set.
constexpr std::size_t count_high_bits(std::uint64_t bits) noexcept {
  return static_cast<std::size_t>(((bits >> 7) * eight_of(1)) >> 56);
}

}  // namespace pappus::detail
