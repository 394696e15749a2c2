// Buckets of a join table whose row numbers have 32 bits: many keys put in and looked up.
#pragma once

#include "levels/join_buckets.h"
#include "levels/unit/vectors.h"

namespace pappus::levels {
namespace {

template <typename Key>
void join_places(const join_buckets& buckets, const Key* keys, std::size_t n,
                 std::uint64_t* places) noexcept {
  const join_buckets local = buckets;  // which nothing stored here can change
  for (std::size_t i = 0; i < n; ++i) places[i] = local.place(keys[i]);
}

using bucket_32 = join_bucket<std::uint32_t, std::uint32_t>;
using bucket_64 = join_bucket<std::uint64_t, std::uint32_t>;
static_assert(bucket_32::width == 5 && bucket_64::width == 4);

// Bit i is set where keys[i] == key. May read the whole cache line of the bucket.
inline unsigned matches(const bucket_32& here, std::uint32_t key) {
  const auto wanted = static_cast<int>(key);
#if defined(__AVX512VL__)
  return _mm256_cmpeq_epi32_mask(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(here.keys)),
                                 _mm256_set1_epi32(wanted)) &
         0x1fu;
#elif defined(__AVX2__)
  const auto equal = _mm256_cmpeq_epi32(
      _mm256_loadu_si256(reinterpret_cast<const __m256i*>(here.keys)), _mm256_set1_epi32(wanted));
  return static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(equal))) & 0x1fu;
#elif defined(__SSE2__)
  const auto equal = _mm_cmpeq_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(here.keys)),
                                     _mm_set1_epi32(wanted));
  return static_cast<unsigned>(_mm_movemask_ps(_mm_castsi128_ps(equal))) |
         unsigned{here.keys[4] == key} << 4;
#else
  unsigned hits = 0;
  for (unsigned i = 0; i < bucket_32::width; ++i) hits |= unsigned{here.keys[i] == key} << i;
  return hits;
#endif
}

inline unsigned matches(const bucket_64& here, std::uint64_t key) {
#if defined(__AVX512VL__)
  return _mm256_cmpeq_epi64_mask(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(here.keys)),
                                 _mm256_set1_epi64x(static_cast<long long>(key)));
#elif defined(__AVX2__)
  const auto equal =
      _mm256_cmpeq_epi64(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(here.keys)),
                         _mm256_set1_epi64x(static_cast<long long>(key)));
  return static_cast<unsigned>(_mm256_movemask_pd(_mm256_castsi256_pd(equal)));
#elif defined(__SSE4_1__)
  const auto wanted = _mm_set1_epi64x(static_cast<long long>(key));
  const auto half = [&](int first) {
    const auto keys = _mm_loadu_si128(reinterpret_cast<const __m128i*>(here.keys + first));
    return static_cast<unsigned>(_mm_movemask_pd(_mm_castsi128_pd(_mm_cmpeq_epi64(keys, wanted))));
  };
  return half(0) | half(2) << 2;
#else
  unsigned hits = 0;
  for (unsigned i = 0; i < bucket_64::width; ++i) hits |= unsigned{here.keys[i] == key} << i;
  return hits;
#endif
}

// Bit i is set where entries[i] is free; those in use are in front.
template <typename Bucket>
unsigned free_entries(const Bucket& here) {
  unsigned free = 0;
#if defined(__SSE4_1__)
  const auto* const entries = reinterpret_cast<const float*>(here.entries);
  const auto counts =
      _mm_castps_si128(_mm_shuffle_ps(_mm_loadu_ps(entries), _mm_loadu_ps(entries + 4), 0xdd));
  free = static_cast<unsigned>(
      _mm_movemask_ps(_mm_castsi128_ps(_mm_cmpeq_epi32(counts, _mm_setzero_si128()))));
  for (unsigned i = 4; i < Bucket::width; ++i) free |= unsigned{here.entries[i].count == 0} << i;
#else
  for (unsigned i = 0; i < Bucket::width; ++i) free |= unsigned{here.entries[i].count == 0} << i;
#endif
  return free;
}

// Puts keys in, in order. How full a bucket is nobody can guess, so no branch asks that, unless
// there is no room. A key that is found in front is, for in most sides either hardly any is or,
// where keys have many rows, most are.
template <typename Key>
bool join_insert(const join_buckets& buckets, const Key* keys, const std::uint32_t* rows,
                 std::size_t n, std::uint32_t* most) noexcept {
  using bucket = join_bucket<Key, std::uint32_t>;
  const join_buckets local = buckets;
  std::uint32_t most_here = *most;
  for (std::size_t i = 0; i < n; ++i) {
    const Key key = keys[i];
    std::uint64_t place = local.place(key), step = 0;
    const auto bucket_here = [&] {
      return reinterpret_cast<bucket*>(local.first + place * join_bucket_bytes<Key, std::uint32_t>);
    };
    bucket* here = bucket_here();
    unsigned to = 0;
    if ((here->keys[0] != key) | (here->entries[0].count == 0)) {
      // What free entries hold may equal the key, but the first of them is as good as any.
      while ((to = static_cast<unsigned>(__builtin_ctz(matches(*here, key) | free_entries(*here) |
                                                       1u << bucket::width))) == bucket::width) {
        if (++step == local.region_buckets) return false;
        place = local.next(place);
        here = bucket_here();
      }
    }
    auto& entry = here->entries[to];
    here->keys[to] = key;
    entry.first = entry.count == 0 ? rows[i] : entry.first;
    ++entry.count;
    most_here = entry.count > most_here ? entry.count : most_here;
  }
  *most = most_here;
  return true;
}

// Keys behind a full bucket are few, but going on at once would wait for memory and guess a branch
// wrong each time: they are set aside.
template <typename Key>
std::size_t join_find(const join_buckets& buckets, const Key* keys, const std::uint64_t* places,
                      std::size_t n, std::uint64_t* first, std::uint64_t* count,
                      std::uint16_t* aside) noexcept {
  using bucket = join_bucket<Key, std::uint32_t>;
  const std::byte* const all = buckets.first;
  std::size_t unfinished = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const auto& here =
        *reinterpret_cast<const bucket*>(all + places[i] * join_bucket_bytes<Key, std::uint32_t>);
    const unsigned hits = matches(here, keys[i]);
    // A free entry's key may be anything, but its count is 0, and none behind it is used.
    // So no hit is looked up as one in the last entry, which is free unless the bucket is full.
    const auto found = here.entries[__builtin_ctz(hits | 1u << (bucket::width - 1))];
    first[i] = found.first;
    count[i] = found.count;
    aside[unfinished] = static_cast<std::uint16_t>(i);
    unfinished += (hits == 0) & (found.count != 0);
  }
  return unfinished;
}

}  // namespace
}  // namespace pappus::levels
