// Vectors for the hand-written versions: 64 bytes wide, in the compilers' own vector types, so the
// code compiles for any machine and becomes single AVX-512 instructions where those exist.
// Intrinsics stand only where the vector types cannot say what is meant: streaming stores, fused
// multiply-add, look-ups, roots, compressing a comparison into bits.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace pappus::bench {

typedef std::int32_t i32x16 __attribute__((vector_size(64)));
typedef std::uint32_t u32x16 __attribute__((vector_size(64)));
typedef std::uint32_t u32x32 __attribute__((vector_size(128)));
typedef std::int64_t i64x8 __attribute__((vector_size(64)));
typedef std::uint16_t u16x32 __attribute__((vector_size(64)));
typedef float f32x4 __attribute__((vector_size(16)));
typedef float f32x16 __attribute__((vector_size(64)));
typedef double f64x8 __attribute__((vector_size(64)));
typedef double f64x2 __attribute__((vector_size(16)));

/// Reads a vector from any address.
template <class V>
inline V load(const void* from) {
  V v;
  std::memcpy(&v, from, sizeof(V));
  return v;
}

template <class V>
inline void store(void* to, V v) {
  std::memcpy(to, &v, sizeof(V));
}

/// Writes 64 bytes past the caches; `to` is aligned to 64. Follow a series of these with
/// stream_fence.
template <class V>
inline void stream_store(void* to, V v) {
  static_assert(sizeof(V) == 64);
#if defined(__AVX512F__)
  _mm512_stream_si512(static_cast<__m512i*>(to), load<__m512i>(&v));
#elif defined(__x86_64__)
  for (int part = 0; part < 4; ++part) {
    _mm_stream_si128(static_cast<__m128i*>(to) + part,
                     load<__m128i>(reinterpret_cast<const char*>(&v) + 16 * part));
  }
#else
  std::memcpy(to, &v, 64);
#endif
}

/// Makes streamed data visible before whatever the thread stores next.
inline void stream_fence() {
#if defined(__x86_64__)
  _mm_sfence();
#endif
}

/// a * b + c, rounded once where the machine can.
inline f32x16 multiply_add(f32x16 a, f32x16 b, f32x16 c) {
#if defined(__AVX512F__)
  return _mm512_fmadd_ps(a, b, c);
#else
  return a * b + c;
#endif
}

inline float multiply_add(float a, float b, float c) {
#if defined(__FMA__)
  return std::fma(a, b, c);
#else
  return a * b + c;
#endif
}

/// The numbers of a table at 16 places.
inline f32x16 look_up(const float* table, i32x16 places) {
#if defined(__AVX512F__)
  // With all lanes masked in: g++ 12 warns of the plain intrinsics' own variables.
  return _mm512_mask_i32gather_ps(_mm512_setzero_ps(), 0xFFFF, load<__m512i>(&places), table, 4);
#else
  f32x16 found{};
  for (int lane = 0; lane < 16; ++lane) found[lane] = table[places[lane]];
  return found;
#endif
}

/// 1 / sqrt(a), to about 23 bits.
inline f32x16 inverse_root(f32x16 a) {
#if defined(__AVX512F__)
  // 14 bits, which a step of Newton's doubles
  const f32x16 first = _mm512_maskz_rsqrt14_ps(0xFFFF, a);
  return first * (1.5f - 0.5f * a * first * first);
#else
  f32x16 found{};
  for (int lane = 0; lane < 16; ++lane) found[lane] = 1 / std::sqrt(a[lane]);
  return found;
#endif
}

/// Bit i is set where lanes i of `a` and `b` are equal.
inline std::uint32_t equal_bits(u32x16 a, u32x16 b) {
#if defined(__AVX512F__)
  return _mm512_cmpeq_epi32_mask(load<__m512i>(&a), load<__m512i>(&b));
#else
  std::uint32_t bits = 0;
  for (int lane = 0; lane < 16; ++lane)
    bits |= static_cast<std::uint32_t>(a[lane] == b[lane]) << lane;
  return bits;
#endif
}

inline std::uint32_t equal_bits(i64x8 a, i64x8 b) {
#if defined(__AVX512F__)
  return _mm512_cmpeq_epi64_mask(load<__m512i>(&a), load<__m512i>(&b));
#else
  std::uint32_t bits = 0;
  for (int lane = 0; lane < 8; ++lane)
    bits |= static_cast<std::uint32_t>(a[lane] == b[lane]) << lane;
  return bits;
#endif
}

inline std::uint32_t equal_bits(u16x32 a, u16x32 b) {
#if defined(__AVX512BW__)
  return _mm512_cmpeq_epi16_mask(load<__m512i>(&a), load<__m512i>(&b));
#else
  std::uint32_t bits = 0;
  for (int lane = 0; lane < 32; ++lane)
    bits |= static_cast<std::uint32_t>(a[lane] == b[lane]) << lane;
  return bits;
#endif
}

}  // namespace pappus::bench
