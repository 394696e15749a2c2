// Bits as Arrow has them, of flags and of values that are there: the lowest of a byte is first.
#pragma once

#include <cstdint>

#include "formats/arrow/arrow_library.h"

namespace pappus::formats {

inline bool bit_of(const void* bits, std::int64_t i) {
  return ((static_cast<const std::uint8_t*>(bits)[i / 8] >> (i % 8)) & 1) != 0;
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
