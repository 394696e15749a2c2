#include "formats/csv/csv_strings.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <span>
#include <utility>

namespace pappus::formats {
namespace {

constexpr std::size_t first_slots = 64;
constexpr std::size_t slots_max = 8192;
constexpr std::size_t shared_bytes_max = 64;
constexpr std::uint32_t trial_lookups = 4096;

std::uint64_t word(const char* at, std::size_t bytes) noexcept {
  std::uint64_t value = 0;
  std::memcpy(&value, at, bytes);
  return value;
}

// Only for the tables: any mix that spreads short texts does.
std::uint64_t hash(std::string_view text) noexcept {
  constexpr std::uint64_t odd = 0x9E37'79B9'7F4A'7C15;
  std::uint64_t state = text.size() * odd;
  const char* at = text.data();
  std::size_t left = text.size();
  for (; left >= 8; at += 8, left -= 8) {
    state = (state ^ word(at, 8)) * odd;
    state ^= state >> 32;
  }
  if (left > 0) state = (state ^ word(at, left)) * odd;
  return state ^ (state >> 29);
}

std::span<std::string_view> slots_of(const detail::buffer& memory, std::size_t capacity) noexcept {
  return {memory.as<std::string_view>(), capacity};
}

std::string_view& find(std::span<std::string_view> slots, std::string_view text) noexcept {
  std::size_t at = hash(text) & (slots.size() - 1);
  while (slots[at].data() != nullptr && slots[at] != text) at = (at + 1) & (slots.size() - 1);
  return slots[at];
}

}  // namespace

std::string_view string_arena::keep(std::size_t column, std::string_view text) {
  if (text.empty()) return {};
  table& values = tables_[column];
  if (values.given_up || text.size() > shared_bytes_max) return copy(text);
  if (2 * values.used >= values.capacity && values.capacity < slots_max) grow(values);
  std::string_view& slot = find(slots_of(values.slots, values.capacity), text);
  ++values.lookups;
  if (slot.data() != nullptr) {
    ++values.hits;
    return slot;
  }
  if (values.lookups >= trial_lookups) {
    values.given_up = values.hits < values.lookups / 2;
    values.lookups = 0;
    values.hits = 0;
    if (values.given_up) {
      slot_bytes_ -= values.slots.size();
      values.slots.reset();
      return copy(text);
    }
  }
  const std::string_view kept = copy(text);
  if (2 * values.used < values.capacity) {
    slot = kept;
    ++values.used;
  }
  return kept;
}

void string_arena::grow(table& values) {
  const std::size_t capacity = values.capacity == 0 ? first_slots : 2 * values.capacity;
  detail::buffer larger(*memory_, capacity * sizeof(std::string_view), owner_);
  const auto slots = slots_of(larger, capacity);
  std::uninitialized_fill(slots.begin(), slots.end(), std::string_view{});
  for (const std::string_view value : slots_of(values.slots, values.capacity)) {
    if (value.data() != nullptr) find(slots, value) = value;
  }
  slot_bytes_ += larger.size() - values.slots.size();
  values.slots = std::move(larger);
  values.capacity = capacity;
}

}  // namespace pappus::formats
