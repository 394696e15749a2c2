#include "memory/free_ranges.h"

#include <cstdint>
#include <iterator>
#include <new>
#include <utility>

#include "pappus/detail/base/integers.h"

namespace pappus::memory {

free_ranges::range free_ranges::remove(sizes::iterator which) noexcept {
  const auto [bytes, begin] = *which;
  by_size_.erase(which);
  by_place_.erase(begin);
  bytes_ -= bytes;
  return {begin, bytes};
}

/// Takes up no memory: nodes are moved.
void free_ranges::resize(places::iterator which, std::size_t bytes) noexcept {
  auto node = by_size_.extract({which->second, which->first});
  node.value().first = bytes;
  by_size_.insert(std::move(node));
  bytes_ += bytes - which->second;
  which->second = bytes;
}

/// As it is, whatever it touches.
free_ranges::places::iterator free_ranges::insert(range more) {
  const auto made = by_place_.emplace(more.begin, more.bytes).first;
  try {
    by_size_.emplace(more.bytes, more.begin);
  } catch (...) {
    by_place_.erase(made);
    throw;
  }
  bytes_ += more.bytes;
  return made;
}

void free_ranges::add(range more) {
  const auto next = by_place_.lower_bound(more.begin);
  if (merges_ && next != by_place_.begin()) {
    const auto before = std::prev(next);
    if (before->first + before->second == more.begin) {
      resize(before, before->second + more.bytes);
      merge_with_next(before);
      return;
    }
  }
  const auto made = insert(more);
  if (merges_) merge_with_next(made);
}

/// Has a range take over the one behind it, where they touch.
void free_ranges::merge_with_next(places::iterator which) noexcept {
  const auto next = std::next(which);
  if (next == by_place_.end() || which->first + which->second != next->first) return;
  const std::size_t bytes = which->second + next->second;
  remove(by_size_.find({next->second, next->first}));
  resize(which, bytes);
}

void free_ranges::merge() noexcept {
  if (std::exchange(merges_, true)) return;
  for (auto at = by_place_.begin(); at != by_place_.end();) {
    const std::size_t before = at->second;
    merge_with_next(at);
    if (at->second == before) ++at;  // else it may touch the next one, too
  }
}

std::byte* free_ranges::take(std::size_t bytes, std::size_t alignment) noexcept {
  for (auto at = by_size_.lower_bound({bytes, nullptr}); at != by_size_.end(); ++at) {
    const range from{at->second, at->first};
    if (from.bytes == bytes) return remove(at).begin;
    if (!merges_) return nullptr;
    const auto address = reinterpret_cast<std::uintptr_t>(from.begin);
    std::byte* const begin = alignment == 1
                                 ? from.end() - bytes
                                 : from.begin + (detail::round_up(address, alignment) - address);
    if (begin > from.end() - bytes) continue;
    try {
      cut(at, {begin, bytes});
    } catch (const std::bad_alloc&) {  // for what is left
      return nullptr;
    }
    return begin;
  }
  return nullptr;
}

/// Leaves of a range what is before and behind a part of it.
void free_ranges::cut(sizes::iterator which, range taken) {
  const range from{which->second, which->first};
  const range behind{taken.end(), static_cast<std::size_t>(from.end() - taken.end())};
  if (taken.begin == from.begin) {
    auto place = by_place_.extract(from.begin);
    auto size = by_size_.extract(which);
    place.key() = behind.begin;
    place.mapped() = behind.bytes;
    size.value() = {behind.bytes, behind.begin};
    by_place_.insert(std::move(place));
    by_size_.insert(std::move(size));
    bytes_ -= taken.bytes;
    return;
  }
  if (behind.bytes > 0) insert(behind);
  resize(by_place_.find(from.begin), static_cast<std::size_t>(taken.begin - from.begin));
}

}  // namespace pappus::memory
