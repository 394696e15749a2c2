// How a join table's hashed index lies in memory: what builds it (algorithms/join_table.cpp) and
// the kernels that look into it agree on this.
#pragma once

#include <cstddef>
#include <cstdint>

#include "pappus/detail/base/hash.h"
#include "pappus/detail/base/integers.h"

namespace pappus::levels {

template <typename Row>
struct join_entry {
  Row first, count;  // count 0: no such key
};

template <typename Key, typename Row>
struct join_bucket {
  static constexpr std::size_t fit = 64 / (sizeof(Key) + sizeof(join_entry<Row>));
  static constexpr unsigned width = fit < 2 ? 2 : fit;
  Key keys[width];
  join_entry<Row> entries[width];  // in use from the front
};

/// Buckets in 2^region_bits regions of `region_buckets`; a key's home is found by its hash.
struct join_buckets {
  std::byte* first;
  std::uint64_t seed, region_buckets;
  unsigned region_bits;

  /// The number of the home bucket.
  template <typename Key>
  [[gnu::always_inline]] std::uint64_t place(const Key& key) const {
    const std::uint64_t h = detail::hash(key, seed);
    const std::uint64_t region = h >> 1 >> (63 - region_bits);
    return region * region_buckets + ((h << region_bits >> 32) * region_buckets >> 32);
  }

  /// The number of the bucket behind: a region is a ring.
  [[gnu::always_inline]] std::uint64_t next(std::uint64_t place) const {
    return (place + 1) % region_buckets == 0 ? place + 1 - region_buckets : place + 1;
  }
};

template <typename Key, typename Row>
inline constexpr std::size_t join_bucket_bytes =
    detail::round_up(sizeof(join_bucket<Key, Row>), 64);

}  // namespace pappus::levels
