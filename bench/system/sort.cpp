// A radix sort by least significant digit moves everything through memory once per digit. So the
// first step here is by the most significant bits, into buckets that fit the second-level cache,
// and only this step scatters over memory (through one cache line a bucket, streamed when full).
// Each bucket is then sorted by its remaining bits, least significant digit first, without leaving
// the cache: to scratch and back to where it was.
//
// Equal numbers can't be told apart, so no step need be stable across pieces.
//
// Alternatives: four passes of 8 bits over memory, nearly twice the traffic; quicksort with
// compressed stores (Blacher et al. 2022), which passes over a bucket once per bit instead of once
// per digit. Top digits of 10 and 11 bits were measured to be alike.
#include "system/sort.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "system/buffer.h"
#include "system/checksum.h"
#include "system/generator.h"
#include "system/lanes.h"

namespace pappus::bench::sort {
namespace {

constexpr int top_bits = 11;
constexpr int high_bits = 10;
constexpr int low_bits = 32 - top_bits - high_bits;
constexpr std::size_t buckets = std::size_t{1} << top_bits;
constexpr std::size_t line = 16;  // numbers in a cache line
// The largest bucket sorted by digits, in numbers; a mebibyte, so evenly spread input stays far
// below.
constexpr std::size_t scratch_size = std::size_t{1} << 18;
constexpr std::size_t few = 384;

// Unsigned order of these is signed order of the numbers.
std::uint32_t ordered(std::int32_t x) { return static_cast<std::uint32_t>(x) ^ 0x80000000u; }
std::size_t bucket_of(std::int32_t x) { return ordered(x) >> (32 - top_bits); }

// One cache line a bucket, laid out like the line it will be copied to, so a bucket may start
// anywhere.
struct combiner {
  alignas(64) std::int32_t lines[buckets][line];
  std::array<std::uint32_t, buckets> next;
};

// Distributes a piece; first[b] says where its numbers of bucket b start.
void distribute(std::span<const std::int32_t> piece, std::int32_t* to,
                const std::array<std::uint32_t, buckets>& first, combiner& out) {
  out.next = first;
  for (const std::int32_t x : piece) {
    const std::size_t b = bucket_of(x);
    const std::uint32_t at = out.next[b]++;
    out.lines[b][at % line] = x;
    if (at % line != line - 1) continue;
    const std::uint32_t start = at - (line - 1);
    if (start >= first[b]) [[likely]] {
      stream_line(to + start, out.lines[b]);
    } else {
      std::copy(&out.lines[b][first[b] % line], out.lines[b] + line, to + first[b]);
    }
  }
  for (std::size_t b = 0; b < buckets; ++b) {
    const std::uint32_t end = out.next[b];
    for (std::uint32_t at = std::max<std::uint32_t>(first[b], end / line * line); at < end; ++at) {
      to[at] = out.lines[b][at % line];
    }
  }
  stream_fence();
}

template <std::size_t size>
void make_starts(std::array<std::uint32_t, size>& counts) {
  std::uint32_t start = 0;
  for (std::uint32_t& count : counts) start += std::exchange(count, start);
}

// Sorts numbers that agree in their top bits.
void sort_bucket(std::span<std::int32_t> bucket, std::int32_t* scratch) {
  if (bucket.size() <= few || bucket.size() > scratch_size) {
    std::ranges::sort(bucket);
    return;
  }
  constexpr std::uint32_t low_mask = (1u << low_bits) - 1, high_mask = (1u << high_bits) - 1;
  std::array<std::uint32_t, low_mask + 1> low = {};
  std::array<std::uint32_t, high_mask + 1> high = {};
  for (const std::int32_t x : bucket) {
    const auto bits = static_cast<std::uint32_t>(x);
    ++low[bits & low_mask];
    ++high[bits >> low_bits & high_mask];
  }
  make_starts(low);
  make_starts(high);
  for (const std::int32_t x : bucket) scratch[low[static_cast<std::uint32_t>(x) & low_mask]++] = x;
  for (std::size_t i = 0; i < bucket.size(); ++i) {
    const std::int32_t x = scratch[i];
    bucket[high[static_cast<std::uint32_t>(x) >> low_bits & high_mask]++] = x;
  }
}

}  // namespace

struct workspace::state {
  explicit state(team& workers)
      : combiners(workers.threads(), workers),
        scratch(static_cast<std::int64_t>(scratch_size) * workers.threads(), workers) {}
  buffer<combiner> combiners;
  buffer<std::int32_t> scratch;
};

workspace::workspace(team& workers) : state_(std::make_unique<state>(workers)) {}
workspace::~workspace() = default;

std::string result::checksum() const {
  std::uint64_t hash = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    hash += position_hash(static_cast<std::uint32_t>(values[i]), i);
  }
  return hex_digits(hash);
}

result sequential(std::span<const std::int32_t> numbers, std::span<std::int32_t> sorted) {
  std::ranges::copy(numbers, sorted.begin());
  std::ranges::sort(sorted);
  return {sorted};
}

result handwritten(std::span<const std::int32_t> numbers, std::span<std::int32_t> sorted,
                   workspace& space, team& workers) {
  const std::int64_t n = std::ssize(numbers);
  const std::int64_t pieces = 8 * workers.threads();
  const std::int64_t piece = std::max<std::int64_t>(n / pieces + 1, 1 << 14);
  std::vector<std::array<std::uint32_t, buckets>> starts(static_cast<std::size_t>(pieces));
  workers.run_pieces(n, piece, [&](std::int64_t begin, std::int64_t end, int) {
    auto& counts = starts[static_cast<std::size_t>(begin / piece)];
    for (std::int64_t i = begin; i < end; ++i)
      ++counts[bucket_of(numbers[static_cast<std::size_t>(i)])];
  });

  std::array<std::uint32_t, buckets + 1> bounds;
  std::uint32_t start = 0;
  for (std::size_t b = 0; b < buckets; ++b) {
    bounds[b] = start;
    for (auto& counts : starts) start += std::exchange(counts[b], start);
  }
  bounds[buckets] = start;

  workers.run_pieces(n, piece, [&](std::int64_t begin, std::int64_t end, int worker) {
    distribute(
        numbers.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin)),
        sorted.data(), starts[static_cast<std::size_t>(begin / piece)],
        space.state_->combiners[worker]);
  });
  workers.run(buckets, [&](std::int64_t bucket, int worker) {
    const auto b = static_cast<std::size_t>(bucket);
    sort_bucket(sorted.subspan(bounds[b], bounds[b + 1] - bounds[b]),
                &space.state_->scratch[static_cast<std::int64_t>(scratch_size) * worker]);
  });
  return {sorted};
}

}  // namespace pappus::bench::sort
