// The untyped vector loops that typed loops call: copies past the caches, running sums,
// compression.
//
// Vectors are the compilers' own types of 64 bytes, which become single instructions where the
// machine has them; intrinsics stand only where these can't say what is meant. Vectors change no
// result here: integers wrap.
#include <bit>
#include <cstring>
#include <type_traits>

#include "algorithms/stream.h"
#include "pappus/detail/base/stream.h"

namespace pappus::detail {
namespace {

template <typename T>
constexpr int lanes = 64 / sizeof(T);

template <typename T>
struct vector_of;
template <>
struct vector_of<std::uint32_t> {
  typedef std::uint32_t type __attribute__((vector_size(64)));
};
template <>
struct vector_of<std::uint64_t> {
  typedef std::uint64_t type __attribute__((vector_size(64)));
};
template <typename T>
using vector = typename vector_of<T>::type;

template <typename T>
inline void load(vector<T>& v, const T* from) {
  std::memcpy(&v, from, sizeof v);
}

// Adds to each lane all lanes before it, in log2(lanes) steps.
inline void add_earlier_lanes(vector<std::uint32_t>& v) {
  const vector<std::uint32_t> zero = {};
  v += __builtin_shufflevector(v, zero, 16, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14);
  v += __builtin_shufflevector(v, zero, 16, 16, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13);
  v += __builtin_shufflevector(v, zero, 16, 16, 16, 16, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11);
  v += __builtin_shufflevector(v, zero, 16, 16, 16, 16, 16, 16, 16, 16, 0, 1, 2, 3, 4, 5, 6, 7);
}
inline void add_earlier_lanes(vector<std::uint64_t>& v) {
  const vector<std::uint64_t> zero = {};
  v += __builtin_shufflevector(v, zero, 8, 0, 1, 2, 3, 4, 5, 6);
  v += __builtin_shufflevector(v, zero, 8, 8, 0, 1, 2, 3, 4, 5);
  v += __builtin_shufflevector(v, zero, 8, 8, 8, 8, 0, 1, 2, 3);
}
inline void spread_last_lane(vector<std::uint32_t>& to, const vector<std::uint32_t>& v) {
  to =
      __builtin_shufflevector(v, v, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15);
}
inline void spread_last_lane(vector<std::uint64_t>& to, const vector<std::uint64_t>& v) {
  to = __builtin_shufflevector(v, v, 7, 7, 7, 7, 7, 7, 7, 7);
}

// Four vectors at a time, so that their latencies overlap; `to` is 64-byte aligned when Streamed.
template <bool Streamed, typename T>
std::int64_t sum_vectors(T& before, const T* from, T* to, std::int64_t n) {
  constexpr int step = 4 * lanes<T>;
  vector<T> carry = vector<T>{} + before;
  std::int64_t i = 0;
  for (; i + step <= n; i += step) {
    vector<T> v[4], last[4];
    for (int k = 0; k < 4; ++k) {
      load(v[k], from + i + k * lanes<T>);
      add_earlier_lanes(v[k]);
      spread_last_lane(last[k], v[k]);
    }
    for (int k = 0; k < 4; ++k) {
      const vector<T> sums = v[k] + carry;
      carry += last[k];
      T* const place = to + i + k * lanes<T>;
      if constexpr (Streamed)
        algorithms::stream_copy(reinterpret_cast<std::byte*>(place),
                                reinterpret_cast<const std::byte*>(&sums), sizeof sums);
      else
        std::memcpy(place, &sums, sizeof sums);
    }
  }
  before = carry[0];
  return i;
}

template <typename T>
T sum_one_by_one(T before, const T* from, T* to, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) to[i] = before += from[i];
  return before;
}

template <typename T>
T sums(T before, const T* from, T* to, std::int64_t n, bool past_caches) {
  std::int64_t done = 0;
  if (past_caches) {
    const auto beyond = reinterpret_cast<std::uintptr_t>(to) % 64;
    const auto head = static_cast<std::int64_t>((64 - beyond) % 64 / sizeof(T));
    done = head < n ? head : n;
    before = sum_one_by_one(before, from, to, done);
    done += sum_vectors<true>(before, from + done, to + done, n - done);
    algorithms::stream_fence();
  } else {
    done = sum_vectors<false>(before, from, to, n);
  }
  return sum_one_by_one(before, from + done, to + done, n - done);
}

#if defined(__AVX512BW__) && defined(__AVX512VL__)
// A whole vector is stored, kept lanes first: after i rows at most i were kept, so it ends at row
// i + lanes at most, inside the room.
inline std::int64_t compress_vector(const std::uint32_t* values, const std::uint8_t* keep,
                                    std::uint32_t* to) {
  const auto flags = _mm_loadu_si128(reinterpret_cast<const __m128i*>(keep));
  const __mmask16 kept = _mm_test_epi8_mask(flags, flags);
  _mm512_storeu_si512(to, _mm512_maskz_compress_epi32(kept, _mm512_loadu_si512(values)));
  return std::popcount(static_cast<unsigned>(kept));
}
inline std::int64_t compress_vector(const std::uint64_t* values, const std::uint8_t* keep,
                                    std::uint64_t* to) {
  const auto flags = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(keep));
  const auto kept = static_cast<__mmask8>(_mm_test_epi8_mask(flags, flags));
  _mm512_storeu_si512(to, _mm512_maskz_compress_epi64(kept, _mm512_loadu_si512(values)));
  return std::popcount(static_cast<unsigned>(kept));
}
#endif

template <typename T>
std::int64_t compress_values(const T* values, const std::uint8_t* keep, std::int64_t n, T* to) {
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

}  // namespace

void copy_past_caches(std::byte* to, const std::byte* from, std::size_t bytes) noexcept {
  const std::size_t beyond = reinterpret_cast<std::uintptr_t>(to) % 64;
  const std::size_t wanted = (64 - beyond) % 64, head = wanted < bytes ? wanted : bytes;
  std::memcpy(to, from, head);
  const std::size_t middle = (bytes - head) / 64 * 64, done = head + middle;
  algorithms::stream_copy(to + head, from + head, middle);
  algorithms::stream_fence();
  std::memcpy(to + done, from + done, bytes - done);
}

std::uint32_t running_sums(std::uint32_t before, const std::uint32_t* from, std::uint32_t* to,
                           std::int64_t n, bool past_caches) noexcept {
  return sums(before, from, to, n, past_caches);
}
std::uint64_t running_sums(std::uint64_t before, const std::uint64_t* from, std::uint64_t* to,
                           std::int64_t n, bool past_caches) noexcept {
  return sums(before, from, to, n, past_caches);
}

std::int64_t compress(const std::uint32_t* values, const std::uint8_t* keep, std::int64_t n,
                      std::uint32_t* to) noexcept {
  return compress_values(values, keep, n, to);
}
std::int64_t compress(const std::uint64_t* values, const std::uint8_t* keep, std::int64_t n,
                      std::uint64_t* to) noexcept {
  return compress_values(values, keep, n, to);
}

}  // namespace pappus::detail
