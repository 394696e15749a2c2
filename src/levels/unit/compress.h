// Compression of values by flags, and copies past the caches.
#pragma once

#include "levels/unit/vectors.h"

namespace pappus::levels {
namespace {

#if defined(__AVX512BW__) && defined(__AVX512VL__)
// A whole vector is stored, kept lanes first: after i rows at most i were kept, so it ends at row
// i + lanes at most, inside the room.
inline std::int64_t compress_vector(const std::uint32_t* values, const std::uint8_t* keep,
                                    std::uint32_t* to) {
  const auto flags = _mm_loadu_si128(reinterpret_cast<const __m128i*>(keep));
  const __mmask16 kept = _mm_test_epi8_mask(flags, flags);
  _mm512_storeu_si512(to, _mm512_maskz_compress_epi32(kept, _mm512_loadu_si512(values)));
  return __builtin_popcount(static_cast<unsigned>(kept));
}
inline std::int64_t compress_vector(const std::uint64_t* values, const std::uint8_t* keep,
                                    std::uint64_t* to) {
  const auto flags = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(keep));
  const auto kept = static_cast<__mmask8>(_mm_test_epi8_mask(flags, flags));
  _mm512_storeu_si512(to, _mm512_maskz_compress_epi64(kept, _mm512_loadu_si512(values)));
  return __builtin_popcount(static_cast<unsigned>(kept));
}
#endif

template <typename T>
std::int64_t compress(const T* values, const std::uint8_t* keep, std::int64_t n, T* to) noexcept {
  std::int64_t kept = 0, i = 0;
#if defined(__AVX512BW__) && defined(__AVX512VL__)
  for (; i + lanes<T> <= n; i += lanes<T>) kept += compress_vector(values + i, keep + i, to + kept);
#endif
  for (; i < n; ++i) {
    to[kept] = values[i];
    kept += keep[i];
  }
  return kept;
}

void copy_past_caches(std::byte* to, const std::byte* from, std::size_t bytes) noexcept {
  const std::size_t beyond = reinterpret_cast<std::uintptr_t>(to) % 64;
  const std::size_t wanted = (64 - beyond) % 64, head = wanted < bytes ? wanted : bytes;
  std::memcpy(to, from, head);
  const std::size_t lines_end = head + (bytes - head) / 64 * 64;
  for (std::size_t at = head; at != lines_end; at += vector_bytes)
    stream_vector(to + at, from + at);
  stream_fence();
  std::memcpy(to + lines_end, from + lines_end, bytes - lines_end);
}

}  // namespace
}  // namespace pappus::levels
