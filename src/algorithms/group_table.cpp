#include "algorithms/group_table.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "algorithms/key_bits.h"

namespace pappus::algorithms {

using detail::reserved_key;

namespace {

constexpr std::size_t smallest_capacity = 256;             // slots
constexpr std::size_t prefetch_beyond_bytes = 512u << 10;  // half of a core's L2

// A small table that many look-ups find displaced is worth a few microseconds' search for a better
// hash.
constexpr std::uint64_t displaced_before_reseed = 1u << 15;
constexpr std::size_t keys_to_reseed_max = 1500;

// Longer than any but a table whose keys don't spread would need.
constexpr std::size_t long_probe = 256;
constexpr unsigned long_probes_max = 8;

template <typename Key>
Key next_key(Key key) {
  if constexpr (sizeof(Key) > 8)
    ++key.lo;
  else
    ++key;
  return key;
}

}  // namespace

group_table::group_table(detail::memory_source& memory, std::size_t key_bytes,
                         std::size_t state_bytes, std::size_t state_align,
                         const std::byte* initial_state, std::size_t expected,
                         std::string_view owner, table_layout layout)
    : memory_(&memory),
      key_bytes_(key_bytes),
      state_bytes_(state_bytes),
      state_offset_(detail::group_state_offset(key_bytes, state_align)),
      stride_(detail::group_slot_bytes(key_bytes, state_bytes, state_align)),
      initial_state_(initial_state, initial_state + state_bytes),
      owner_(owner),
      sparse_(layout.sparse) {
  hash_.skip = layout.partition_bits;
  std::size_t capacity = smallest_capacity;
  while (keys_max(capacity) < expected) capacity *= 2;
  with_key_type(key_bytes, [&](auto key) { rebuild<decltype(key)>(capacity, layout.seed); });
}

group_table::group_table(const group_table& other)
    : memory_(other.memory_),
      key_bytes_(other.key_bytes_),
      state_bytes_(other.state_bytes_),
      state_offset_(other.state_offset_),
      stride_(other.stride_),
      initial_state_(other.initial_state_),
      owner_(other.owner_),
      slots_(*memory_, (other.mask_ + 2) * stride_, owner_),
      mask_(other.mask_),
      size_(other.size_),
      keys_max_(other.keys_max_),
      barred_(other.barred_),
      has_reserved_key_(other.has_reserved_key_),
      sparse_(other.sparse_),
      long_probes_(other.long_probes_),
      reseeded_(other.reseeded_),
      hash_(other.hash_) {
  std::memcpy(slots_.data(), other.slots_.data(), (mask_ + 2) * stride_);
}

std::size_t group_table::keys_max(std::size_t capacity) const noexcept {
  const std::size_t bytes = capacity * stride_;
  return capacity / (!sparse_ ? 2 : bytes <= (96u << 10) ? 16 : bytes <= (512u << 10) ? 4 : 2);
}

bool group_table::occupied(const std::byte* slot) const noexcept {
  switch (key_bytes_) {
    case 4:
      return load<std::uint32_t>(slot) != reserved_key<std::uint32_t>();
    case 8:
      return load<std::uint64_t>(slot) != reserved_key<std::uint64_t>();
    default:
      return load<bits128>(slot) != reserved_key<bits128>();
  }
}

// Loops look for a key in its home and the next slot, so the key that is put there has another home
// than the barred slot and the one before.
template <typename Key>
void group_table::bar_home_of_reserved_key() {
  Key key = reserved_key<Key>();
  barred_ = hash_.home(key);
  while (barred_ - hash_.home(key) <= 1) key = next_key(key);
  store(slots_.data() + barred_ * stride_, key);
}

template <typename Key>
void group_table::rebuild(std::size_t capacity, std::uint64_t seed) {
  detail::buffer fresh(*memory_, (capacity + 1) * stride_, owner_);
  const std::size_t old_capacity = slots_.data() == nullptr ? 0 : mask_ + 1;
  const std::size_t old_barred = barred_;
  std::swap(fresh, slots_);
  ++moves_;
  mask_ = capacity - 1;
  if (capacity != old_capacity) reseeded_ = false;
  keys_max_ = keys_max(capacity);
  hash_.seed = seed;
  hash_.shift = static_cast<unsigned>(64 - std::countr_zero(capacity));
  displaced_ = 0;
  for (std::size_t i = 0; i <= capacity; ++i) {
    store(slots_.data() + i * stride_, reserved_key<Key>());
  }
  bar_home_of_reserved_key<Key>();
  for (std::size_t i = 0; i < old_capacity; ++i) {
    const std::byte* from = fresh.data() + i * stride_;
    const Key key = load<Key>(from);
    if (i == old_barred || key == reserved_key<Key>()) continue;
    std::byte* to = slots_.data() + hash_.home(key) * stride_;
    while (load<Key>(to) != reserved_key<Key>()) to = next(to);
    std::memcpy(to, from, stride_);
  }
  if (has_reserved_key_) {
    std::memcpy(slots_.data() + capacity * stride_, fresh.data() + old_capacity * stride_, stride_);
  }
}

// Of some seeds, the one that sends fewest keys to the home of another, or to the barred slot.
template <typename Key>
std::uint64_t group_table::best_seed() const {
  std::vector<std::uint64_t> homes(size_);
  std::uint64_t best = hash_.seed;
  std::size_t best_homes = 0;
  for (std::uint64_t seed = 0; seed < 32; ++seed) {
    homes.clear();
    detail::spread_hash hash = hash_;
    hash.seed = seed;
    for_each([&](const std::byte* key, std::byte*) { homes.push_back(hash.home(load<Key>(key))); });
    std::erase(homes, hash.home(reserved_key<Key>()));
    std::sort(homes.begin(), homes.end());
    const std::size_t distinct = std::unique(homes.begin(), homes.end()) - homes.begin();
    if (distinct > best_homes) {
      best_homes = distinct;
      best = seed;
    }
  }
  return best;
}

// The state of `key`, whose home `slot` holds another key or none; null when the table had to grow.
template <typename Key>
std::byte* group_table::insert(std::byte* slot, const Key& key) {
  if (key == reserved_key<Key>()) return reserved_slot();
  const std::byte* const barred = slots_.data() + barred_ * stride_;
  for (std::size_t steps = 0;; slot = next(slot)) {
    if (++steps > long_probe && long_probes_ < long_probes_max) [[unlikely]] {
      ++long_probes_;
      rebuild<Key>(mask_ + 1, hash_.seed + 1);
      return nullptr;
    }
    if (slot == barred) continue;
    const Key found = load<Key>(slot);
    if (found == key) {
      ++displaced_;
      return slot + state_offset_;
    }
    if (found == reserved_key<Key>()) break;
  }
  if (size_ >= keys_max_) {
    rebuild<Key>(2 * (mask_ + 1), hash_.seed);
    return nullptr;
  }
  store(slot, key);
  std::memcpy(slot + state_offset_, initial_state_.data(), state_bytes_);
  ++size_;
  return slot + state_offset_;
}

std::byte* group_table::reserved_slot() {
  std::byte* state = slots_.data() + (mask_ + 1) * stride_ + state_offset_;
  if (!has_reserved_key_) {
    std::memcpy(state, initial_state_.data(), state_bytes_);
    has_reserved_key_ = true;
    ++size_;
  }
  return state;
}

// False when the table grew, which moved the states. First takes each key to be in its home slot,
// then checks that eight keys at a time, so that the usual case costs a load and two logical
// operations a key.
template <typename Key>
bool group_table::find_all(const Key* keys, std::size_t n, std::byte** states) {
  const detail::spread_hash hash = hash_;
  const std::size_t stride = stride_, state_offset = state_offset_;
  std::byte* const first_state = slots_.data() + state_offset;
  for (std::size_t i = 0; i < n; ++i) states[i] = first_state + hash.home(keys[i]) * stride;
  if ((mask_ + 1) * stride > prefetch_beyond_bytes) {
    for (std::size_t i = 0; i < n; ++i) {
      __builtin_prefetch(states[i] - state_offset, 1);
      __builtin_prefetch(states[i] - state_offset + stride - 1, 1);  // slots may straddle lines
    }
  }
  const auto settle = [&](std::size_t i) {
    std::byte* slot = states[i] - state_offset;
    if (load<Key>(slot) != keys[i]) states[i] = insert(slot, keys[i]);
    return states[i] != nullptr;
  };
  std::size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    bool all_home = true;
    for (std::size_t k = i; k < i + 8; ++k) {
      all_home &= load<Key>(states[k] - state_offset) == keys[k];
    }
    if (all_home) [[likely]]
      continue;
    for (std::size_t k = i; k < i + 8; ++k) {
      if (!settle(k)) return false;
    }
  }
  for (; i < n; ++i) {
    if (!settle(i)) return false;
  }
  return true;
}

