// A hash of a string's bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "pappus/detail/base/hash.h"
#include "pappus/detail/base/keys.h"

namespace pappus::detail {

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
  std::uint64_t rest = 0;
  if (at < text.size()) std::memcpy(&rest, text.data() + at, text.size() - at);
  return mix(fold(h ^ rest, 0xd6e8feb86659fd93u) + text.size());
}

}  // namespace pappus::detail
