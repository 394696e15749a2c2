// MD5 (RFC 1321) of the numbers from 0 as messages of eight bytes: which of them has a given
// digest, and what all digests come to.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>

#include "system/team.h"

namespace pappus::bench::md5 {

inline constexpr std::array<int, 16> turns{7, 12, 17, 22, 5, 9,  14, 20,
                                           4, 11, 16, 23, 6, 10, 15, 21};
/// floor(2^32 * |sin(step + 1)|)
inline constexpr std::array<std::uint32_t, 64> summands{
    // clang-format off
    0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
    0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
    0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
    0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
    0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
    0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
    0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
    0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391};
// clang-format on

/// A digest, or as many as Word has lanes.
template <class Word>
struct digest {
  Word a, b, c, d;
};

/// One of the 64 steps. A message has two words that aren't known beforehand.
template <int Step, class Word>
[[gnu::always_inline]] inline void step(digest<Word>& of, Word low, Word high) {
  constexpr int round = Step / 16;
  constexpr int word = (std::array{1, 5, 3, 7}[round] * Step + std::array{0, 1, 5, 0}[round]) % 16;
  constexpr int turn = turns[round * 4 + Step % 4];
  const auto& [a, b, c, d] = of;
  Word mixed;
  if constexpr (round == 0)
    mixed = d ^ (b & (c ^ d));
  else if constexpr (round == 1)
    mixed = c ^ (d & (b ^ c));
  else if constexpr (round == 2)
    mixed = b ^ c ^ d;
  else
    mixed = c ^ (b | ~d);
  // The word of padding after the message and its length in bits.
  mixed += a + (summands[Step] + (word == 2 ? 0x80u : word == 14 ? 64u : 0u));
  if constexpr (word == 0) mixed += low;
  if constexpr (word == 1) mixed += high;
  of = {d, b + ((mixed << turn) | (mixed >> (32 - turn))), b, c};
}

/// The digest of a message of eight bytes, or of as many as Word has lanes.
template <class Word>
[[gnu::always_inline]] inline digest<Word> digest_of(Word low, Word high) {
  const Word none{};
  const digest<Word> start{none + 0x67452301u, none + 0xefcdab89u, none + 0x98badcfeu,
                           none + 0x10325476u};
  auto of = start;
  [&]<int... Step>(std::integer_sequence<int, Step...>) __attribute__((always_inline)) {
    (step<Step>(of, low, high), ...);
  }(std::make_integer_sequence<int, 64>());
  return {of.a + start.a, of.b + start.b, of.c + start.c, of.d + start.d};
}
inline digest<std::uint32_t> digest_of_number(std::int64_t i) {
  const auto message = static_cast<std::uint64_t>(i);
  return digest_of(static_cast<std::uint32_t>(message), static_cast<std::uint32_t>(message >> 32));
}

/// Whether it is the one that is looked for.
template <class Word>
inline bool same(const digest<Word>& one, const digest<Word>& other) {
  return one.a == other.a && one.b == other.b && one.c == other.c && one.d == other.d;
}

struct result {
  std::int64_t found = -1;       ///< the message with the digest that was looked for
  std::uint32_t all = 0;         ///< exclusive or of the digests' first words
  std::string checksum() const;  ///< `found / all`
};

/// What is looked for among n messages.
digest<std::uint32_t> target(std::int64_t n, std::uint64_t seed);

result sequential(std::int64_t n, const digest<std::uint32_t>& target);
result handwritten(std::int64_t n, const digest<std::uint32_t>& target, team& workers);

}  // namespace pappus::bench::md5
