// Messages in the lanes of four vectors at a time. The steps of one vector depend on each other,
// those of several don't, and processors don't look as far ahead as the next turn. With sixteen
// registers part of the four vectors' digests is in memory, and they still take half the time of
// two.
#include "system/md5.h"

#include <atomic>
#include <cstdio>
#include <cstring>

#include "system/generator.h"
#include "system/lanes.h"

namespace pappus::bench::md5 {
namespace {

constexpr std::int64_t piece = 1 << 14;
constexpr int together = 4, lanes = together * lanes_of<std::uint32_t>;

/// Some vectors as one word of messages: their steps alternate.
struct vectors {
  u32v of[together];

  template <class Operation>
  [[gnu::always_inline]] static vectors each(const Operation& by) {
    return [&]<int... V>(std::integer_sequence<int, V...>) __attribute__((always_inline)) {
      return vectors{{by(V)...}};
    }(std::make_integer_sequence<int, together>());
  }
  friend vectors operator+(const vectors& a, const vectors& b) {
    return each([&](int v) { return a.of[v] + b.of[v]; });
  }
  friend vectors operator+(const vectors& a, std::uint32_t b) {
    return each([&](int v) { return a.of[v] + b; });
  }
  friend vectors operator&(const vectors& a, const vectors& b) {
    return each([&](int v) { return a.of[v] & b.of[v]; });
  }
  friend vectors operator|(const vectors& a, const vectors& b) {
    return each([&](int v) { return a.of[v] | b.of[v]; });
  }
  friend vectors operator^(const vectors& a, const vectors& b) {
    return each([&](int v) { return a.of[v] ^ b.of[v]; });
  }
  friend vectors operator~(const vectors& a) {
    return each([&](int v) { return ~a.of[v]; });
  }
  friend vectors operator<<(const vectors& a, int bits) {
    return each([&](int v) { return a.of[v] << bits; });
  }
  friend vectors operator>>(const vectors& a, int bits) {
    return each([&](int v) { return a.of[v] >> bits; });
  }
  vectors& operator+=(const vectors& b) { return *this = *this + b; }
};

}  // namespace

std::string result::checksum() const {
  char text[9];
  std::snprintf(text, sizeof text, "%08x", all);
  return std::to_string(found) + "/" + text;
}

digest<std::uint32_t> target(std::int64_t n, std::uint64_t seed) {
  const stream choice(seed, 0);
  return digest_of_number(
      static_cast<std::int64_t>(choice.below(0, static_cast<std::uint64_t>(n))));
}

result sequential(std::int64_t n, const digest<std::uint32_t>& target) {
  result all;
  for (std::int64_t i = 0; i < n; ++i) {
    const auto own = digest_of_number(i);
    if (same(own, target)) all.found = i;
    all.all ^= own.a;
  }
  return all;
}

result handwritten(std::int64_t n, const digest<std::uint32_t>& target, team& workers) {
  std::atomic<std::int64_t> found = -1;
  std::atomic<std::uint32_t> all = 0;
  workers.run_pieces(n, piece, [&](std::int64_t begin, std::int64_t end, int) {
    const vectors high = vectors{} + static_cast<std::uint32_t>(begin >> 32);
    const u32v wanted = u32v{} + target.a;
    vectors low{}, own{};
    for (int lane = 0; lane < lanes; ++lane)
      low.of[lane / lanes_of<std::uint32_t>][lane % lanes_of<std::uint32_t>] =
          static_cast<std::uint32_t>(begin + lane);
    auto i = begin;
    // A piece lies within messages of one high word, for 2^32 is a multiple of its size.
    for (; i + lanes <= end; i += lanes, low = low + lanes) {
      const auto digests = digest_of(low, high);
      own = own ^ digests.a;
      std::uint32_t likely = 0;
      for (const u32v& words : digests.a.of) likely |= equal_bits(words, wanted);
      if (likely != 0)
        for (auto at = i; at < i + lanes; ++at)
          if (same(digest_of_number(at), target)) found = at;
    }
    std::uint32_t sum = 0;
    for (const u32v& words : own.of)
      for (int lane = 0; lane < lanes_of<std::uint32_t>; ++lane) sum ^= words[lane];
    for (; i < end; ++i) {
      const auto last = digest_of_number(i);
      if (same(last, target)) found = i;
      sum ^= last.a;
    }
    all ^= sum;
  });
  return {found, all};
}

}  // namespace pappus::bench::md5
