// Vectors for the hand-written versions, in the compilers' own vector types and as wide as the
// registers of the processor that is compiled for: wider ones g++ 12 takes apart in memory, where
// registers would have held the parts. What needs more lanes than a vector has takes several
// vectors, and gives the same results as one.
//
// Intrinsics stand only where the vector types cannot say what is meant: streaming stores, fused
// multiply-add, look-ups, roots, compressing a comparison into bits.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <utility>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace pappus::bench {

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512VL__)
#define PAPPUS_BENCH_V4
constexpr int vector_bytes = 64, vector_registers = 32;
#elif defined(__AVX2__) && defined(__FMA__)
#define PAPPUS_BENCH_V3
constexpr int vector_bytes = 32, vector_registers = 16;
#else
constexpr int vector_bytes = 16, vector_registers = 16;
#endif

typedef std::int32_t i32v __attribute__((vector_size(vector_bytes)));
typedef std::uint32_t u32v __attribute__((vector_size(vector_bytes)));
typedef std::int64_t i64v __attribute__((vector_size(vector_bytes)));
typedef std::uint16_t u16v __attribute__((vector_size(vector_bytes)));
typedef float f32v __attribute__((vector_size(vector_bytes)));
typedef double f64v __attribute__((vector_size(vector_bytes)));
typedef float f32x4 __attribute__((vector_size(16)));
typedef double f64x2 __attribute__((vector_size(16)));

/// How many numbers a vector holds.
template <class Number>
constexpr int lanes_of = vector_bytes / static_cast<int>(sizeof(Number));

/// How many vectors a cache line holds.
constexpr int line_vectors = 64 / vector_bytes;

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

/// Writes a vector past the caches; `to` is aligned to its size. Follow a series of these with
/// stream_fence.
template <class V>
inline void stream_store(void* to, V v) {
  static_assert(sizeof(V) == vector_bytes);
#if defined(PAPPUS_BENCH_V4)
  _mm512_stream_si512(static_cast<__m512i*>(to), std::bit_cast<__m512i>(v));
#elif defined(PAPPUS_BENCH_V3)
  _mm256_stream_si256(static_cast<__m256i*>(to), std::bit_cast<__m256i>(v));
#elif defined(__x86_64__)
  _mm_stream_si128(static_cast<__m128i*>(to), std::bit_cast<__m128i>(v));
#else
  store(to, v);
#endif
}

/// The same with a cache line, from any address.
inline void stream_line(void* to, const void* from) {
  for (int v = 0; v < line_vectors; ++v) {
    stream_store(static_cast<char*>(to) + v * vector_bytes,
                 load<u32v>(static_cast<const char*>(from) + v * vector_bytes));
  }
}

/// Makes streamed data visible before whatever the thread stores next.
inline void stream_fence() {
#if defined(__x86_64__)
  _mm_sfence();
#endif
}

