// Per link an iteration reads the source's share at random and adds to the target's rank at random;
// both arrays are larger than the second-level cache. So links are partitioned once, by target
// block and source block (a two-dimensional form of propagation blocking, Beamer, Asanović and
// Patterson, IPDPS 2017): within a partition both random accesses stay in cache, and a link shrinks
// to two 16-bit offsets, half the traffic of the edge list. A target block belongs to one thread,
// so nothing is merged and no addition is atomic. The out-degrees are counted over the same
// partitions.
//
// Not here: a sorted (CSR) graph, which costs more to build than this partitioning and makes only
// one of the two accesses local.
#include "system/pagerank.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "system/checksum.h"
#include "system/partition.h"

namespace pappus::bench::pagerank {
namespace {

// Pages in blocks of 2^bits, the same for sources and targets: 256 KiB of shares and as much of
// ranks at the default size, half a second-level cache. There are at most 32 blocks, so 1024
// partitions: larger graphs have larger blocks, and beyond 2^21 pages the offsets take 32 bits.
struct blocking {
  explicit blocking(std::int64_t pages) {
    const auto last = static_cast<std::uint64_t>(std::max<std::int64_t>(pages - 1, 0));
    bits = std::max<int>(15, std::bit_width(last) - 5);
    blocks = static_cast<int>(last >> bits) + 1;
  }
  bool compact() const { return bits <= 16; }
  // The pages of one block: [begin, end).
  std::pair<std::int64_t, std::int64_t> pages_of(std::int64_t block, std::int64_t pages) const {
    return {block << bits, std::min(pages, (block + 1) << bits)};
  }

  int bits, blocks;
};

struct arrays {
  arrays(std::int64_t pages, team& workers)
      : ranks(pages, workers),
        scale(pages, workers),
        shares(pages, workers),
        next_shares(pages, workers),
        degrees(pages, workers) {}
  buffer<double> ranks;
  buffer<double> scale;   // damping / out-degree
  buffer<double> shares;  // what a page gives to each page it links to: rank * scale
  buffer<double> next_shares;
  buffer<std::int32_t> degrees;
};

template <class Offset>
class blocked_links {
 public:
  blocked_links(blocking blocks, std::int64_t links, team& workers)
      : blocks_(blocks), links_(links, blocks.blocks * blocks.blocks, workers) {}

  void fill(std::span<const link> links, team& workers) {
    const auto low_bits = [](std::uint32_t page, int bits) {
      return static_cast<Offset>(page & ((std::uint32_t{1} << bits) - 1));
    };
    links_.fill(std::ssize(links), blocks_.blocks * blocks_.blocks, workers,
                [=, from_links = links.data(), b = blocks_](std::int64_t i) {
                  const auto from = static_cast<std::uint32_t>(from_links[i].from);
                  const auto to = static_cast<std::uint32_t>(from_links[i].to);
                  const auto partition =
                      (to >> b.bits) * static_cast<std::uint32_t>(b.blocks) + (from >> b.bits);
                  return placed<Offset, Offset>{partition, low_bits(from, b.bits),
                                                low_bits(to, b.bits)};
                });
  }

  void count_degrees(std::int32_t* degrees, int from_block) const {
    std::int32_t* const counts = degrees + (std::int64_t{from_block} << blocks_.bits);
    for (int to_block = 0; to_block < blocks_.blocks; ++to_block) {
      links_.for_each(to_block * blocks_.blocks + from_block, [&](const auto& packet, int count) {
        for (int i = 0; i < count; ++i) ++counts[packet.first[i]];
      });
    }
  }

  void add_shares(const double* shares, double* ranks, int to_block) const {
    double* const sums = ranks + (std::int64_t{to_block} << blocks_.bits);
    for (int from_block = 0; from_block < blocks_.blocks; ++from_block) {
      const double* const given = shares + (std::int64_t{from_block} << blocks_.bits);
      links_.for_each(to_block * blocks_.blocks + from_block, [&](const auto& packet, int count) {
        for (int i = 0; i < count; ++i) sums[packet.second[i]] += given[packet.first[i]];
      });
    }
  }

