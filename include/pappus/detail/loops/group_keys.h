// How keys are stored while rows are grouped: as bits, as texts, or as indices of a known domain.
//
// Texts, and keys that are packed into texts, are kept as codes of 16 bytes in tables
// (base/text_code.h), which loops make of keys by code(); what is handed on of them elsewhere are
// views of texts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include "pappus/detail/base/coded_key.h"
#include "pappus/detail/base/keys.h"
#include "pappus/detail/base/packed_code.h"
#include "pappus/detail/base/packed_key.h"
#include "pappus/detail/base/text_code.h"

namespace pappus::detail {

/// Throws usage_error for a key outside its domain, naming both.
[[noreturn]] void throw_outside_domain(const std::string& key, std::int64_t domain);

template <typename K>
struct keys_as_bits {
  using key = K;
  using stored = key_bits<K>;
  static constexpr bool dense = false;
  stored encode(const K& value) const { return encode_key(value); }
  static K decode(stored bits) { return decode_key<K>(bits); }
};
/// In no order.
template <coded_key K>
struct keys_as_codes {
  using key = K;
  using stored = code_bits<K>;
  static constexpr bool dense = false;
  stored encode(const K& value) const { return encode_codes(value); }
  static K decode(stored bits) { return decode_codes<K>(bits); }
};
struct keys_as_strings {
  using key = std::string_view;
  using stored = std::string_view;
  static constexpr bool dense = false;
  stored encode(std::string_view value) const { return value; }
  static std::string_view decode(std::string_view value) { return value; }
  [[gnu::always_inline]] static bits128 code(std::string_view value, text_coder& texts) {
    return texts.code(value);
  }
};
/// Whoever extracts keys packs them (loops/key_text.h).
template <packed_key K>
struct keys_as_packed {
  using key = K;
  using stored = std::string_view;
  static constexpr bool dense = false;
  static constexpr bool packed = true;
  stored encode(std::string_view value) const { return value; }
  static K decode(std::string_view value) { return key_unpacker::unpack<K>(value); }
  [[gnu::always_inline]] static bits128 code(const K& value, text_coder& texts) {
    return packed_code(value, texts);
  }
};
template <typename Keys>
inline constexpr bool packs_keys = requires { Keys::packed; };
/// Whether tables have codes of texts.
template <typename Keys>
inline constexpr bool codes_texts = std::is_same_v<typename Keys::stored, std::string_view>;
/// How tables have keys.
template <typename Keys>
using key_of_slots = std::conditional_t<codes_texts<Keys>, bits128, typename Keys::stored>;

/// A key as tables have it.
template <typename Keys, typename K>
[[gnu::always_inline]] inline key_of_slots<Keys> key_for_slots(const Keys& keys, const K& key,
                                                               [[maybe_unused]] text_coder* texts) {
  if constexpr (codes_texts<Keys>)
    return Keys::code(key, *texts);
  else
    return keys.encode(key);
}

template <typename K>
struct keys_of_domain {
  static_assert(std::is_integral_v<K> || std::is_enum_v<K>,
                "group_by: a domain needs integers as keys");
  using key = K;
  using stored = std::conditional_t<(sizeof(K) > 4), std::uint64_t, std::uint32_t>;
  static constexpr bool dense = true;
  std::int64_t size = 0;

  stored encode(const K& value) const {
    // Negative keys wrap to numbers that are too large.
    const auto index = static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
    if (index >= static_cast<std::uint64_t>(size)) [[unlikely]]
      refuse(value, size);
    return static_cast<stored>(index);
  }
  static K decode(stored index) { return static_cast<K>(index); }

 private:
  /// Not inlined: loops that contained it would be too large to be inlined themselves.
  [[noreturn, gnu::cold, gnu::noinline]] static void refuse(const K& value, std::int64_t size) {
    if constexpr (std::is_enum_v<K>)
      throw_outside_domain(std::to_string(static_cast<std::underlying_type_t<K>>(value)), size);
    else
      throw_outside_domain(std::to_string(value), size);
  }
};

}  // namespace pappus::detail
