// Bits as Arrow has them, of flags and of values that are there: the lowest of a byte is first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "formats/arrow/arrow_library.h"

namespace pappus::formats {

/// \param i  not negative
inline bool bit_of(const void* bits, std::int64_t i) {
  const auto at = static_cast<std::uint64_t>(i);
  return (static_cast<unsigned>(static_cast<const std::uint8_t*>(bits)[at / 8]) >> at % 8 & 1) != 0;
}

/// So many bits lie in eight bytes, wherever they begin in the first one.
inline constexpr std::int64_t bits_at_once = 56;

/// Bits i to i + n - 1 as a number, the first of them the lowest.
/// \param n  at most bits_at_once
inline std::uint64_t bits_of(const void* bits, std::int64_t i, std::int64_t n) {
  std::uint64_t word = 0;
  std::memcpy(&word, static_cast<const std::uint8_t*>(bits) + i / 8,
              static_cast<std::size_t>(i % 8 + n + 7) / 8);
  return word >> i % 8 & ((std::uint64_t{1} << n) - 1);
}

inline void set_bit(void* bits, std::int64_t i) {
  auto& byte = static_cast<std::uint8_t*>(bits)[i / 8];
  byte = static_cast<std::uint8_t>(byte | 1U << (i % 8));
}

/// Whether value number i of a piece is there.
inline bool is_there(const arrow_piece& piece, std::int64_t i) {
  return piece.valid == nullptr || bit_of(piece.valid, piece.first + i);
}

}  // namespace pappus::formats