 private:
  blocking blocks_;
  partitioned<Offset, Offset> links_;
};

template <class Offset>
void iterate(const blocked_links<Offset>& links, const blocking& blocks, arrays& a, team& workers) {
  const std::int64_t pages = a.ranks.size();
  const double least = (1 - damping) / static_cast<double>(pages);
  workers.run(blocks.blocks, [&](std::int64_t block, int) {
    const auto [begin, end] = blocks.pages_of(block, pages);
    std::fill(&a.degrees[begin], &a.degrees[end], 0);
    links.count_degrees(a.degrees.data(), static_cast<int>(block));
    for (std::int64_t page = begin; page < end; ++page) {
      a.scale[page] = a.degrees[page] ? damping / a.degrees[page] : 0;
      a.shares[page] = a.scale[page] / static_cast<double>(pages);
    }
  });
  for (int iteration = 0; iteration < iterations; ++iteration) {
    workers.run(blocks.blocks, [&](std::int64_t block, int) {
      const auto [begin, end] = blocks.pages_of(block, pages);
      std::fill(&a.ranks[begin], &a.ranks[end], least);
      links.add_shares(a.shares.data(), a.ranks.data(), static_cast<int>(block));
      for (std::int64_t page = begin; page < end; ++page) {
        a.next_shares[page] = a.ranks[page] * a.scale[page];
      }
    });
    std::swap(a.shares, a.next_shares);
  }
}

}  // namespace

struct workspace::state {
  state(std::int64_t pages, std::int64_t links, team& workers)
      : blocks(pages), values(pages, workers) {
    if (blocks.compact()) {
      compact = std::make_unique<blocked_links<std::uint16_t>>(blocks, links, workers);
    } else {
      wide = std::make_unique<blocked_links<std::uint32_t>>(blocks, links, workers);
    }
  }
  blocking blocks;
  arrays values;
  std::unique_ptr<blocked_links<std::uint16_t>> compact;
  std::unique_ptr<blocked_links<std::uint32_t>> wide;
};

workspace::workspace(std::int64_t pages, std::int64_t links, team& workers)
    : state_(std::make_unique<state>(pages, links, workers)) {}
workspace::~workspace() = default;

std::string result::checksum() const {
  double sum = 0, weighted = 0;
  for (std::size_t page = 0; page < ranks.size(); ++page) {
    sum += ranks[page];
    weighted += ranks[page] * static_cast<double>(1 + page % 97);
  }
  return scientific(sum, 9) + "/" + scientific(weighted, 9);
}

result sequential(std::span<const link> links, std::int64_t pages, std::vector<double>& ranks) {
  const auto n = static_cast<std::size_t>(pages);
  std::vector<std::int32_t> degrees(n);
  for (const link& l : links) ++degrees[static_cast<std::size_t>(l.from)];
  ranks.assign(n, 1 / static_cast<double>(pages));
  std::vector<double> next(n);
  for (int iteration = 0; iteration < iterations; ++iteration) {
    std::ranges::fill(next, (1 - damping) / static_cast<double>(pages));
    for (const link& l : links) {
      const auto from = static_cast<std::size_t>(l.from);
      next[static_cast<std::size_t>(l.to)] += damping * ranks[from] / degrees[from];
    }
    ranks.swap(next);
  }
  return {ranks};
}

void partition(std::span<const link> links, workspace& space, team& workers) {
  workspace::state& state = *space.state_;
  if (state.compact)
    state.compact->fill(links, workers);
  else
    state.wide->fill(links, workers);
}

result iterate_partitioned(workspace& space, team& workers) {
  workspace::state& state = *space.state_;
  if (state.compact)
    iterate(*state.compact, state.blocks, state.values, workers);
  else
    iterate(*state.wide, state.blocks, state.values, workers);
  return {state.values.ranks};
}

result handwritten(std::span<const link> links, workspace& space, team& workers) {
  partition(links, space, workers);
  return iterate_partitioned(space, workers);
}

}  // namespace pappus::bench::pagerank
