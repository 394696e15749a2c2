// A hash table from keys to reducer states, untyped.
//
// Problem: group_by must turn rows into (key, state) pairs at memory speed, yet only the user's
// translation unit knows how to accumulate. So the table hands out addresses: find_or_insert() maps
// a batch of key bits to pointers to their states, and a typed loop, inlined there, accumulates
// through them. While the table fits the caches it is faster to look up in that loop: slots() hands
// out what it needs to find keys that are where their hash says.
//
// Idea: a slot is key bits and state side by side, so a hit costs one cache line. Linear probing;
// empty slots hold a reserved key, so one comparison decides a hit; the reserved key itself, should
// a user have it, lives in one extra slot behind the others. Its home slot is barred: it stays
// without a group and holds a key of another home, so that looking up the reserved key misses like
// any other and no hit has to be told from an empty slot. Hashes of a batch are computed in a
// vector loop. What costs time in a small table is a mispredicted branch at each key that isn't in
// its home slot, so the hash spreads evenly spaced keys evenly, and small tables stay nearly empty
// (1/16) and try another seed when many look-ups find their key displaced, while those beyond the
// caches fill to 1/2 and are prefetched. When the table grows in the middle of a batch, the batch
// starts again: nothing has been accumulated yet. Spacings that suit the hash badly, all homes
// close together, show in a long probe; another seed ends them.
//
// Alternatives: group numbers plus a separate state array (tried: a second miss per row, 1.5 times
// slower for many groups); control bytes as in Swiss tables (one more line per look-up).
//
// Not here: concurrent insertion (each worker or partition has its own table), partitioning.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "pappus/detail/base/hash.h"
#include "pappus/detail/base/memory.h"

namespace pappus::algorithms {

/// How a group table spreads its keys; neither changes what is found.
struct table_layout {
  bool sparse = true;      ///< small tables stay nearly empty; else all fill to 1/2
  std::uint64_t seed = 0;  ///< of the hash
  /// All keys are in the same partition by partition_function::by_spread(partition_bits); 0: not
  /// partitioned.
  unsigned partition_bits = 0;
};

class group_table {
 public:
  static constexpr std::size_t batch_max = 512;  ///< the most keys of a call of find_or_insert

  /// \param key_bytes      4, 8 or 16.
  /// \param initial_state  `state_bytes` bytes, copied into each new slot.
  /// \param state_align    a power of two, at most 64.
  /// \param expected       distinct keys expected; 0 when unknown. The table grows as needed.
  /// \param owner          the operator, for memory errors.
  group_table(detail::memory_source& memory, std::size_t key_bytes, std::size_t state_bytes,
              std::size_t state_align, const std::byte* initial_state, std::size_t expected,
              std::string_view owner, table_layout layout = {});

  /// Sets states[i] to the address of the state of key i, n <= batch_max. The addresses hold until
  /// the next call. Throws memory_error when the table can't grow; it is then unchanged but for new
  /// keys with initial states.
  void find_or_insert(const std::byte* keys, std::size_t n, std::byte** states);

  /// The table for a loop that looks up and accumulates in line, one key at a time. Valid until the
  /// next call of another member.
  detail::group_slots slots();

  /// What becomes of a table that was merged into another: its groups keep their states, or all
  /// get that of one without rows.
  enum class merged : std::uint8_t { kept, reset };
  /// Merges the groups of another table. A group that is new here is merged into the state of one
  /// without rows. Fast where groups lie in the same slots, as those of a table and its copy do.
  void merge(group_table& from, const detail::group_merging& by, merged afterwards);
  std::unique_ptr<group_table> copy() const;
  /// Gives all groups the state of one without rows.
  void reset_states();

  /// Brings the table to the caches, one line after the other: look-ups that find it there needn't
  /// wait for memory each.
  void fetch() const noexcept {
    for (std::size_t at = 0; at < bytes(); at += 64) __builtin_prefetch(slots_.data() + at, 1);
  }

  /// A seed for other tables with the same keys: by it few keys hash to the home slot of another.
  std::uint64_t good_seed() const;

  std::size_t size() const noexcept { return size_; }
  /// New keys that it takes before it grows.
  std::size_t room() const noexcept { return keys_max_ - size_; }
  std::size_t bytes() const noexcept { return (mask_ + 1) * stride_; }
  std::size_t key_bytes() const noexcept { return key_bytes_; }

  /// Calls f(const std::byte* key, std::byte* state) for each key in slot order, which depends on
  /// the order of insertion. Keys are aligned to 4 bytes only.
  template <typename F>
  void for_each(F&& f) const {
    for (std::size_t i = 0; i <= mask_; ++i) {
      std::byte* slot = slots_.data() + i * stride_;
      if (i != barred_ && occupied(slot))
        f(static_cast<const std::byte*>(slot), slot + state_offset_);
    }
    if (has_reserved_key_) {
      std::byte* slot = slots_.data() + (mask_ + 1) * stride_;
      f(static_cast<const std::byte*>(slot), slot + state_offset_);
    }
  }

  /// Writes size() keys, `key_bytes` each, and their states' addresses in ascending order of the
  /// keys.
  void sorted(std::byte* keys, std::byte** states) const;

 private:
  group_table(const group_table& other);  ///< copy()

  template <typename Key>
  void find_batch(const std::byte* keys, std::size_t n, std::byte** states);
  template <typename Key>
  bool find_all(const Key* keys, std::size_t n, std::byte** states);
  template <typename Key>
  std::byte* insert(std::byte* slot, const Key& key);
  template <typename Key>
  std::byte* find_displaced(const Key& key);
  template <typename Key>
  void merge_slots(const group_table& from, const detail::group_merging& by, merged afterwards);
  template <typename Key>
  void reseed_if_worthwhile();
  std::byte* reserved_slot();
  template <typename Key>
  void rebuild(std::size_t capacity, std::uint64_t seed);
  template <typename Key>
  void bar_home_of_reserved_key();
  template <typename Key>
  std::uint64_t best_seed() const;
  std::byte* next(std::byte* slot) const noexcept {
    slot += stride_;
    return slot == slots_.data() + (mask_ + 1) * stride_ ? slots_.data() : slot;
  }
  bool occupied(const std::byte* slot) const noexcept;
  std::size_t keys_max(std::size_t capacity) const noexcept;

  detail::memory_source* memory_;
  std::size_t key_bytes_, state_bytes_, state_offset_, stride_;
  std::vector<std::byte> initial_state_;
  std::string owner_;
  detail::buffer slots_;      // mask_ + 1 slots, then the one for the reserved key
  std::size_t mask_ = 0;      // capacity - 1
  std::size_t size_ = 0;      // the reserved key included
  std::size_t keys_max_ = 0;  // grow before exceeding
  std::size_t barred_ = 0;    // the slot without a group
  std::uint64_t moves_ = 0;   // of all states
  bool has_reserved_key_ = false;
  bool sparse_ = true;
  unsigned long_probes_ = 0;  // seeds that were given up because of long probes
  bool reseeded_ = false;
  detail::spread_hash hash_;
  std::uint64_t displaced_ = 0;  // look-ups that found their key outside its home
};

}  // namespace pappus::algorithms
