// The textbook parallel scan reads the input twice from memory: once for the sums of the parts,
// once for the scan. Here each piece fits the second-level cache, so the second read is free: a
// thread sums its piece, waits for the prefix of the piece before (whose owner started earlier and
// has only its own sum to finish), publishes its own prefix at once, then scans from cache and
// writes past the caches, which also saves reading the output's lines (the idea of Merrill and
// Garland's decoupled look-back, 2016, with a look-back of one). While one thread reads, the other
// writes.
//
// Lanes are scanned by additions of earlier ones, as many as the logarithm of their number; four
// vectors are interleaved so that their latencies overlap.
#include "system/scan.h"

#include <atomic>
#include <vector>

#include "system/checksum.h"
#include "system/generator.h"
#include "system/lanes.h"

namespace pappus::bench::scan {
namespace {

constexpr int lanes = lanes_of<std::uint32_t>;
constexpr std::int64_t piece = 1 << 16;
// How far ahead to prefetch, in numbers: 2 KiB.
constexpr std::int64_t ahead = 512;

std::uint32_t sum_of(const std::int32_t* from, std::int64_t n) {
  u32v sums[4] = {};
  std::int64_t i = 0;
  for (; i + 4 * lanes <= n; i += 4 * lanes) {
    for (int v = 0; v < 4; ++v) {
      __builtin_prefetch(from + i + lanes * v + ahead);
      sums[v] += load<u32v>(from + i + lanes * v);
    }
  }
  const u32v all = (sums[0] + sums[1]) + (sums[2] + sums[3]);
  std::uint32_t total = 0;
  for (int lane = 0; lane < lanes; ++lane) total += all[lane];
  for (; i < n; ++i) total += static_cast<std::uint32_t>(from[i]);
  return total;
}

// In step 1, 2, 4 ... a lane gets the sum of as many lanes more. Steps 1 and 2 shift lanes within
// 16 bytes, which takes a cycle where lanes that cross them take three; later ones add the last
// lane of each even half to the odd half behind it (Sklansky 1960). Lane `lanes` stands for zero.
template <int step>
constexpr int lane_before(int lane) {
  if (step < 4) return lane % 4 >= step ? lane - step : lanes;
  return (lane & step) != 0 ? lane / step * step - 1 : lanes;
}

template <int step = 1>
u32v prefix_sums(u32v v) {
  if constexpr (step < lanes)
    return prefix_sums<2 * step>(v + shuffled<lane_before<step>>(v, u32v{}));
  else
    return v;
}

u32v last_lane(u32v v) {
  return shuffled<[](int) { return lanes - 1; }>(v, v);
}

void scan_piece(const std::int32_t* from, std::int32_t* to, std::int64_t n, std::uint32_t before) {
  u32v carry = u32v{} + before;
  std::int64_t i = 0;
  for (; i + 4 * lanes <= n; i += 4 * lanes) {
    u32v v[4], last[4];
    for (int k = 0; k < 4; ++k) v[k] = prefix_sums(load<u32v>(from + i + lanes * k));
    for (int k = 0; k < 4; ++k) last[k] = last_lane(v[k]);
    for (int k = 0; k < 4; ++k) {
      stream_store(to + i + lanes * k, v[k] + carry);
      carry += last[k];
    }
  }
  std::uint32_t sum = carry[0];
  for (; i < n; ++i) {
    sum += static_cast<std::uint32_t>(from[i]);
    to[i] = static_cast<std::int32_t>(sum);
  }
  stream_fence();
}

}  // namespace

std::string result::checksum() const {
  std::uint64_t hash = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    hash += position_hash(static_cast<std::uint32_t>(values[i]), i);
  }
  return hex_digits(hash);
}

result sequential(std::span<const std::int32_t> numbers, std::span<std::int32_t> sums) {
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    sum += static_cast<std::uint32_t>(numbers[i]);
    sums[i] = static_cast<std::int32_t>(sum);
  }
  return {sums};
}

result handwritten(std::span<const std::int32_t> numbers, std::span<std::int32_t> sums,
                   team& workers) {
  const std::int64_t n = std::ssize(numbers);
  const std::int64_t pieces = (n + piece - 1) / piece;
  // prefixes[p]: the sum of all pieces before p, in the low half; the bit above says that it is
  // known.
  constexpr std::uint64_t known = std::uint64_t{1} << 32;
  std::vector<std::atomic<std::uint64_t>> prefixes(static_cast<std::size_t>(pieces) + 1);
  prefixes[0] = known;
  workers.run_pieces(n, piece, [&](std::int64_t begin, std::int64_t end, int) {
    const std::int32_t* from = numbers.data() + begin;
    const std::uint32_t sum = sum_of(from, end - begin);
    auto* prefix = &prefixes[static_cast<std::size_t>(begin / piece)];
    std::uint64_t before;
    while (!((before = prefix[0].load(std::memory_order_acquire)) & known)) {
    }
    prefix[1].store(known | static_cast<std::uint32_t>(before + sum), std::memory_order_release);
    scan_piece(from, sums.data() + begin, end - begin, static_cast<std::uint32_t>(before));
  });
  return {sums};
}

}  // namespace pappus::bench::scan
