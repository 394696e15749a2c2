#include "base/category_texts.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include <fmt/format.h>

#include "base/environment.h"
#include "base/text.h"
#include "pappus/category.h"
#include "pappus/detail/base/hash_string.h"
#include "pappus/error.h"

namespace pappus::base {
namespace {

constexpr std::size_t first_entries = 64, text_bytes_most = std::size_t{256} << 10;
constexpr std::size_t bytes_a_place = 2 * sizeof(std::string_view);  // half of a segment is empty
constexpr std::size_t default_limit = std::size_t{1} << 30;

std::size_t limit_of_process() {
  const char* const text = environment("PAPPUS_CATEGORY_MEMORY");
  return text != nullptr ? parse_bytes(text, "PAPPUS_CATEGORY_MEMORY") : default_limit;
}

std::string beginning_of(std::string_view text) {
  constexpr std::size_t most = 40;
  return quoted(text.substr(0, most)) + (text.size() > most ? "..." : "");
}

}  // namespace

category_texts::category_texts(std::size_t bytes_max) : bytes_max_(bytes_max) {}

category_texts::~category_texts() {
  for (auto& segment : segments_) delete[] segment.load();
}

category_texts& category_texts::of_process() {
  // Never destroyed: threads may still ask while the process ends.
  static category_texts& all = []() -> category_texts& {
    auto& made = *new category_texts(limit_of_process());
    made_of_process_.store(&made, std::memory_order_release);
    return made;
  }();
  return all;
}

constinit std::atomic<const category_texts*> category_texts::made_of_process_{nullptr};

category_texts::place category_texts::place_of(std::uint32_t code) noexcept {
  const std::size_t at = std::size_t{code} + first_segment;
  const auto segment = static_cast<std::size_t>(std::bit_width(at) - std::bit_width(first_segment));
  return {segment, at - (first_segment << segment)};
}

std::uint32_t category_texts::code_of(std::string_view text) {
  if (text.empty()) return 0;
  const auto hash = detail::hash_string(text);
  auto& where = shards_[hash >> 58];
  const auto* const table = where.current.load(std::memory_order_acquire);
  if (const auto found = find(table, text, hash); found != 0) return found;
  const std::lock_guard alone(where.lock);
  return insert(where, text, hash);
}

std::uint32_t category_texts::find(const table* in, std::string_view text,
                                   std::uint64_t hash) const noexcept {
  if (in == nullptr) return 0;
  const auto bits = static_cast<std::uint32_t>(hash);
  for (std::size_t at = bits & in->mask;; at = (at + 1) & in->mask) {
    const auto word = in->entries[at].load(std::memory_order_acquire);
    if (word == 0) return 0;
    const auto code = static_cast<std::uint32_t>(word);
    if (word >> 32 == bits && text_of(code) == text) return code;
  }
}

std::uint32_t category_texts::insert(shard& where, std::string_view text, std::uint64_t hash) {
  const auto* table = where.current.load(std::memory_order_relaxed);
  if (const auto found = find(table, text, hash); found != 0) return found;
  if (table == nullptr || 2 * where.used > table->mask) grow(where, text);
  charge(text.size() + bytes_a_place, text);
  table = where.current.load(std::memory_order_relaxed);
  const auto kept = copy(where, text);
  const auto code = next_code(text);
  const auto place = place_of(code);
  segment_for(place)[place.at] = kept;
  const auto bits = static_cast<std::uint32_t>(hash);
  std::size_t at = bits & table->mask;
  while (table->entries[at].load(std::memory_order_relaxed) != 0) at = (at + 1) & table->mask;
  table->entries[at].store(std::uint64_t{bits} << 32 | code, std::memory_order_release);
  ++where.used;
  return code;
}

std::uint32_t category_texts::next_code(std::string_view text) {
  const auto code = size_.fetch_add(1, std::memory_order_relaxed) + 1;
  if (code <= std::numeric_limits<std::uint32_t>::max()) return static_cast<std::uint32_t>(code);
  size_.fetch_sub(1, std::memory_order_relaxed);
  throw memory_error(fmt::format(
      "categories: expected at most 4,294,967,295 different texts in a process, got {}, "
      "too; read columns of so many as std::string_view",
      beginning_of(text)));
}

/// Counts memory that is about to be taken.
void category_texts::charge(std::size_t bytes, std::string_view text) {
  const auto before = bytes_.fetch_add(bytes, std::memory_order_relaxed);
  if (bytes <= bytes_max_ && before <= bytes_max_ - bytes) return;
  bytes_.fetch_sub(bytes, std::memory_order_relaxed);
  throw memory_error(fmt::format(
      "categories: the dictionary of this process may take {}, {} different texts take "
      "{}, and there is no room for {}; read columns of so many different texts as "
      "std::string_view, or set PAPPUS_CATEGORY_MEMORY",
      bytes_text(static_cast<double>(bytes_max_)), count_text(static_cast<std::int64_t>(size())),
      bytes_text(static_cast<double>(before)), beginning_of(text)));
}

void category_texts::grow(shard& where, std::string_view text) {
  const auto* const old = where.current.load(std::memory_order_relaxed);
  const std::size_t capacity = old == nullptr ? first_entries : 2 * (old->mask + 1);
  charge(capacity * sizeof(entry), text);
  auto larger = std::make_unique<table>();
  larger->entries = std::make_unique<entry[]>(capacity);
  larger->mask = capacity - 1;
  if (old != nullptr)
    for (std::size_t i = 0; i <= old->mask; ++i) {
      const auto word = old->entries[i].load(std::memory_order_relaxed);
      if (word == 0) continue;
      std::size_t at = (word >> 32) & larger->mask;
      while (larger->entries[at].load(std::memory_order_relaxed) != 0) at = (at + 1) & larger->mask;
      larger->entries[at].store(word, std::memory_order_relaxed);
    }
  where.tables.push_back(std::move(larger));
  where.current.store(where.tables.back().get(), std::memory_order_release);
}

std::string_view category_texts::copy(shard& where, std::string_view text) {
  if (where.room < text.size()) {
    where.room = std::max(where.next_bytes, text.size());
    where.next_bytes = std::min(2 * where.next_bytes, text_bytes_most);
    where.texts.push_back(std::make_unique_for_overwrite<char[]>(where.room));
    where.text_end = where.texts.back().get();
  }
  char* const to = where.text_end;
  std::memcpy(to, text.data(), text.size());
  where.text_end += text.size();
  where.room -= text.size();
  return {to, text.size()};
}

std::string_view* category_texts::segment_for(const place& where) {
  auto& segment = segments_[where.segment];
  if (auto* const there = segment.load(std::memory_order_acquire); there != nullptr) return there;
  const std::lock_guard alone(adding_segment_);
  if (auto* const there = segment.load(std::memory_order_relaxed); there != nullptr) return there;
  const std::size_t length = first_segment << where.segment;
  auto* const made = new std::string_view[length]();
  segment.store(made, std::memory_order_release);
  return made;
}

}  // namespace pappus::base

namespace pappus::detail {

std::uint32_t code_of_text(std::string_view text) {
  return base::category_texts::of_process().code_of(text);
}
std::string_view text_of_code(std::uint32_t code) noexcept {
  // Who has a code has seen the dictionary.
  const auto* const all = base::category_texts::made_of_process();
  return all == nullptr ? std::string_view() : all->text_of(code);
}
bool is_text_of_code(std::uint32_t code, std::string_view text) noexcept {
  const auto own = text_of_code(code);
  if (own.size() != text.size()) return false;
  // Most are short, and comparing them costs less than a call.
  if (text.size() > 8) return std::memcmp(own.data(), text.data(), text.size()) == 0;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (own[i] != text[i]) return false;
  return true;
}

}  // namespace pappus::detail

namespace pappus {

std::int64_t category::dictionary_size() {
  return static_cast<std::int64_t>(base::category_texts::of_process().size());
}
std::int64_t category::dictionary_bytes() {
  return static_cast<std::int64_t>(base::category_texts::of_process().bytes());
}

}  // namespace pappus
