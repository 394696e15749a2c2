// Vectors as wide as the registers of the level that this is compiled for.
//
// They are the compilers' own vector types, which become single instructions; intrinsics stand only
// where these can't say what is meant. All in unnamed namespaces: see kernels.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace pappus::levels {
namespace {

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512VL__)
constexpr int vector_bytes = 64;
#elif defined(__AVX2__)
constexpr int vector_bytes = 32;
#else
constexpr int vector_bytes = 16;
#endif

template <typename T>
constexpr int lanes = vector_bytes / static_cast<int>(sizeof(T));

template <typename T>
struct vector_of;
template <>
struct vector_of<std::uint32_t> {
  typedef std::uint32_t type __attribute__((vector_size(vector_bytes)));
};
template <>
struct vector_of<std::uint64_t> {
  typedef std::uint64_t type __attribute__((vector_size(vector_bytes)));
};
template <typename T>
using vector = typename vector_of<T>::type;

template <typename T>
inline vector<T> load_vector(const T* from) {
  vector<T> v;
  std::memcpy(&v, from, sizeof v);
  return v;
}
template <typename T>
inline void store_vector(T* to, vector<T> v) {
  std::memcpy(to, &v, sizeof v);
}

/// Copies a vector past the caches; `to` is aligned to one.
inline void stream_vector(std::byte* to, const std::byte* from) {
#if defined(__AVX512F__)
  _mm512_stream_si512(reinterpret_cast<__m512i*>(to), _mm512_loadu_si512(from));
#elif defined(__AVX2__)
  _mm256_stream_si256(reinterpret_cast<__m256i*>(to),
                      _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)));
#elif defined(__SSE2__)
  _mm_stream_si128(reinterpret_cast<__m128i*>(to),
                   _mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
#else
  std::memcpy(to, from, vector_bytes);
#endif
}

/// Makes streamed bytes visible to other threads.
inline void stream_fence() {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

}  // namespace
}  // namespace pappus::levels
