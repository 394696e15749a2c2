// Copies that bypass the caches, for output much larger than they are: a plain store would first
// read the line it is about to overwrite. In stores of 16 bytes, which gather in the core until a
// line is whole: sorting was as quick with them as with those of 64.
#pragma once

#include <cstddef>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace pappus::algorithms {

/// Copies `bytes`, a multiple of 16; `to` is 16-byte aligned. Call stream_fence() after the last
/// copy.
inline void stream_copy(std::byte* to, const std::byte* from, std::size_t bytes) {
#if defined(__SSE2__)
  for (; bytes != 0; bytes -= 16, to += 16, from += 16) {
    _mm_stream_si128(reinterpret_cast<__m128i*>(to),
                     _mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
  }
#else
  std::memcpy(to, from, bytes);
#endif
}

/// Makes streamed bytes visible to other threads.
inline void stream_fence() {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

}  // namespace pappus::algorithms
