// A hash of a string's bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "pappus/detail/base/hash.h"
#include "pappus/detail/base/keys.h"

namespace pappus::detail {

/// The size() % 8 bytes at the end of a text as a number, the first least significant. By words
/// that overlap: to copy them takes longer than to hash all the rest.
inline std::uint64_t last_bytes(std::string_view text) noexcept {
  const auto word_at = [&]<typename Word>(std::size_t at, Word word) -> std::uint64_t {
    std::memcpy(&word, text.data() + at, sizeof word);
    return word;
  };
  const std::size_t size = text.size(), n = size % 8;
  if (n == 0) return 0;
  if (size > 8) return word_at(size - 8, std::uint64_t{}) >> (8 * (8 - n));
  if (n >= 4) return word_at(0, std::uint32_t{}) | word_at(n - 4, std::uint32_t{}) << (8 * (n - 4));
  const auto byte = [&](std::size_t i) {
    return std::uint64_t{static_cast<unsigned char>(text[i])} << (8 * i);
  };
  return byte(0) | byte(n / 2) | byte(n - 1);
}

/// Takes eight bytes a step, multiplies them to 128 bits and folds these to 64; at the end the
/// length, so that zero bytes at the end count. Each `seed` gives another hash function.
inline std::uint64_t hash_string(std::string_view text, std::uint64_t seed = 0) noexcept {
  const auto fold = [](std::uint64_t a, std::uint64_t b) {
    const auto product = static_cast<wide>(a) * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
  };
  std::uint64_t h = mix(seed + 1);
  std::size_t at = 0;
  for (; at + 8 <= text.size(); at += 8) {
    std::uint64_t word;
    std::memcpy(&word, text.data() + at, 8);
    h = fold(h ^ word, 0x9e3779b97f4a7c15u) + at;
  }
  return mix(fold(h ^ last_bytes(text), 0xd6e8feb86659fd93u) + text.size());
}

}  // namespace pappus::detail
