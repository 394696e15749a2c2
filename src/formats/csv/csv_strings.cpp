#include "formats/csv/csv_strings.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <span>
#include <utility>

#include "pappus/error.h"

namespace pappus::formats {
namespace {

constexpr std::size_t shared_bytes_max = 64;
constexpr std::uint32_t trial_lookups = 4096;

std::uint64_t bytes_of(const char* at, std::size_t bytes) noexcept {
  std::uint64_t value = 0;
  std::memcpy(&value, at, bytes);
  return value;
}

std::uint64_t word_of(std::string_view text, std::uint64_t odd) noexcept {
  const char* at = text.data();
  std::size_t left = text.size();
  if (left <= 8) return bytes_of(at, left);
  std::uint64_t state = 0;
  for (; left >= 8; at += 8, left -= 8) {
    state = (state ^ bytes_of(at, 8)) * odd;
    state ^= state >> 32;
  }
  if (left > 0) state = (state ^ bytes_of(at, left)) * odd;
  return state;
}

}  // namespace

string_arena::slot& string_arena::find(std::span<slot> slots, std::string_view text,
                                       std::uint64_t word) noexcept {
  const auto same = [&](const slot& at) {
    return at.word == word && at.text.size() == text.size() &&
           (text.size() <= 8 || at.text == text);
  };
  std::size_t at = home_of(text, word, slots.size());
  while (slots[at].text.data() != nullptr && !same(slots[at])) at = (at + 1) & (slots.size() - 1);
  return slots[at];
}

std::string_view string_arena::keep(std::size_t column, std::string_view text) {
  if (text.empty()) return {};
  return text.size() > shared_bytes_max ? copy(text) : keep(column, text, word_of(text, odd));
}

std::uint32_t string_arena::code(std::size_t column, std::string_view text, std::string_view name) {
  return text.empty() ? 0 : code(column, text, name, word_of(text, odd));
}

std::uint32_t string_arena::code_of_slab(std::size_t column, std::string_view text,
                                         std::string_view name) {
  return code(column, text, name,
              text.size() > word_bytes ? word_of(text, odd) : first_bytes(text));
}

std::uint32_t string_arena::code(std::size_t column, std::string_view text, std::string_view name,
                                 std::uint64_t word) {
  auto& cache = categories_[column];
  if (!cache) cache.emplace(*memory_, owner_);
  try {
    return cache->code_of(text, word);
  } catch (const memory_error& full) {
    throw memory_error(owner_ + ", column \"" + std::string(name) + "\": " + full.what());
  }
}

/// \param text  of shared_bytes_max bytes at most
std::string_view string_arena::keep(std::size_t column, std::string_view text, std::uint64_t word) {
  table& values = tables_[column];
  if (values.given_up) return copy(text);
  if (4 * values.used >= values.capacity && values.capacity < slots_max_) grow(values);
  slot& found = find(slots_of(values), text, word);
  ++values.lookups;
  if (found.text.data() != nullptr) {
    ++values.hits;
    return found.text;
  }
  if (values.lookups >= trial_lookups) {
    values.given_up = values.hits < values.lookups / 2;
    values.lookups = 0;
    values.hits = 0;
    if (values.given_up) {
      slot_bytes_ -= values.slots.size();
      values.slots.reset();
      values.capacity = 0;
      return copy(text);
    }
  }
  const std::string_view kept = copy(text);
  if (2 * values.used < values.capacity) {
    found = {kept, word};
    ++values.used;
  }
  return kept;
}

void string_arena::grow(table& values) {
  table larger;
  larger.capacity = values.capacity == 0 ? first_slots : 2 * values.capacity;
  larger.slots = detail::buffer(*memory_, larger.capacity * sizeof(slot), owner_);
  std::uninitialized_fill(slots_of(larger).begin(), slots_of(larger).end(), slot{});
  for (const slot& one : slots_of(values))
    if (one.text.data() != nullptr) find(slots_of(larger), one.text, one.word) = one;
  slot_bytes_ += larger.slots.size() - values.slots.size();
  values.slots = std::move(larger.slots);
  values.capacity = larger.capacity;
}

}  // namespace pappus::formats
