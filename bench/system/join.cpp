// A hash table of the whole build side is larger than the caches, so each probe would wait for
// memory. Both sides are partitioned by hash first (partition.h); a partition's table fits the
// second-level cache.
//
// In the table, eight keys share one cache line and their pays the next. A probe compares all eight
// at once and multiplies the pays under the mask, so it needs no branch that depends on the data,
// except for the rare full bucket, which continues in the next one. Branches are what a probe in
// cache would otherwise wait for.
//
// Alternative: no partitioning, prefetching some probes ahead, which leaves every probe to fetch
// two lines of a table of 32 MB at the default size. Not here: results as pairs.
#include "system/join.h"

#include <algorithm>
#include <bit>
#include <unordered_map>
#include <vector>

#include "system/lanes.h"
#include "system/partition.h"

namespace pappus::bench::join {
namespace {

using side = partitioned<std::int64_t, std::int64_t>;

constexpr std::int64_t partition_rows = 8192;  // of the build side
constexpr int bucket_keys = 8;
constexpr std::uint64_t multiplier = 0x9E3779B97F4A7C15u;

constexpr std::uint64_t inverse_of(std::uint64_t odd) {
  std::uint64_t inverse = odd;  // right in the lowest 3 bits; each step doubles their number
  for (int step = 0; step < 5; ++step) inverse *= 2 - odd * inverse;
  return inverse;
}

std::uint64_t hash_of(std::int64_t key) { return static_cast<std::uint64_t>(key) * multiplier; }

int partition_bits_for(std::int64_t build_size) {
  const auto partitions =
      std::bit_ceil(static_cast<std::uint64_t>(build_size / partition_rows + 1));
  return std::clamp(std::countr_zero(partitions), 1, 10);
}

struct alignas(128) bucket {
  std::int64_t keys[bucket_keys];
  std::int64_t pays[bucket_keys];
};

struct line_of_sums {
  i64v of[line_vectors] = {};
};

// The table of one partition of the build side.
class table {
 public:
  void build(const side& rows, int partition, int partition_bits) {
    const auto size = static_cast<std::uint64_t>(rows.rows_of(partition));
    const std::uint64_t buckets = std::bit_ceil(std::max<std::uint64_t>(2 * size / bucket_keys, 2));
    skip_bits_ = partition_bits;
    shift_ = 64 - std::countr_zero(buckets);
    mask_ = buckets - 1;
    // Hashing is a bijection, so some key belongs to a neighbour partition: it can stand for
    // "empty" here.
    const std::uint64_t elsewhere = static_cast<std::uint64_t>(partition ^ 1)
                                    << (64 - partition_bits);
    empty_ = static_cast<std::int64_t>(elsewhere * inverse_of(multiplier));
    bucket vacant = {};
    std::ranges::fill(vacant.keys, empty_);
    buckets_.assign(buckets, vacant);
    filled_.assign(buckets, 0);
    rows.for_each(partition, [&](const side::packet_type& packet, int count) {
      for (int i = 0; i < count; ++i) insert(packet.first[i], packet.second[i]);
    });
  }

  // Adds the matches of `count` probes to the lanes of `sums` and returns how many there were.
  std::int64_t probe(const side::packet_type& probes, int count, line_of_sums& sums) const {
    std::int64_t matches = 0;
    for (int i = 0; i < count; ++i) {
      const std::int64_t key = probes.first[i];
      for (std::uint64_t at = home_of(key);; at = (at + 1) & mask_) {
        const bucket& b = buckets_[at];
        for (int v = 0; v < line_vectors; ++v) {
          const auto keys = load<i64v>(b.keys + v * lanes_of<std::int64_t>);
          const auto pays = load<i64v>(b.pays + v * lanes_of<std::int64_t>);
          sums.of[v] += (keys == key) & (pays * probes.second[i]);
          matches += std::popcount(equal_bits(keys, i64v{} + key));
        }
        if (b.keys[bucket_keys - 1] == empty_) [[likely]]
          break;
      }
    }
    return matches;
  }

 private:
  std::uint64_t home_of(std::int64_t key) const { return hash_of(key) << skip_bits_ >> shift_; }

  void insert(std::int64_t key, std::int64_t pay) {
    std::uint64_t at = home_of(key);
    while (filled_[at] == bucket_keys) at = (at + 1) & mask_;
    buckets_[at].keys[filled_[at]] = key;
    buckets_[at].pays[filled_[at]] = pay;
    ++filled_[at];
  }

  std::vector<bucket> buckets_;
  std::vector<std::uint8_t> filled_;
  std::uint64_t mask_ = 0;
  int skip_bits_ = 0;
  int shift_ = 0;
  std::int64_t empty_ = 0;
};

struct alignas(128) tally {
  table keys;
  result found;
};

}  // namespace

struct workspace::state {
  state(std::int64_t build_size, std::int64_t probe_size, int partition_bits, team& workers)
      : build(build_size, 1 << partition_bits, workers),
        probe(probe_size, 1 << partition_bits, workers),
        tallies(static_cast<std::size_t>(workers.threads())) {}
  side build, probe;
  std::vector<tally> tallies;
};

workspace::workspace(std::int64_t build_size, std::int64_t probe_size, team& workers)
    : state_(std::make_unique<state>(build_size, probe_size, partition_bits_for(build_size),
                                     workers)) {}
workspace::~workspace() = default;

std::string result::checksum() const { return std::to_string(matches) + "/" + std::to_string(sum); }

result sequential(std::span<const item> build, std::span<const item> probe) {
  std::unordered_multimap<std::int64_t, std::int64_t> table;
  table.reserve(build.size());
  for (const item& b : build) table.emplace(b.key, b.pay);
  result found;
  for (const item& p : probe) {
    for (auto [match, end] = table.equal_range(p.key); match != end; ++match) {
      ++found.matches;
      found.sum += p.pay * match->second;
    }
  }
  return found;
}

result handwritten(std::span<const item> build, std::span<const item> probe, workspace& space,
                   team& workers) {
  workspace::state& state = *space.state_;
  const int bits = partition_bits_for(std::ssize(build));
  const auto split = [&](std::span<const item> items, side& to) {
    to.fill(std::ssize(items), 1 << bits, workers, [=](std::int64_t i) {
      const item& it = items[static_cast<std::size_t>(i)];
      return placed<std::int64_t, std::int64_t>{
          static_cast<std::uint32_t>(hash_of(it.key) >> (64 - bits)), it.key, it.pay};
    });
  };
  split(build, state.build);
  split(probe, state.probe);
  for (tally& mine : state.tallies) mine.found = {};
  workers.run(1 << bits, [&](std::int64_t partition, int worker) {
    tally& mine = state.tallies[static_cast<std::size_t>(worker)];
    mine.keys.build(state.build, static_cast<int>(partition), bits);
    line_of_sums sums;
    state.probe.for_each(static_cast<int>(partition),
                         [&](const side::packet_type& probes, int count) {
                           mine.found.matches += mine.keys.probe(probes, count, sums);
                         });
    for (const i64v& of : sums.of)
      for (int lane = 0; lane < lanes_of<std::int64_t>; ++lane) mine.found.sum += of[lane];
  });
  result total;
  for (const tally& mine : state.tallies) {
    total.matches += mine.found.matches;
    total.sum += mine.found.sum;
  }
  return total;
}

}  // namespace pappus::bench::join
