// Text, 64 bytes at a time, as one bit for each.
#pragma once

#include <cstddef>
#include <cstdint>

#include "levels/unit/vectors.h"

namespace pappus::levels {
namespace {

constexpr std::size_t text_block = 64;

// Bit i tells whether text[i] is `wanted`.
inline std::uint64_t positions(const char* text, char wanted) {
#if defined(__AVX512BW__)
  return _mm512_cmpeq_epi8_mask(_mm512_loadu_si512(text), _mm512_set1_epi8(wanted));
#elif defined(__AVX2__)
  const auto pattern = _mm256_set1_epi8(wanted);
  const auto half = [&](int first) {
    const auto bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(text + first));
    return static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(bytes, pattern)));
  };
  return half(0) | std::uint64_t{half(32)} << 32;
#elif defined(__SSE2__)
  const auto pattern = _mm_set1_epi8(wanted);
  std::uint64_t mask = 0;
  for (std::size_t i = 0; i < text_block; i += 16) {
    const auto bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text + i));
    const auto part = static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, pattern)));
    mask |= std::uint64_t{part} << i;
  }
  return mask;
#else
  std::uint64_t mask = 0;
  for (std::size_t i = 0; i < text_block; ++i) mask |= std::uint64_t{text[i] == wanted} << i;
  return mask;
#endif
}

}  // namespace
}  // namespace pappus::levels
