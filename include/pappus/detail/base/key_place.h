// Where the texts of a key lie: that tells a key as well as its bytes do, while these lie still.
//
// Texts that repeat mostly share their bytes: readers of files see to that, and dictionaries of
// columns have each text once. Only texts that rows point to surely lie still, whole or a part of
// them: a function might make others anew for each row.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>

#include "pappus/detail/base/fields.h"
#include "pappus/detail/base/hash.h"
#include "pappus/detail/base/keys.h"
#include "pappus/detail/base/missing.h"
#include "pappus/detail/base/packed_key.h"
#include "pappus/detail/base/record_text.h"

namespace pappus::detail {

/// How many texts are in a key, and how many bits its numbers have.
struct key_shape {
  std::size_t texts = 0;
  std::size_t bits = 0;

  friend constexpr key_shape operator+(const key_shape& a, const key_shape& b) {
    return {a.texts + b.texts, a.bits + b.bits};
  }
};

template <typename K>
constexpr key_shape shape_of_key() {
  constexpr key_shape other{0, 1 << 16};  // too many bits
  if constexpr (string_key<K>) {
    return {1, 0};
  } else if constexpr (is_category<K>) {
    return other;
  } else if constexpr (bits_key<K>) {
    return {0, key_codec<K>::width};
  } else if constexpr (is_std_array<K>) {
    constexpr auto of_one = shape_of_key<typename K::value_type>();
    constexpr auto n = std::tuple_size_v<K>;
    return {n * of_one.texts, n * of_one.bits};
  } else if constexpr (may_be_missing<K>) {
    return key_shape{0, key_codec<bool>::width} + shape_of_key<present<K>>();
  } else if constexpr (constexpr auto count = field_count<K>(); count > 0) {
    return decltype(visit_fields<count>(std::declval<const K&>(), []<typename... F>(const F&...) {
      return std::integral_constant<key_shape, (shape_of_key<F>() + ...)>{};
    }))::value;
  } else {
    return other;
  }
}

/// A key with texts in it that has a key_place.
template <typename K>
concept placed_key = can_be_packed<K>() && shape_of_key<K>().texts >= 1 &&
                     shape_of_key<K>().texts <= 3 && shape_of_key<K>().bits <= 64;

/// Where the texts of a key lie, and its numbers.
template <placed_key K>
class key_place {
 public:
  /// That of no key.
  static constexpr key_place none() {
    key_place place;
    for (auto& text : place.texts_) text = {nullptr, SIZE_MAX};  // no text has so many
    return place;
  }
  [[gnu::always_inline]] explicit key_place(const K& key) {
    std::size_t texts = 0;
    const auto put = [&]<typename Part>(const Part& part) __attribute__((always_inline)) {
      if constexpr (string_key<Part>) {
        texts_[texts++] = {part.data(), part.size()};
      } else if constexpr (has_numbers) {
        if constexpr (key_codec<Part>::width < 64) numbers_[0] <<= key_codec<Part>::width;
        numbers_[0] |= static_cast<std::uint64_t>(key_codec<Part>::encode(part));
      }
    };
    visit_key_parts(key, put);
  }

  /// Its top bits spread places. What is evenly spaced, as numbers are and texts may be, spreads
  /// better than at random.
  std::uint64_t spread() const {
    std::uint64_t all = 0, seed = 0;
    if constexpr (has_numbers) all = numbers_[0] * spread_hash::multiplier(1);
    for (const auto& one : texts_) {
      all += reinterpret_cast<std::uintptr_t>(one.begin) * spread_hash::multiplier(seed);
      seed += 2;
    }
    return all;
  }
  friend bool operator==(const key_place&, const key_place&) = default;

 private:
  struct text {
    const char* begin;
    std::size_t bytes;
    friend bool operator==(const text&, const text&) = default;
  };
  static constexpr bool has_numbers = shape_of_key<K>().bits > 0;
  constexpr key_place() = default;

  std::array<text, shape_of_key<K>().texts> texts_{};
  [[no_unique_address]] std::array<std::uint64_t, has_numbers ? 1 : 0> numbers_{};
};

/// Whether texts that values of T point to are found without counting.
template <typename T>
inline constexpr bool shows_texts =
    text_of<T>() == text_in::views && !is_list<T> && !is_std_array<T>;

/// 1 for a text that is one, or a part of one, that a value points to, else 0. Where the compiler
/// sees that it is a field of the value nothing is compared, for there are no branches.
template <typename T>
[[gnu::always_inline]] inline unsigned is_in_text_of(const T& value, std::string_view text) {
  if constexpr (std::is_same_v<T, std::string_view>) {
    const auto at = reinterpret_cast<std::uintptr_t>(text.data()) -
                    reinterpret_cast<std::uintptr_t>(value.data());
    return unsigned{at <= value.size()} & unsigned{text.size() <= value.size() - at};
  } else if constexpr (!shows_texts<T>) {
    return 0;
  } else if constexpr (may_be_missing<T>) {
    return value ? is_in_text_of(*value, text) : 0;
  } else {
    const auto look = [&](const auto&... fields) __attribute__((always_inline)) {
      return (is_in_text_of(fields, text) | ...);
    };
    return visit_fields<field_count<T>()>(value, look);
  }
}

/// Whether the texts of a key lie still with those of its record.
template <typename K, typename Record>
[[gnu::always_inline]] inline bool lies_still(const K& key, const Record& record) {
  unsigned still = 1;
  const auto look = [&]<typename Part>(const Part& part) __attribute__((always_inline)) {
    if constexpr (string_key<Part>) still &= unsigned{part.empty()} | is_in_text_of(record, part);
  };
  visit_key_parts(key, look);
  return still != 0;
}

}  // namespace pappus::detail
