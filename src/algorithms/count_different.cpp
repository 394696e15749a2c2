// Different keys among those of a group: a hash table that fits a core's caches.
//
// Few different keys fit in the table, however often they are there. Where they don't, the keys are
// parted in place by bits of a hash, so that equal keys stay together, and each part is counted by
// itself; after all bits of the hash, which is a bijection, keys of a part are equal.
//
// Alternatives: sorting took four times as long for groups of 10,000 keys; a table for all keys of
// a group leaves the caches, and would need memory of the budget.
#include "pappus/detail/base/count_different.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>

#include "pappus/detail/base/hash.h"

namespace pappus::algorithms {
namespace {

constexpr unsigned table_bits_most = 14;
constexpr std::size_t different_most = std::size_t{3} << (table_bits_most - 2);
constexpr unsigned part_bits = 8;

/// Of keys; one that marks empty slots is counted apart.
template <typename Key>
class different_keys {
 public:
  /// \param most  keys that there may be.
  explicit different_keys(std::size_t most)
      : shift_(64 -
               std::clamp(static_cast<unsigned>(std::bit_width(most)) + 1, 3u, table_bits_most)) {
    std::fill_n(slots_.begin(), std::size_t{1} << (64 - shift_), detail::reserved_key<Key>());
  }
  /// False: there is no room for another one.
  bool add(Key key) {
    if (key == detail::reserved_key<Key>()) {
      has_reserved_ = true;
      return true;
    }
    const std::size_t last = (std::size_t{1} << (64 - shift_)) - 1;
    auto slot = static_cast<std::size_t>(detail::spread_hash::product(key) >> shift_);
    while (slots_[slot] != key) {
      if (slots_[slot] == detail::reserved_key<Key>()) {
        if (count_ == different_most) return false;
        slots_[slot] = key;
        ++count_;
        return true;
      }
      slot = slot == last ? 0 : slot + 1;
    }
    return true;
  }
  std::int64_t count() const noexcept {
    return static_cast<std::int64_t>(count_) + (has_reserved_ ? 1 : 0);
  }

 private:
  std::array<Key, std::size_t{1} << table_bits_most> slots_;
  unsigned shift_;
  std::size_t count_ = 0;
  bool has_reserved_ = false;
};

template <typename Key>
bool fit_in_table(std::span<const Key> keys, std::int64_t& count) {
  different_keys<Key> all(std::min(keys.size(), different_most));
  for (const Key key : keys)
    if (!all.add(key)) return false;
  count = all.count();
  return true;
}

std::size_t part_of(std::uint64_t key, unsigned depth) {
  return detail::mix(key) << (depth * part_bits) >> (64 - part_bits);
}

template <typename Key>
std::int64_t count_in_parts(std::span<Key> keys, unsigned depth) {
  std::int64_t count = 0;
  if (fit_in_table<Key>(keys, count)) return count;
  std::array<std::size_t, (std::size_t{1} << part_bits) + 1> ends{};
  for (const Key key : keys) ++ends[part_of(key, depth) + 1];
  for (std::size_t part = 1; part < ends.size(); ++part) ends[part] += ends[part - 1];
  auto next = ends;  // where the next key of a part goes
  for (std::size_t part = 0; part + 1 < ends.size(); ++part)
    while (next[part] < ends[part + 1]) {
      Key key = keys[next[part]];
      for (std::size_t own = part_of(key, depth); own != part; own = part_of(key, depth))
        std::swap(key, keys[next[own]++]);
      keys[next[part]++] = key;
    }
  for (std::size_t part = 0; part + 1 < ends.size(); ++part)
    count += count_in_parts(keys.subspan(ends[part], ends[part + 1] - ends[part]), depth + 1);
  return count;
}

}  // namespace
}  // namespace pappus::algorithms

namespace pappus::detail {

std::int64_t count_different(std::span<std::uint32_t> keys) {
  return algorithms::count_in_parts(keys, 0);
}
std::int64_t count_different(std::span<std::uint64_t> keys) {
  return algorithms::count_in_parts(keys, 0);
}

}  // namespace pappus::detail