/// a * b + c, rounded once where the machine can.
inline f32v multiply_add(f32v a, f32v b, f32v c) {
#if defined(PAPPUS_BENCH_V4)
  return _mm512_fmadd_ps(a, b, c);
#elif defined(PAPPUS_BENCH_V3)
  return _mm256_fmadd_ps(a, b, c);
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

/// The numbers of a table at a vector of places.
inline f32v look_up(const float* table, i32v places) {
  // With all lanes masked in: g++ 12 warns of the plain intrinsics' own variables.
#if defined(PAPPUS_BENCH_V4)
  return _mm512_mask_i32gather_ps(_mm512_setzero_ps(), 0xFFFF, std::bit_cast<__m512i>(places),
                                  table, 4);
#elif defined(PAPPUS_BENCH_V3)
  const auto all = std::bit_cast<__m256>(_mm256_set1_epi32(-1));
  return _mm256_mask_i32gather_ps(_mm256_setzero_ps(), table, std::bit_cast<__m256i>(places), all,
                                  4);
#else
  f32v found{};
  for (int lane = 0; lane < lanes_of<float>; ++lane) found[lane] = table[places[lane]];
  return found;
#endif
}

/// 1 / sqrt(a), to about 22 bits.
inline f32v inverse_root(f32v a) {
#if defined(PAPPUS_BENCH_V4) || defined(PAPPUS_BENCH_V3)
  // 12 bits or more, which a step of Newton's doubles
#if defined(PAPPUS_BENCH_V4)
  const f32v first = _mm512_maskz_rsqrt14_ps(0xFFFF, a);
#else
  const f32v first = _mm256_rsqrt_ps(a);
#endif
  return first * (1.5f - 0.5f * a * first * first);
#else
  f32v found{};
  for (int lane = 0; lane < lanes_of<float>; ++lane) found[lane] = 1 / std::sqrt(a[lane]);
  return found;
#endif
}

/// Bit i is set where lanes i of `a` and `b` are equal.
inline std::uint32_t equal_bits(u32v a, u32v b) {
#if defined(PAPPUS_BENCH_V4)
  return _mm512_cmpeq_epi32_mask(std::bit_cast<__m512i>(a), std::bit_cast<__m512i>(b));
#elif defined(PAPPUS_BENCH_V3)
  return static_cast<std::uint32_t>(_mm256_movemask_ps(std::bit_cast<__m256>(a == b)));
#else
  std::uint32_t bits = 0;
  for (int lane = 0; lane < lanes_of<std::uint32_t>; ++lane)
    bits |= static_cast<std::uint32_t>(a[lane] == b[lane]) << lane;
  return bits;
#endif
}

inline std::uint32_t equal_bits(i64v a, i64v b) {
#if defined(PAPPUS_BENCH_V4)
  return _mm512_cmpeq_epi64_mask(std::bit_cast<__m512i>(a), std::bit_cast<__m512i>(b));
#elif defined(PAPPUS_BENCH_V3)
  return static_cast<std::uint32_t>(_mm256_movemask_pd(std::bit_cast<__m256d>(a == b)));
#else
  std::uint32_t bits = 0;
  for (int lane = 0; lane < lanes_of<std::int64_t>; ++lane)
    bits |= static_cast<std::uint32_t>(a[lane] == b[lane]) << lane;
  return bits;
#endif
}

inline std::uint32_t equal_bits(u16v a, u16v b) {
#if defined(PAPPUS_BENCH_V4)
  return _mm512_cmpeq_epi16_mask(std::bit_cast<__m512i>(a), std::bit_cast<__m512i>(b));
#elif defined(PAPPUS_BENCH_V3)
  const auto same = std::bit_cast<__m256i>(a == b);
  return static_cast<std::uint32_t>(_mm_movemask_epi8(
      _mm_packs_epi16(_mm256_castsi256_si128(same), _mm256_extracti128_si256(same, 1))));
#else
  std::uint32_t bits = 0;
  for (int lane = 0; lane < lanes_of<std::uint16_t>; ++lane)
    bits |= static_cast<std::uint32_t>(a[lane] == b[lane]) << lane;
  return bits;
#endif
}

/// Whether a number of the cache line at `line` is one of `wanted`'s, which are a vector each. For
/// what is rare: it makes no bits.
template <int n>
inline bool line_has(const std::uint16_t* line, const u16v (&wanted)[n]) {
#if defined(PAPPUS_BENCH_V4)
  std::uint32_t bits = 0;
  for (const u16v& one : wanted) bits |= equal_bits(load<u16v>(line), one);
  return bits != 0;
#else
  u16v same{};
  for (int v = 0; v < line_vectors; ++v) {
    const auto words = load<u16v>(line + v * lanes_of<std::uint16_t>);
    for (const u16v& one : wanted) same |= std::bit_cast<u16v>(words == one);
  }
#if defined(PAPPUS_BENCH_V3)
  const auto bits = std::bit_cast<__m256i>(same);
  return _mm256_testz_si256(bits, bits) == 0;
#else
  const auto halves = std::bit_cast<std::array<std::uint64_t, 2>>(same);
  return (halves[0] | halves[1]) != 0;
#endif
#endif
}

/// Lane i takes lane At(i) of `a` and `b` one after the other.
template <auto At, class V>
inline V shuffled(V a, V b) {
  return [&]<int... Lane>(std::integer_sequence<int, Lane...>) {
    return __builtin_shufflevector(a, b, At(Lane)...);
  }(std::make_integer_sequence<int, sizeof(V) / sizeof(a[0])>());
}

}  // namespace pappus::bench
