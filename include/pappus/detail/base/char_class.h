// Classes of ASCII characters, of which one can be asked, or 64 at once: so the ends of words are
// found without a branch for each of their characters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>

#include "pappus/detail/base/eight_bytes.h"
#include "pappus/detail/base/hash_string.h"

namespace pappus::detail {

/// The high bits of those of eight bytes that are from `least` to `most`, which are below 0x80.
constexpr std::uint64_t bytes_between(std::uint64_t eight, unsigned least, unsigned most) noexcept {
  const auto low = eight & ~high_bits;
  const auto reaches_least = low + eight_of(0x80 - least),
             passes_most = low + eight_of(0x7F - most);
  return reaches_least & ~passes_most & ~eight & high_bits;
}

struct spaces {
  constexpr bool operator()(char c) const noexcept { return c == ' ' || (c >= '\t' && c <= '\r'); }
  static constexpr std::uint64_t among(std::uint64_t eight) noexcept {
    return bytes_between(eight, '\t', '\r') | bytes_between(eight, ' ', ' ');
  }
};
struct letters {
  constexpr bool operator()(char c) const noexcept {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  }
  static constexpr std::uint64_t among(std::uint64_t eight) noexcept {
    return bytes_between(eight | eight_of('a' - 'A'), 'a', 'z');
  }
};
struct digits {
  constexpr bool operator()(char c) const noexcept { return c >= '0' && c <= '9'; }
  static constexpr std::uint64_t among(std::uint64_t eight) noexcept {
    return bytes_between(eight, '0', '9');
  }
};
/// All characters but those of a class.
template <typename Class>
struct all_but {
  constexpr bool operator()(char c) const noexcept { return !Class()(c); }
  static constexpr std::uint64_t among(std::uint64_t eight) noexcept {
    return ~Class::among(eight) & high_bits;
  }
};

template <typename F>
concept char_class = requires { F::among(0); };

/// Bit i: whether character i is in the class, of the first 64 at most.
template <char_class Class>
std::uint64_t bits_of(std::string_view text, Class) noexcept {
  const auto n = text.size() < 64 ? text.size() : 64;
  std::uint64_t bits = 0;
  const auto put = [&](std::uint64_t eight, std::size_t at) {
    // Bit 8 i of the one factor and 56 - 7 i of the other meet at 56 + i.
    bits |= (((Class::among(eight) >> 7) * 0x0102'0408'1020'4080) >> 56) << at;
  };
  std::size_t at = 0;
  for (; at + 8 <= n; at += 8) {
    std::uint64_t eight;
    std::memcpy(&eight, text.data() + at, sizeof eight);
    put(eight, at);
  }
  if (at == n) return bits;
  put(last_bytes(text.substr(0, n)), at);
  return bits & ((std::uint64_t{1} << n) - 1);
}

}  // namespace pappus::detail
