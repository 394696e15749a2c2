// Keys with text in them, or of more than 16 bytes, as bytes whose order is that of the keys.
//
// Grouping has two kinds of keys: numbers of up to 128 bits, and text. What is neither is packed
// into text: fields first to last, numbers by their bits (keys.h), most significant byte first,
// text with two zeros behind it, what may be missing behind a byte that says so. A zero in text
// becomes 0 255, so that what is shorter comes first; such text lies at the end of the key once
// more as it is, for unpacked keys are views of packed ones. Equal keys have equal bytes.
// A category is its text, and its code behind that.
//
// Arrays of characters, as str::lower<32> yields them, mostly end in zeros: behind the first of
// zeros stands, in two bytes, how many there are, so that short text makes a short key. Zeros that
// reach the end lie between those with a negative character behind them, the fewer the less, and
// those with a positive one, the more the less.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include "pappus/category.h"
#include "pappus/detail/base/eight_bytes.h"
#include "pappus/detail/base/fields.h"
#include "pappus/detail/base/glue.h"
#include "pappus/detail/base/keys.h"
#include "pappus/detail/base/record_text.h"

namespace pappus::detail {

/// Whether K consists of keys, of any size.
template <typename K>
constexpr bool can_be_packed() {
  if constexpr (bits_key<K> || string_key<K> || is_category<K>) {
    return true;
  } else if constexpr (is_std_array<K> || may_be_missing<K>) {
    return can_be_packed<typename K::value_type>();
  } else if constexpr (!std::is_class_v<K> || !std::is_trivially_copyable_v<K> ||
                       !std::is_copy_assignable_v<K>) {
    return false;  // unpacking assigns to fields
  } else if constexpr (constexpr auto count = field_count<K>(); count > 0) {
    return decltype(visit_fields<count>(std::declval<const K&>(), []<typename... F>(const F&...) {
      return std::bool_constant<(can_be_packed<F>() && ...)>{};
    }))::value;
  } else {
    return false;
  }
}

/// Whether a category is in K, as far as its fields are found.
template <typename K>
constexpr bool has_category() {
  if constexpr (std::is_arithmetic_v<K> || std::is_enum_v<K> || string_key<K> || is_category<K>) {
    return is_category<K>;
  } else if constexpr (is_std_array<K> || may_be_missing<K>) {
    return has_category<typename K::value_type>();
  } else if constexpr (!std::is_class_v<K> || !std::is_trivially_copyable_v<K>) {
    return false;
  } else if constexpr (constexpr auto count = field_count<K>(); count > 0) {
    return decltype(visit_fields<count>(std::declval<const K&>(), []<typename... F>(const F&...) {
      return std::bool_constant<(has_category<F>() || ...)>{};
    }))::value;
  } else {
    return false;
  }
}

/// A key whose order is that of texts that its bits don't tell.
template <typename K>
concept keyed_by_text = can_be_packed<K>() && has_category<K>();

/// sort_by takes text that may be missing, and what has categories in it, too.
template <typename K>
concept sort_key = key<K> || std::is_same_v<K, std::optional<std::string_view>> || keyed_by_text<K>;

/// A key that is packed into text.
template <typename K>
concept packed_key = !bits_key<K> && !string_key<K> && can_be_packed<K>();
/// A key that rows are grouped by.
template <typename K>
concept group_key = key<K> || packed_key<K>;

/// Of characters, too many for the bits of a number.
template <typename K>
inline constexpr bool is_char_array = false;
template <std::size_t N>
inline constexpr bool is_char_array<std::array<char, N>> = N > 16 && N < 0x8000;

/// Calls visit(part) for the numbers, texts and arrays of characters of a key, first to last. They
/// may be set, where it isn't const.
template <typename K, typename Visit>
PAPPUS_INLINE_BY_CLANG constexpr void visit_key_parts(K& key, Visit& visit) {
  using plain = std::remove_const_t<K>;
  if constexpr (bits_key<plain> || string_key<plain> || is_category<plain> ||
                is_char_array<plain>) {
    visit(key);
  } else if constexpr (is_std_array<plain>) {
    for (auto& part : key) visit_key_parts(part, visit);
  } else if constexpr (may_be_missing<plain>) {
    bool missing = !key.has_value();
    auto value = key ? *key : zero_record<present<plain>>();
    visit(missing);
    visit_key_parts(value, visit);
    if constexpr (!std::is_const_v<K>) {
      if (missing)
        key.reset();
      else
        key = value;
    }
  } else {
    auto visit_all = [&](auto&... parts)
                         PAPPUS_LAMBDA_INLINE_BY_CLANG { (visit_key_parts(parts, visit), ...); };
    field_visitor<field_count<plain>()>::call(key, visit_all);
  }
}

/// Writes packed keys one behind another.
class key_packer {
 public:
  static constexpr std::string_view end{"\0\0", 2};
  static constexpr std::string_view zero{"\0\xFF", 2};