template <typename Key>
void group_table::reseed_if_worthwhile() {
  if (displaced_ <= displaced_before_reseed || size_ > keys_to_reseed_max || reseeded_) return;
  reseeded_ = true;  // until the table grows
  rebuild<Key>(mask_ + 1, best_seed<Key>());
}

template <typename Key>
void group_table::find_batch(const std::byte* keys, std::size_t n, std::byte** states) {
  reseed_if_worthwhile<Key>();
  Key copy[batch_max];  // keys may be unaligned
  std::memcpy(copy, keys, n * sizeof(Key));
  while (!find_all(copy, n, states)) continue;
}

void group_table::find_or_insert(const std::byte* keys, std::size_t n, std::byte** states) {
  if (n == 0) return;
  with_key_type(key_bytes_, [&](auto key) { find_batch<decltype(key)>(keys, n, states); });
}

template <typename Key>
std::byte* group_table::find_displaced(const Key& key) {
  reseed_if_worthwhile<Key>();
  for (;;) {
    std::byte* home = slots_.data() + hash_.home(key) * stride_;
    if (std::byte* state = insert(home, key)) return state;
  }
}

template <typename Key>
void group_table::merge_slots(const group_table& from, const detail::group_merging& by,
                              merged afterwards) {
  const std::byte* const initial = afterwards == merged::reset ? initial_state_.data() : nullptr;
  const auto merge_state = [&](std::byte* into, std::byte* other) {
    by.states(into, other, 1);
    if (initial != nullptr) std::memcpy(other, initial, state_bytes_);
  };
  for (std::size_t i = 0; i <= from.mask_; ++i) {
    if (i == from.barred_) continue;
    if (mask_ == from.mask_ && hash_ == from.hash_) {  // while it does not grow
      const std::size_t end = i < from.barred_ ? from.barred_ : from.mask_ + 1;
      i +=
          by.slots(slots_.data() + i * stride_, from.slots_.data() + i * stride_, end - i, initial);
      if (i == end) continue;
    }
    std::byte* const other = from.slots_.data() + i * stride_;
    const Key key = load<Key>(other);
    if (key == reserved_key<Key>()) continue;
    std::byte* const home = slots_.data() + hash_.home(key) * stride_;
    merge_state(load<Key>(home) == key ? home + state_offset_ : find_displaced(key),
                other + state_offset_);
  }
  if (from.has_reserved_key_)
    merge_state(reserved_slot(), from.slots_.data() + (from.mask_ + 1) * stride_ + state_offset_);
}

