// Memory for the text of string cells, in which repeated values mostly share a copy.
//
// The slab is overwritten by the next one, so text is copied into an arena, one per worker so that
// none waits for another. Columns such as a carrier or a country repeat few values; each column of
// each worker therefore has a small open-addressing table of values seen, and a repeated value
// costs a look-up instead of a copy. A table that rarely hits (names, comments) is given up after
// trial_lookups. Equal cells may thus share bytes or not: nothing may depend on the pointer.
// Of categories there is a cache instead, for their text is the process's.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/memory_scale.h"
#include "base/text_arena.h"
#include "formats/category_cache.h"
#include "pappus/detail/base/memory.h"

namespace pappus::formats {

/// The strings of one worker. Everything handed out lives as long as the arena.
class string_arena {
 public:
  /// \param columns       the number of string columns
  /// \param buffer_bytes  of the largest buffers, but for a longer text
  /// \param owner         for errors
  string_arena(detail::memory_source& memory, std::size_t columns, std::size_t buffer_bytes,
               std::string_view owner)
      : memory_(&memory),
        owner_(owner),
        slots_max_(std::bit_floor(std::max(buffer_bytes / bytes_a_slot, first_slots))),
        tables_(columns),
        categories_(columns),
        texts_(base::scaled(std::size_t{16} << 10), buffer_bytes) {}

  /// A lasting copy of a cell of string column `column`.
  std::string_view keep(std::size_t column, std::string_view text);
  /// The same of a text, not empty, behind which seven bytes more can be read.
  [[gnu::always_inline]] std::string_view keep_of_slab(std::size_t column, std::string_view text) {
    if (text.size() > word_bytes) return keep(column, text);
    const auto word = first_bytes(text);
    if (auto& values = tables_[column]; values.capacity > 0) {
      const slot& first = slots_of(values)[home_of(text, word, values.capacity)];
      if (first.word == word && first.text.size() == text.size()) {
        ++values.lookups;
        ++values.hits;
        return first.text;
      }
    }
    return keep(column, text, word);
  }

  /// The category of a cell of string column `column`. Throws memory_error, which has the column's
  /// name, where the dictionary of all categories is full.
  std::uint32_t code(std::size_t column, std::string_view text, std::string_view name);
  /// The same of a text, not empty, behind which seven bytes more can be read.
  std::uint32_t code_of_slab(std::size_t column, std::string_view text, std::string_view name);

  /// Gives memory back that isn't text: before that is handed on.
  void drop_caches() noexcept {
    for (auto& cache : categories_) cache.reset();
  }

  /// Of memory that it has taken, without caches.
  std::size_t bytes() const noexcept { return texts_.bytes() + slot_bytes_; }

 private:
  static constexpr std::size_t first_slots = 64, bytes_a_slot = 32, word_bytes = 8;

  // Only for the tables: any mix that spreads short texts does.
  static constexpr std::uint64_t odd = 0x9E37'79B9'7F4A'7C15;

  /// A text that was seen. Of up to eight bytes, which most that repeat have, `word` are these.
  struct slot {
    std::string_view text;   // data() == nullptr: free
    std::uint64_t word = 0;  // of a longer text its hash
  };
  struct table {
    detail::buffer slots;
    std::size_t capacity = 0;  // a power of two; 0: there are none
    std::size_t used = 0;
    std::uint32_t lookups = 0;
    std::uint32_t hits = 0;
    bool given_up = false;
  };

  /// Of a text of one to eight, behind which seven more can be read.
  static std::uint64_t first_bytes(std::string_view text) noexcept {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data(), word_bytes);
    return word & ~std::uint64_t{0} >> (64 - 8 * text.size());
  }
  static std::size_t home_of(std::string_view text, std::uint64_t word,
                             std::size_t capacity) noexcept {
    return (word ^ text.size()) * odd >> 32 & (capacity - 1);
  }
  static std::span<slot> slots_of(const table& values) noexcept {
    return {values.slots.as<slot>(), values.capacity};
  }
  static slot& find(std::span<slot> slots, std::string_view text, std::uint64_t word) noexcept;
  std::string_view keep(std::size_t column, std::string_view text, std::uint64_t word);
  std::string_view copy(std::string_view text) { return texts_.copy(text, *memory_, owner_); }
  void grow(table& values);
  std::uint32_t code(std::size_t column, std::string_view text, std::string_view name,
                     std::uint64_t word);

  detail::memory_source* memory_;
  std::string owner_;
  std::size_t slots_max_;  // of a table
  std::vector<table> tables_;
  std::vector<std::optional<category_cache>> categories_;  // of columns that have been asked for
  base::text_arena texts_;
  std::size_t slot_bytes_ = 0;  // of all tables
};

}  // namespace pappus::formats
