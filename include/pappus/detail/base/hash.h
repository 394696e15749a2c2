// Hashing of keys as bits, and hash tables as loops see them.
//
// hash() is two multiplications with xor-shifts between them: a bijection on 64 bits whose high and
// low halves are both well mixed, and which compilers vectorise. Join tables and their partitions
// use its top bits. Group tables use spread_hash. Always inlined, so that a copy for wider vectors
// (src/levels/) is never linked into code that runs everywhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "pappus/detail/base/bits.h"
#include "pappus/detail/base/integers.h"

namespace pappus::detail {

/// A bijection; `seed` picks another one.
[[gnu::always_inline]] constexpr std::uint64_t mix(std::uint64_t x, std::uint64_t seed = 0) {
  x ^= seed;
  x ^= x >> 32;
  x *= 0x9e3779b97f4a7c15u;
  x ^= x >> 29;
  x *= 0xd6e8feb86659fd93u;
  return x ^ (x >> 32);
}

[[gnu::always_inline]] constexpr std::uint64_t hash(std::uint32_t key, std::uint64_t seed = 0) {
  return mix(key, seed);
}
[[gnu::always_inline]] constexpr std::uint64_t hash(std::uint64_t key, std::uint64_t seed = 0) {
  return mix(key, seed);
}
[[gnu::always_inline]] constexpr std::uint64_t hash(const bits128& key, std::uint64_t seed = 0) {
  return mix(key.lo + mix(key.hi, seed), seed);
}

/// The slot of a group table that is a key's home: multiplicative (Fibonacci) hashing (Knuth 1973,
/// 6.4). Evenly spaced keys, as most ids are, spread evenly, better than at random, so few collide.
/// The same holds within a partition, if partitions are the product's top bits (skip) and slots the
/// bits below.
struct spread_hash {
  std::uint64_t seed = 0;  ///< picks another multiplier
  unsigned skip = 0;       ///< top bits that all keys share
  unsigned shift = 56;     ///< 64 - log2(slots)

  static constexpr std::uint64_t product(std::uint64_t key, std::uint64_t seed = 0) {
    return key * (0x9e3779b97f4a7c15u + 2 * seed * 0xd6e8feb86659fd93u);
  }
  static constexpr std::uint64_t product(const bits128& key, std::uint64_t seed = 0) {
    return hash(key, seed);
  }
  template <typename Key>
  constexpr std::uint64_t home(const Key& key) const {
    return product(key, seed) << skip >> shift;
  }
  friend bool operator==(const spread_hash&, const spread_hash&) = default;
};

/// The key that marks an empty slot. Rare in data, but allowed there.
template <typename Key>
constexpr Key reserved_key() {
  if constexpr (sizeof(Key) == 4) {
    return 0x8d2f5a17u;
  } else if constexpr (sizeof(Key) == 8) {
    return 0x8d2f5a17c36b91e5u;
  } else {
    return {0x8d2f5a17c36b91e5u, 0x5be1a9d3704fc286u};
  }
}

/// Bytes from a group table's slot to its state, and from a slot to the next.
constexpr std::size_t group_state_offset(std::size_t key_bytes, std::size_t state_align) {
  return round_up(key_bytes, state_align);
}
constexpr std::size_t group_slot_bytes(std::size_t key_bytes, std::size_t state_bytes,
                                       std::size_t state_align) {
  return round_up(group_state_offset(key_bytes, state_align) + state_bytes,
                  state_align < 4 ? 4 : state_align);
}

/// A group table (algorithms/group_table.h) for loops that look up keys in line: most are found
/// where their hash says, or in the next slot.
struct group_slots {
  std::byte* slots = nullptr;
  spread_hash homes;
  void* table = nullptr;

  struct found {
    std::byte* state;
    std::byte* slots;   ///< as in group_slots; may have changed
    spread_hash homes;  ///< likewise
  };
  /// Finds the state of any key; inserts the key if it is new.
  found (*find)(void* table, const std::byte* key) = nullptr;
};

inline constexpr std::size_t group_lookup_batch = 64;

/// Calls use(i, state of keys[i]) for n <= group_lookup_batch keys, in order. Home slots are
/// computed first, in a loop that vectorises.
template <typename R, typename Key, typename Use>
inline void for_each_state(group_slots& table, const Key* keys, std::size_t n, Use&& use) {
  constexpr std::size_t offset = group_state_offset(sizeof(Key), alignof(R));
  constexpr std::size_t stride = group_slot_bytes(sizeof(Key), sizeof(R), alignof(R));
  std::uint64_t homes[group_lookup_batch];
  std::byte* slots = table.slots;
  const auto compute_homes = [&](std::size_t first) {
    const spread_hash hash = table.homes;
    for (std::size_t i = first; i < n; ++i) homes[i] = hash.home(keys[i]) * stride;
  };
  const auto holds = [](const std::byte* slot, const Key& key) {
    Key stored;
    std::memcpy(&stored, slot, sizeof(Key));
    return stored == key;
  };
  compute_homes(0);
  for (std::size_t i = 0; i < n; ++i) {
    const Key key = keys[i];
    std::byte* slot = slots + homes[i];
    if (!holds(slot, key) || key == reserved_key<Key>()) [[unlikely]] {
      slot += stride;  // the last slot is followed by that of the reserved key
      if (!holds(slot, key) || key == reserved_key<Key>()) {
        const auto found = table.find(table.table, reinterpret_cast<const std::byte*>(keys + i));
        slot = found.state - offset;
        if (found.slots != slots || !(found.homes == table.homes)) {
          slots = table.slots = found.slots;
          table.homes = found.homes;
          compute_homes(i + 1);
        }
      }
    }
    use(i, *reinterpret_cast<R*>(slot + offset));
  }
}

}  // namespace pappus::detail