  /// The most that a key may take: text of zeros alone is there three times.
  template <typename K>
  static std::size_t bytes_max(const K& key) {
    std::size_t sum = 0;
    const auto add = [&]<typename Part>(const Part& part) {
      if constexpr (string_key<Part>)
        sum += 3 * part.size() + end.size();
      else if constexpr (is_category<Part>)
        sum += 2 * part.text().size() + end.size() + sizeof(part.code());
      else if constexpr (is_char_array<Part>)
        sum += 3 * part.size();
      else
        sum += key_codec<Part>::width / 8;
    };
    visit_key_parts(key, add);
    return sum;
  }

  /// \param to  has room for bytes_max(key)
  template <typename K>
  static std::string_view pack(const K& key, char* const to) {
    char* at = to;
    bool has_zeros = false;
    const auto put = [&]<typename Part>(const Part& part) {
      if constexpr (string_key<Part>) {
        at = put_text(part, at, has_zeros);
      } else if constexpr (is_category<Part>) {
        bool unused;  // its text is read nowhere
        at = put_bits(part.code(), put_text(part.text(), at, unused));
      } else if constexpr (is_char_array<Part>) {
        at = put_chars(part, at);
      } else {
        at = put_bits(part, at);
      }
    };
    visit_key_parts(key, put);
    if (has_zeros) {
      const auto put_again = [&]<typename Part>(const Part& part) {
        if constexpr (string_key<Part>)
          if (part.find('\0') != part.npos) at = std::ranges::copy(part, at).out;
      };
      visit_key_parts(key, put_again);
    }
    return {to, static_cast<std::size_t>(at - to)};
  }

  /// Behind the zeros at the end of an array of characters.
  static constexpr std::uint32_t zeros_to_the_end = 0x8000;

