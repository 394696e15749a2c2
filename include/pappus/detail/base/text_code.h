// Texts as 16 bytes: those of up to 15 bytes as they are, others as numbers.
//
// Most texts that rows are grouped by are short: codes, names, words. So a hash table has a short
// text itself in its slots, and needs neither its bytes elsewhere nor a number for it. The codes of
// short texts are in the order of the texts: first bytes first, zeros behind the last, and how many
// bytes there are at the end. Longer texts are numbered by who groups (text_coder), in no order.
//
// Packed keys (packed_key.h) are texts, too; the code of one that is short is made of its parts
// without writing it (packed_code.h).
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>

#include "pappus/detail/base/bits.h"

namespace pappus::detail {

namespace text_codes {

inline constexpr std::size_t short_max = 15;
/// In place of the number of bytes.
inline constexpr std::uint64_t longer = 0xff;

template <typename Word>
[[gnu::always_inline]] inline std::uint64_t word_at(const char* at) noexcept {
  Word word;
  std::memcpy(&word, at, sizeof word);
  if constexpr (sizeof word == 4)
    return __builtin_bswap32(word);
  else
    return __builtin_bswap64(word);
}

/// Up to 8 bytes as a number, the first most significant: by words that overlap, without a loop.
/// Fewer than 4 byte by byte: half words would be loaded into parts of registers, whose rest
/// processors wait for, that of the row before.
[[gnu::always_inline]] inline std::uint64_t few_bytes(const char* at, std::size_t n) noexcept {
  if (n >= 4)
    return word_at<std::uint32_t>(at) << (8 * (n - 4)) | word_at<std::uint32_t>(at + n - 4);
  if (n == 0) return 0;
  const auto byte = [at](std::size_t i) -> std::uint64_t {
    return static_cast<unsigned char>(at[i]);
  };
  return byte(0) << (8 * (n - 1)) | byte(n / 2) << (8 * (n - 1 - n / 2)) | byte(n - 1);
}

/// Of a text of up to short_max bytes.
[[gnu::always_inline]] inline bits128 of_short(std::string_view text) noexcept {
  const std::size_t n = text.size();
  if (n > 8)
    return {word_at<std::uint64_t>(text.data() + n - 8) << (8 * (16 - n)) | n,
            word_at<std::uint64_t>(text.data())};
  return {n, n == 0 ? 0 : few_bytes(text.data(), n) << (8 * (8 - n))};
}
constexpr bits128 of_number(std::uint32_t number) noexcept { return {longer, number}; }

constexpr bool is_short(const bits128& code) noexcept { return (code.lo & 0xff) != longer; }
/// Of a longer text.
constexpr std::uint32_t number(const bits128& code) noexcept {
  return static_cast<std::uint32_t>(code.hi);
}
/// Of a short text, which it writes to `to`. There is room for 16 bytes.
inline std::string_view text(const bits128& code, char* to) noexcept {
  const std::uint64_t words[] = {__builtin_bswap64(code.hi), __builtin_bswap64(code.lo)};
  std::memcpy(to, words, sizeof words);
  return {to, code.lo & 0xff};
}

}  // namespace text_codes

/// A worker's access to what numbers longer texts.
struct text_coder {
  bits128 (*longer)(text_coder& self, std::string_view text) = nullptr;
  /// Room for so many bytes of a packed key, until the next call.
  char* (*room)(text_coder& self, std::size_t bytes) = nullptr;
  std::shared_ptr<void> met;  ///< keys that were met (loops/met_keys.h)
  /// Blocks to come whose keys likely haven't been met. The first ones are too short.
  int blocks_apart = 3;

  [[gnu::always_inline]] bits128 code(std::string_view text) {
    return text.size() <= text_codes::short_max ? text_codes::of_short(text) : longer(*this, text);
  }
};

}  // namespace pappus::detail