void group_table::merge(group_table& from, const detail::group_merging& by, merged afterwards) {
  with_key_type(key_bytes_, [&](auto key) { merge_slots<decltype(key)>(from, by, afterwards); });
}

std::unique_ptr<group_table> group_table::copy() const {
  return std::unique_ptr<group_table>(new group_table(*this));
}

void group_table::reset_states() {
  for_each([this](const std::byte*, std::byte* state) {
    std::memcpy(state, initial_state_.data(), state_bytes_);
  });
}

std::uint64_t group_table::good_seed() const {
  if (size_ > keys_to_reseed_max) return hash_.seed;
  return with_key_type(key_bytes_, [&](auto key) { return best_seed<decltype(key)>(); });
}

detail::group_slots group_table::slots() {
  detail::group_slots view{slots_.data(), hash_, this, nullptr};
  view.find = with_key_type(key_bytes_, [](auto type) {
    using key_type = decltype(type);
    return +[](void* self, const std::byte* key) {
      auto& table = *static_cast<group_table*>(self);
      std::byte* const state = table.find_displaced(load<key_type>(key));
      return detail::group_slots::found{state, table.slots_.data(), table.hash_, table.moves_};
    };
  });
  view.moves = moves_;
  return view;
}

void group_table::sorted(std::byte* keys, std::byte** states) const {
  with_key_type(key_bytes_, [&](auto key) {
    using key_type = decltype(key);
    std::size_t i = 0;
    for_each([&](const std::byte*, std::byte* state) { states[i++] = state; });
    std::sort(states, states + i, [this](const std::byte* a, const std::byte* b) {
      return load<key_type>(a - state_offset_) < load<key_type>(b - state_offset_);
    });
    for (std::size_t k = 0; k < i; ++k) {
      // the slot of the reserved key holds it too
      std::memcpy(keys + k * sizeof(key_type), states[k] - state_offset_, sizeof(key_type));
    }
  });
}

}  // namespace pappus::algorithms
