// Codes (text_code.h) of packed keys (packed_key.h): of short ones made in registers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "pappus/detail/base/eight_bytes.h"
#include "pappus/detail/base/glue.h"
#include "pappus/detail/base/keys.h"
#include "pappus/detail/base/packed_key.h"
#include "pappus/detail/base/text_code.h"

namespace pappus::detail {

/// The bytes of a packed key, one part behind the other, while they are few. Parts that it can't
/// take, such as text with zeros in it, make it too long.
class short_packing {
 public:
  template <typename Part>
  [[gnu::always_inline]] void put(const Part& part) {
    if constexpr (string_key<Part>)
      put_text(part);
    else if constexpr (is_category<Part>) {
      put_text(part.text());
      put_bits(part.code(), sizeof(part.code()));
    } else if constexpr (is_char_array<Part>) {
      put_chars(part);
    } else if constexpr (key_codec<Part>::width > 64) {
      const wide bits = key_codec<Part>::encode(part);
      put_bits(static_cast<std::uint64_t>(bits >> 64), key_codec<Part>::width / 8 - 8);
      put_bits(static_cast<std::uint64_t>(bits), 8);
    } else {
      put_bits(static_cast<std::uint64_t>(key_codec<Part>::encode(part)),
               key_codec<Part>::width / 8);
    }
  }

  bool is_short() const { return bytes_ <= text_codes::short_max; }
  /// Where it is.
  bits128 code() const {
    const wide placed = bytes_ == 0 ? 0 : bits_ << (8 * (16 - bytes_));
    return from_wide(placed | bytes_);
  }

 private:
  static constexpr std::size_t too_many = text_codes::short_max + 1;

  /// n bytes of a number, 8 at most.
  [[gnu::always_inline]] void put_bits(std::uint64_t bits, std::size_t n) {
    bits_ = bits_ << (8 * n) | bits;
    bytes_ += n;
  }
  [[gnu::always_inline]] void put_text(std::string_view text) {
    if (text.size() > text_codes::short_max - key_packer::end.size()) {
      bytes_ += too_many;
    } else if (text.size() > 8) {
      put_part(text.substr(0, 8), 0);
      put_part(text.substr(8), key_packer::end.size());
    } else {
      put_part(text, key_packer::end.size());
    }
  }
  /// Up to 8 bytes of text, and as many zeros behind them.
  [[gnu::always_inline]] void put_part(std::string_view text, std::size_t zeros) {
    const std::size_t n = text.size();
    const auto bytes = n == 0 ? 0 : text_codes::few_bytes(text.data(), n);
    bits_ = bits_ << (8 * (n + zeros)) | wide{bytes} << (8 * zeros);
    bytes_ += has_zero(bytes, n) ? too_many : n + zeros;
  }
  /// Whether one of the n low bytes is zero.
  static constexpr bool has_zero(std::uint64_t bytes, std::size_t n) {
    const std::uint64_t above = n < 8 ? ~std::uint64_t{0} << (8 * n) : 0;
    const std::uint64_t filled = bytes | above;
    return ((filled - eight_of(1)) & ~filled & high_bits) != 0;
  }
  /// Characters with nothing but zeros behind them.
  template <std::size_t N>
  [[gnu::always_inline]] void put_chars(const std::array<char, N>& part) {
    constexpr std::uint64_t zero = key_codec<char>::encode('\0');
    constexpr std::size_t most = text_codes::short_max - 3;  // before a zero and their number
    std::size_t n = 0, others = 0;
    for (std::size_t i = 0; i < N; ++i) others += part[i] != 0 ? 1 : 0;
    if (others > most) {
      bytes_ += too_many;
      return;
    }
    while (n < others && part[n] != 0) ++n;
    if (n < others) {
      bytes_ += too_many;
      return;
    }
    constexpr std::uint64_t all = eight_of(zero);
    const std::size_t first = n > 8 ? 8 : n;
    const auto flip = [](std::size_t bytes) { return bytes == 0 ? 0 : all >> (8 * (8 - bytes)); };
    put_bits(text_codes::few_bytes(part.data(), first) ^ flip(first), first);
    if (n > 8) put_bits(text_codes::few_bytes(part.data() + 8, n - 8) ^ flip(n - 8), n - 8);
    put_bits(zero << 16 | key_packer::zeros_to_the_end, 3);
  }

  wide bits_ = 0;
  std::size_t bytes_ = 0;
};

/// Of a key that is packed otherwise. It is given a copy: a key whose address is known to others
/// would be in memory for each row, not in registers.
template <typename K>
[[gnu::noinline]] bits128 code_of_packed(K key, text_coder& texts) {
  return texts.code(key_packer::pack(key, texts.room(texts, key_packer::bytes_max(key))));
}

template <typename K>
[[gnu::always_inline]] inline bits128 packed_code(const K& key, text_coder& texts) {
  short_packing packing;
  const auto put = [&](const auto& part) PAPPUS_LAMBDA_INLINE_BY_CLANG { packing.put(part); };
  visit_key_parts(key, put);
  return packing.is_short() ? packing.code() : code_of_packed(key, texts);
}

}  // namespace pappus::detail