 private:
  static char* put_text(std::string_view text, char* at, bool& has_zeros) {
    if (!text.empty() && std::memchr(text.data(), 0, text.size()) != nullptr) {
      has_zeros = true;
      for (const char c : text)
        if (c == '\0')
          at = std::ranges::copy(zero, at).out;
        else
          *at++ = c;
    } else if (!text.empty()) {
      std::memcpy(at, text.data(), text.size());
      at += text.size();
    }
    std::memcpy(at, end.data(), end.size());
    return at + end.size();
  }
  /// Text with all of its zeros behind it takes eight characters at a time.
  template <std::size_t N>
  static char* put_chars(const std::array<char, N>& part, char* at) {
    const auto encoded = [](char c) { return static_cast<char>(key_codec<char>::encode(c)); };
    const auto put_code = [](std::uint32_t code, char* to) {
      to[0] = static_cast<char>(code >> 8);
      to[1] = static_cast<char>(code);
      return to + 2;
    };
    const auto flipped = eight_of(static_cast<unsigned char>(encoded('\0')));
    std::size_t i = 0, others = 0, begin = 0;  // `begin`: of the zeros
    for (; i + 8 <= N; i += 8) {
      std::uint64_t eight;
      std::memcpy(&eight, part.data() + i, sizeof eight);
      const auto set = others_than_zero(eight);
      others += count_high_bits(set);
      if (begin == i) begin += static_cast<std::size_t>(std::countr_one(set | ~high_bits)) / 8;
      eight ^= flipped;
      std::memcpy(at + i, &eight, sizeof eight);
    }
    for (; i < N; ++i) {
      at[i] = encoded(part[i]);
      others += part[i] != 0 ? 1 : 0;
      if (begin == i && part[i] != 0) ++begin;
    }
    if (others == N) return at + N;
    at += begin;
    if (begin == others) return put_code(zeros_to_the_end, at + 1);
    i = begin;
    while (i < N) {
      *at++ = encoded(part[i]);
      if (part[i++] != 0) continue;
      std::uint32_t zeros = 1;
      for (; i < N && part[i] == 0; ++i) ++zeros;
      at = put_code(i == N ? zeros_to_the_end : part[i] < 0 ? zeros : 0xFFFF - zeros, at);
    }
    return at;
  }
  template <typename Part>
  static char* put_bits(const Part& part, char* at) {
    static_assert(key_codec<Part>::width % 8 == 0);
    const auto bits = key_codec<Part>::encode(part);
    for (auto shift = key_codec<Part>::width; shift > 0; shift -= 8)
      *at++ = static_cast<char>(bits >> (shift - 8));
    return at;
  }
};

/// Reads a packed key: its texts are views of it.
class key_unpacker {
 public:
  template <typename K>
  static K unpack(std::string_view packed) {
    auto key = zero_record<K>();
    const char* at = packed.data();
    bool has_zeros = false;
    const auto get = [&]<typename Part>(Part& part) {
      if constexpr (string_key<Part>) {
        part = get_text(at, has_zeros);
      } else if constexpr (is_category<Part>) {
        bool unused;
        get_text(at, unused);
        part = category::of_code(get_bits<std::uint32_t>(at));
      } else if constexpr (is_char_array<Part>) {
        get_chars(at, part);
      } else {
        part = get_bits<Part>(at);
      }
    };
    visit_key_parts(key, get);
    if (has_zeros) {
      const auto get_again = [&]<typename Part>(Part& part) {
        if constexpr (string_key<Part>)
          if (const auto zeros = zeros_in(part); zeros > 0) {
            part = {at, part.size() - zeros};
            at += part.size();
          }
      };
      visit_key_parts(key, get_again);
    }
    return key;
  }

 private:
  /// As it is packed.
  static std::string_view get_text(const char*& at, bool& has_zeros) {
    const char* const begin = at;
    while (true) {
      at += std::strlen(at);
      if (at[1] == '\0') break;
      has_zeros = true;
      at += 2;
    }
    const std::string_view text(begin, static_cast<std::size_t>(at - begin));
    at += key_packer::end.size();
    return text;
  }
  static std::size_t zeros_in(std::string_view packed) {
    return static_cast<std::size_t>(std::ranges::count(packed, '\0'));
  }
  template <std::size_t N>
  static void get_chars(const char*& at, std::array<char, N>& part) {
    for (std::size_t i = 0; i < N;) {
      part[i] = get_bits<char>(at);
      if (part[i++] != 0) continue;
      const auto code = get_bits<std::uint16_t>(at);
      if (code == key_packer::zeros_to_the_end)
        return std::fill(part.begin() + i, part.end(), '\0');
      const std::size_t zeros = code < 0x8000 ? code : 0xFFFF - code;
      std::fill_n(part.begin() + i, zeros - 1, '\0');
      i += zeros - 1;
    }
  }
  template <typename Part>
  static Part get_bits(const char*& at) {
    using bits = decltype(key_codec<Part>::encode(std::declval<const Part&>()));
    wide all = 0;
    for (unsigned byte = 0; byte < key_codec<Part>::width / 8; ++byte)
      all = all << 8 | static_cast<unsigned char>(*at++);
    return key_codec<Part>::decode(static_cast<bits>(all));
  }
};

}  // namespace pappus::detail
