#include "algorithms/strings.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <new>

#include "algorithms/stretches.h"
#include "algorithms/string_sort.h"
#include "pappus/detail/base/integers.h"
#include "pappus/error.h"

namespace pappus::algorithms {
namespace {

constexpr std::size_t smallest_table = 16;  // entries
constexpr std::uint64_t id_bits = 0xffffffffu;

}  // namespace

string_ids::string_ids(detail::memory_source& memory, std::string_view owner, bytes given)
    : memory_(&memory), owner_(owner), given_(given) {}

const string_ids::entry* string_ids::find(const table* in, const wanted& one) {
  if (in == nullptr) return nullptr;
  for (std::size_t slot = (one.hash >> 6) & in->mask;; slot = (slot + 1) & in->mask) {
    const entry& candidate = in->entries[slot];
    const std::uint64_t word = candidate.word.load(std::memory_order_acquire);
    if (word == 0) return nullptr;
    if ((word ^ one.hash) >> 32 == 0 && candidate.image == one.image &&
        same_text(one.image, candidate.data, one.text.data()))
      return &candidate;
  }
}

void string_ids::limit(std::size_t strings, std::size_t bytes) {
  strings_max_ = std::min<std::size_t>(strings, none);
  bytes_max_ = bytes;
  limited_ = true;
}

/// Whether texts come again at the same place often enough.
void string_ids::recent::note(std::size_t looked_up, std::size_t found) noexcept {
  constexpr std::size_t enough = 2 * batch_max;
  looked_up_ += looked_up;
  found_ += found;
  if (looked_up_ < enough) return;
  pays_ = 4 * found_ >= 3 * looked_up_;  // a wrong guess costs as much as a look-up
  looked_up_ = found_ = 0;
}

std::size_t string_ids::find_or_insert(const std::string_view* strings, std::size_t n,
                                       std::uint32_t* ids, recent& known) {
  constexpr std::size_t step = 64;
  wanted unseen[step];
  std::size_t places[step];
  std::size_t without = 0, found = 0;
  for (std::size_t begin = 0; begin < n; begin += step) {
    std::size_t count = 0;
    for (std::size_t i = begin; i < std::min(begin + step, n); ++i) {
      if (const auto* id = known.find(strings[i])) {
        ids[i] = *id;
        ++found;
        continue;
      }
      const auto image = image_of(strings[i]);
      const auto hash = image.hash();
      const table* in = shards_[hash % shards].current.load(std::memory_order_acquire);
      if (in != nullptr) __builtin_prefetch(&in->entries[(hash >> 6) & in->mask]);
      unseen[count] = {strings[i], image, hash};
      places[count++] = i;
    }
    for (std::size_t k = 0; k < count; ++k) {
      const auto i = places[k];
      ids[i] = find_or_insert(unseen[k]);
      without += ids[i] == none ? 1 : 0;
      known.remember(strings[i], ids[i]);
    }
  }
  known.note(n, found);
  return without;
}

std::uint32_t string_ids::find_or_insert(const wanted& one) {
  shard& where = shards_[one.hash % shards];
  const entry* found = find(where.current.load(std::memory_order_acquire), one);
  if (found != nullptr)
    return static_cast<std::uint32_t>((found->word.load(std::memory_order_relaxed) & id_bits) - 1);
  return all_found_ ? none : insert(where, one);
}

std::uint32_t string_ids::find_or_insert(std::string_view string) {
  const auto image = image_of(string);
  return find_or_insert({string, image, image.hash()});
}

std::uint32_t string_ids::find_or_insert(std::string_view string, recent& known) {
  const auto* const id = known.find(string);
  known.note(1, id == nullptr ? 0 : 1);
  if (id != nullptr) return *id;
  const auto found = find_or_insert(string);
  known.remember(string, found);
  return found;
}

bool string_ids::copies(const wanted& one) const noexcept {
  return given_ == bytes::are_copied ||
         (given_ == bytes::of_longer_are_copied && !one.image.is_whole());
}

bool string_ids::has_room_for(const wanted& one) const noexcept {
  const std::size_t copied = copies(one) ? one.text.size() : 0;
  return size() < strings_max_ && bytes_.load(std::memory_order_relaxed) + copied <= bytes_max_;
}

std::uint32_t string_ids::insert(shard& where, const wanted& one) {
  std::string_view text = one.text;
  const std::lock_guard hold(where.lock);
  const table* in = where.current.load(std::memory_order_relaxed);
  if (const entry* found = find(in, one))
    return static_cast<std::uint32_t>((found->word.load(std::memory_order_relaxed) & id_bits) - 1);
  if (limited_ && (full_ || !has_room_for(one))) {
    full_ = true;
    return none;
  }
  try {
    if (in == nullptr || 2 * (where.used + 1) > in->mask + 1) {
      grow(where);
      in = where.current.load(std::memory_order_relaxed);
    }
    if (copies(one)) {
      const std::size_t before = where.copies.bytes();
      text = where.copies.copy(text, *memory_, owner_);
      bytes_ += where.copies.bytes() - before;
    }
  } catch (const memory_error&) {
    if (!limited_) throw;
    full_ = true;
    return none;
  }
  const std::size_t id = size_.fetch_add(1, std::memory_order_acq_rel);
  if (id >= none)
    throw usage_error(owner_ + ": expected fewer than 2^32 different strings as keys, got more");
  std::size_t slot = (one.hash >> 6) & in->mask;
  while (in->entries[slot].word.load(std::memory_order_relaxed) != 0) slot = (slot + 1) & in->mask;
  in->entries[slot].data = text.data();
  in->entries[slot].image = one.image;
  in->entries[slot].word.store((one.hash & ~id_bits) | (id + 1), std::memory_order_release);
  ++where.used;
  return static_cast<std::uint32_t>(id);
}

void string_ids::grow(shard& where) {
  const table* old = where.current.load(std::memory_order_relaxed);
  const std::size_t capacity = old == nullptr ? smallest_table : 2 * (old->mask + 1);
  constexpr std::size_t header = 64;
  detail::buffer memory(*memory_, header + capacity * sizeof(entry), owner_);
  auto* entries = reinterpret_cast<entry*>(memory.data() + header);
  for (std::size_t i = 0; i < capacity; ++i) ::new (static_cast<void*>(entries + i)) entry{};
  auto* fresh = ::new (static_cast<void*>(memory.data())) table{entries, capacity - 1};
  // The word keeps only the upper half of the hash, and a home slot needs its lower bits.
  for (std::size_t i = 0; old != nullptr && i <= old->mask; ++i) {
    const std::uint64_t word = old->entries[i].word.load(std::memory_order_relaxed);
    if (word == 0) continue;
    std::size_t slot = (old->entries[i].image.hash() >> 6) & fresh->mask;
    while (entries[slot].word.load(std::memory_order_relaxed) != 0) slot = (slot + 1) & fresh->mask;
    entries[slot].data = old->entries[i].data;
    entries[slot].image = old->entries[i].image;
    entries[slot].word.store(word, std::memory_order_relaxed);
  }
  bytes_ += (capacity - (old == nullptr ? 0 : old->mask + 1)) * sizeof(entry);
  where.blocks.push_back(std::move(memory));
  where.current.store(fresh, std::memory_order_release);
}

void string_ids::drop_old_tables() noexcept {
  for (shard& each : shards_)
    if (each.blocks.size() > 1) each.blocks.erase(each.blocks.begin(), each.blocks.end() - 1);
  all_found_ = full_;
}

std::vector<detail::buffer> string_ids::take_copies() {
  std::vector<detail::buffer> all;
  for (shard& each : shards_)
    for (auto& one : each.copies.take()) all.push_back(std::move(one));
  return all;
}

void string_ids::by_id(detail::workers& team, std::string_view* strings) const {
  detail::parallel_chunks(team, shards, [&](std::size_t s, unsigned) {
    const table* in = shards_[s].current.load(std::memory_order_acquire);
    const std::size_t entries = in == nullptr ? 0 : in->mask + 1;
    for_each_stretch(team, std::size_t{0}, entries, [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i)
        if (const auto word = in->entries[i].word.load(std::memory_order_relaxed); word != 0)
          strings[(word & id_bits) - 1] = in->entries[i].text();
    });
  });
}

void string_ids::sorted(detail::workers& team, std::string_view* strings,
                        std::uint32_t* ids) const {
  const std::size_t n = size();
  if (n == 0) return;
  detail::buffer numbered(*memory_, n * sizeof(std::string_view), owner_);
  auto* const texts = numbered.as<std::string_view>();
  by_id(team, texts);
  detail::buffer order(*memory_, n * sizeof(std::uint64_t), owner_);
  sort_strings(team, *memory_, texts, n, false, order.as<std::uint64_t>(), owner_);
  constexpr std::size_t piece = 16384;
  detail::parallel_chunks(team, detail::ceil_div(n, piece), [&](std::size_t item, unsigned) {
    for (std::size_t i = item * piece; i < std::min(n, (item + 1) * piece); ++i) {
      ids[i] = static_cast<std::uint32_t>(order.as<std::uint64_t>()[i]);
      strings[i] = texts[ids[i]];
    }
  });
}

}  // namespace pappus::algorithms
