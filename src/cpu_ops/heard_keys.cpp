#include "cpu_ops/heard_keys.h"

#include <bit>
#include <cstdint>
#include <cstring>
#include <utility>

#include "algorithms/key_bits.h"
#include "algorithms/stretches.h"
#include "pappus/detail/base/hash.h"

namespace pappus::cpu_ops {
namespace {

/// Leaves out keys that are there already. Returns how many are left.
template <typename Key>
std::size_t keep_distinct(Key* keys, std::size_t n, std::vector<std::uint32_t>& slots) {
  constexpr std::uint32_t empty = ~std::uint32_t{0};
  slots.assign(std::bit_ceil(std::min<std::size_t>(2 * n + 1, 1024)), empty);
  std::size_t kept = 0;
  const auto place = [&](const Key& key) {
    std::size_t at = static_cast<std::uint32_t>(detail::hash(key)) & (slots.size() - 1);
    while (slots[at] != empty && !(keys[slots[at]] == key)) at = (at + 1) & (slots.size() - 1);
    return at;
  };
  for (std::size_t i = 0; i < n; ++i) {
    const Key key = keys[i];
    const std::size_t at = place(key);
    if (slots[at] != empty) continue;
    slots[at] = static_cast<std::uint32_t>(kept);
    keys[kept++] = key;
    if (2 * kept < slots.size()) continue;
    slots.assign(2 * slots.size(), empty);
    for (std::size_t k = 0; k < kept; ++k) slots[place(keys[k])] = static_cast<std::uint32_t>(k);
  }
  return kept;
}

}  // namespace

detail::buffer asked_hashes(const run_context& context, const detail::text_key* texts,
                            std::size_t n) {
  detail::buffer made(context.memory, n * sizeof(std::uint64_t), context.owner);
  for_each_item(context.team, n, rows_an_item(), [&](std::size_t begin, std::size_t end) {
    std::transform(texts + begin, texts + end, made.as<std::uint64_t>() + begin, asked_hash);
  });
  return made;
}

void heard_keys::hear(const void* keys, std::size_t n) {
  if (!strings_) return add(static_cast<const std::byte*>(keys), n);
  std::uint64_t hashes[detail::join_batch::rows_max];
  std::transform(static_cast<const detail::text_key*>(keys),
                 static_cast<const detail::text_key*>(keys) + n, hashes, asked_hash);
  add(reinterpret_cast<const std::byte*>(hashes), n);
}

void heard_keys::add(const std::byte* from, std::size_t n) {
  const std::lock_guard lock(mutex_);
  while (n > 0) {
    if (count_ == blocks_.size() * block_keys_)
      blocks_.emplace_back(context_.memory, block_keys_ * key_bytes_, context_.owner);
    const std::size_t at = count_ % block_keys_, some = std::min(n, block_keys_ - at);
    std::memcpy(blocks_.back().data() + at * key_bytes_, from, some * key_bytes_);
    count_ += some;
    from += some * key_bytes_;
    n -= some;
  }
}

void leave_distinct(const run_context& context, std::size_t key_bytes, scattered_buffer& of) {
  std::vector<std::size_t> kept(of.ends.size());
  detail::parallel_chunks(context.team, of.ends.size(), [&](std::size_t bucket, unsigned) {
    const std::size_t begin = of.begin(bucket);
    std::vector<std::uint32_t> slots;
    with_key_type(key_bytes, [&](auto key) {
      kept[bucket] =
          keep_distinct(of.records.as<decltype(key)>() + begin, of.ends[bucket] - begin, slots);
    });
  });
  std::size_t all = 0;
  for (const auto n : kept) all += n;
  detail::buffer distinct(context.memory, all * key_bytes, context.owner);
  for (std::size_t bucket = 0, at = 0; bucket < kept.size(); ++bucket) {
    const std::size_t begin = of.begin(bucket);
    if (kept[bucket] > 0)
      std::memcpy(distinct.data() + at * key_bytes, of.records.data() + begin * key_bytes,
                  kept[bucket] * key_bytes);
    at += kept[bucket];
    kept[bucket] = at;
  }
  of = {std::move(distinct), {kept.begin(), kept.end()}};
}

}  // namespace pappus::cpu_ops
