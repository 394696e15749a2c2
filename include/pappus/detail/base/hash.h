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

struct text_coder;  // text_code.h

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

  /// What product() multiplies keys of up to 8 bytes by.
  [[gnu::always_inline]] static constexpr std::uint64_t multiplier(std::uint64_t seed) {
    return 0x9e3779b97f4a7c15u + 2 * seed * 0xd6e8feb86659fd93u;
  }
  [[gnu::always_inline]] static constexpr std::uint64_t product(std::uint64_t key,
                                                                std::uint64_t seed = 0) {
    return key * multiplier(seed);
  }
  [[gnu::always_inline]] static constexpr std::uint64_t product(const bits128& key,
                                                                std::uint64_t seed = 0) {
    return hash(key, seed);
  }
  template <typename Key>
  constexpr std::uint64_t home(const Key& key) const {
    return product(key, seed) << skip >> shift;
  }
  friend bool operator==(const spread_hash&, const spread_hash&) = default;
};

/// The key that marks an empty slot. Rare in data, but allowed there: it is never in its home slot,
/// so that a look-up that compares nothing but keys doesn't take an empty slot for it.
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
  text_coder* texts = nullptr;  ///< where keys are codes of texts

  struct found {
    std::byte* state;
    std::byte* slots;   ///< as in group_slots; may have changed
    spread_hash homes;  ///< likewise
    std::uint64_t moves;
  };
  /// Finds the state of any key; inserts the key if it is new.
  found (*find)(void* table, const std::byte* key) = nullptr;
  std::uint64_t moves = 0;  ///< how often its states have moved
};

/// How states of groups are merged, which only their reducer knows.
struct group_merging {
  /// Merges n states that lie one after the other into n others.
  void (*states)(std::byte* into, const std::byte* from, std::size_t n) = nullptr;
  /// Merges the states of n slots into those of n others while these have the same keys, and gives
  /// them the `initial` state then, unless it is null. Slots of `from` without a key are left out.
  /// Returns how many slots came before the first whose key isn't there; n if there is none.
  std::size_t (*slots)(std::byte* into, std::byte* from, std::size_t n,
                       const std::byte* initial) = nullptr;
};

template <typename R>
void merge_states(std::byte* into, const std::byte* from, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i)
    reinterpret_cast<R*>(into)[i].merge(reinterpret_cast<const R*>(from)[i]);
}

template <typename R, typename Key>
std::size_t merge_group_slots(std::byte* into, std::byte* from, std::size_t n,
                              const std::byte* initial) {
  constexpr std::size_t offset = group_state_offset(sizeof(Key), alignof(R));
  constexpr std::size_t stride = group_slot_bytes(sizeof(Key), sizeof(R), alignof(R));
  for (std::size_t i = 0; i < n; ++i, into += stride, from += stride) {
    Key key, other;
    std::memcpy(&key, into, sizeof(Key));
    std::memcpy(&other, from, sizeof(Key));
    if (other == reserved_key<Key>()) continue;
    if (key != other) return i;
    merge_states<R>(into + offset, from + offset, 1);
    if (initial != nullptr) std::memcpy(from + offset, initial, sizeof(R));
  }
  return n;
}

/// Looks keys up in a group table, whose states are of type R, one after the other. Each home is
/// computed when its turn comes: computing those of 64 keys first, by vectors, took 1.6 to 2 times
/// as long where the table is in a core's cache (g++ and clang, with AVX2 and AVX-512).
template <typename R, typename Key>
class group_finder {
 public:
  /// The table must outlive it, and is brought up to date.
  explicit group_finder(group_slots& table) : table_(&table) { read_table(); }

  /// The state of a key; the key is inserted if it is new.
  [[gnu::always_inline]] R& operator()(const Key& key) {
    std::byte* slot = slots_ + (spread(key) >> shift_) * stride;
    if (!holds(slot, key)) [[unlikely]] {
      slot += stride;  // the last slot is followed by that of the reserved key
      if (!holds(slot, key) || key == reserved_key<Key>()) {
        const Key copy = key;
        const auto found = table_->find(table_->table, reinterpret_cast<const std::byte*>(&copy));
        table_->slots = found.slots;
        table_->homes = found.homes;
        table_->moves = found.moves;
        read_table();
        slot = found.state - offset;
      }
    }
    return *reinterpret_cast<R*>(slot + offset);
  }

  const group_slots& table() const noexcept { return *table_; }

 private:
  static constexpr std::size_t offset = group_state_offset(sizeof(Key), alignof(R));
  static constexpr std::size_t stride = group_slot_bytes(sizeof(Key), sizeof(R), alignof(R));

  [[gnu::always_inline]] void read_table() {
    const spread_hash& homes = table_->homes;
    slots_ = table_->slots;
    spread_ = sizeof(Key) > 8 ? homes.seed : spread_hash::multiplier(homes.seed) << homes.skip;
    skip_ = homes.skip;
    shift_ = homes.shift;
  }
  /// Of keys that are multiplied once the factor holds what is to be skipped.
  [[gnu::always_inline]] std::uint64_t spread(const Key& key) const {
    if constexpr (sizeof(Key) > 8)
      return spread_hash::product(key, spread_) << skip_;
    else
      return key * spread_;
  }
  [[gnu::always_inline]] static bool holds(const std::byte* slot, const Key& key) {
    Key stored;
    std::memcpy(&stored, slot, sizeof(Key));
    return stored == key;
  }

  group_slots* table_;
  // What a look-up reads of it, in registers.
  std::byte* slots_;
  std::uint64_t spread_;
  unsigned skip_, shift_;
};

}  // namespace pappus::detail
