// Keys with categories in them: bits for look-ups, whose order means nothing.
//
// A category's code is known as soon as the category is, its place among all texts isn't, for
// texts still come. So operators that look keys up (joins, groups) have codes in their bits, and
// those whose results have an order sort by texts, as packed keys (packed_key.h) are: groups once
// all are there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "pappus/category.h"
#include "pappus/detail/base/fields.h"
#include "pappus/detail/base/keys.h"
#include "pappus/detail/base/packed_key.h"

namespace pappus::detail {

/// Bits of a key that consists of numbers and categories, as code_codec has them; more than
/// key_bits_max where it has text.
template <typename K>
constexpr unsigned coded_width() {
  if constexpr (bits_key<K>) {
    return key_codec<K>::width;
  } else if constexpr (is_category<K>) {
    return 8 * sizeof(K);
  } else if constexpr (string_key<K>) {
    return key_bits_max + 1;
  } else if constexpr (is_std_array<K>) {
    return coded_width<typename K::value_type>() * std::tuple_size_v<K>;
  } else if constexpr (may_be_missing<K>) {
    return key_codec<bool>::width + coded_width<typename K::value_type>();
  } else {
    return decltype(visit_fields<field_count<K>()>(
        std::declval<const K&>(), []<typename... F>(const F&...) {
          return std::integral_constant<unsigned, (coded_width<F>() + ...)>{};
        }))::value;
  }
}

/// Numbers and at least one category, of at most 16 bytes.
template <typename K>
concept coded_key = keyed_by_text<K> && coded_width<K>() <= key_bits_max;
/// A key that rows are looked up by.
template <typename K>
concept join_key = key<K> || coded_key<K>;
/// Records that are keys which rows are sorted by.
template <typename K>
concept record_key = key<K> || is_category<K>;

/// As key_codec, without its order: parts first to last, the first most significant, categories as
/// their codes.
template <coded_key K>
struct code_codec {
  static constexpr unsigned width = coded_width<K>();
  using word = std::conditional_t<(width > 64), wide, std::uint64_t>;

  static constexpr word encode(const K& key) {
    word bits = 0;
    const auto put = [&]<typename Part>(const Part& part) {
      constexpr unsigned own = coded_width<Part>();
      if constexpr (own < width) bits <<= own;
      if constexpr (is_category<Part>)
        bits |= part.code();
      else
        bits |= static_cast<word>(key_codec<Part>::encode(part));
    };
    visit_key_parts(key, put);
    return bits;
  }
  static constexpr K decode(word bits) {
    auto key = zero_record<K>();
    unsigned above = width;
    const auto get = [&]<typename Part>(Part& part) {
      constexpr unsigned own = coded_width<Part>();
      constexpr auto mask = static_cast<word>(own < 128 ? (wide{1} << own) - 1 : ~wide{0});
      above -= own;
      const auto of_part = static_cast<word>(bits >> above) & mask;
      if constexpr (is_category<Part>)
        part = category::of_code(static_cast<std::uint32_t>(of_part));
      else
        part = key_codec<Part>::decode(
            static_cast<decltype(key_codec<Part>::encode(std::declval<const Part&>()))>(of_part));
    };
    visit_key_parts(key, get);
    return key;
  }
};

/// The type in which codes are stored, as key_bits.
template <coded_key K>
using code_bits =
    std::conditional_t<(code_codec<K>::width <= 32), std::uint32_t,
                       std::conditional_t<(code_codec<K>::width <= 64), std::uint64_t, bits128>>;

template <coded_key K>
constexpr code_bits<K> encode_codes(const K& key) {
  if constexpr (code_codec<K>::width > 64)
    return from_wide(code_codec<K>::encode(key));
  else
    return static_cast<code_bits<K>>(code_codec<K>::encode(key));
}

template <coded_key K>
constexpr K decode_codes(code_bits<K> bits) {
  if constexpr (code_codec<K>::width > 64)
    return code_codec<K>::decode(to_wide(bits));
  else
    return code_codec<K>::decode(bits);
}

}  // namespace pappus::detail
