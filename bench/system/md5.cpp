// Sixteen messages in the lanes of a vector, and two vectors at a time; their digests stay in
// registers. The steps of one vector depend on each other, those of two don't, and processors don't
// look as far ahead as the next turn: half the time of one vector a turn.
#include "system/md5.h"

#include <atomic>
#include <cstdio>
#include <cstring>

#include "system/generator.h"
#include "system/lanes.h"

namespace pappus::bench::md5 {
namespace {

constexpr std::int64_t piece = 1 << 14;
constexpr int lanes = 32;

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
    const u32x32 high = u32x32{} + static_cast<std::uint32_t>(begin >> 32);
    const u32x16 wanted = u32x16{} + target.a;
    u32x32 low, own{};
    for (int lane = 0; lane < lanes; ++lane) low[lane] = static_cast<std::uint32_t>(begin + lane);
    auto i = begin;
    // A piece lies within messages of one high word, for 2^32 is a multiple of its size.
    for (; i + lanes <= end; i += lanes, low += lanes) {
      const auto digests = digest_of(low, high);
      own ^= digests.a;
      u32x16 words[2];
      std::memcpy(words, &digests.a, sizeof words);
      if ((equal_bits(words[0], wanted) | equal_bits(words[1], wanted)) != 0)
        for (auto at = i; at < i + lanes; ++at)
          if (same(digest_of_number(at), target)) found = at;
    }
    std::uint32_t sum = 0;
    for (int lane = 0; lane < lanes; ++lane) sum ^= own[lane];
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
