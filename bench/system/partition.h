// Splits records into partitions small enough that each one's working set fits the second-level
// cache.
//
// A store to one of many partitions touches a cache line of each; written naively, every line is
// read from memory, written back, and often evicted half full. So a worker gathers records of a
// partition in a packet of a few cache lines (software write combining; Satish et al., SIGMOD 2010;
// Balkesen et al., ICDE 2013) and streams full packets past the caches. A packet holds its two
// fields apart, so narrow keys save traffic and readers get whole vectors.
//
// Where a packet goes needs no counting pass first: each (worker, partition) pair fills blocks
// taken from one pool. Order within a partition is the order of the input only within a block.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <vector>

#include "system/buffer.h"
#include "system/lanes.h"
#include "system/team.h"

namespace pappus::bench {

template <class First, class Second>
struct alignas(64) packet {
  static constexpr int rows = 64 / sizeof(First);
  First first[rows];
  Second second[rows];
};

/// What classify returns for a row: its partition and the two fields to keep.
template <class First, class Second>
struct placed {
  std::uint32_t partition;
  First first;
  Second second;
};

template <class First, class Second>
class partitioned {
 public:
  using packet_type = packet<First, Second>;

  /// Room for `rows_max` rows in up to `partitions_max` partitions, touched.
  partitioned(std::int64_t rows_max, int partitions_max, team& workers)
      : pool_(blocks_for(rows_max, partitions_max, workers.threads()) * block_packets, workers) {
    for (int worker = 0; worker < workers.threads(); ++worker) {
      lanes_.push_back(
          {{partitions_max, workers}, {partitions_max, workers}, {partitions_max, workers}, {}});
      lanes_.back().runs.resize(static_cast<std::size_t>(partitions_max));
    }
  }

  /// Replaces the content by rows [0, n), where classify(row) says where each goes.
  template <class Classify>
  void fill(std::int64_t n, int partitions, team& workers, Classify classify) {
    partitions_ = partitions;
    next_block_ = 0;
    for (lane& mine : lanes_) mine.clear();
    workers.run_pieces(n, 1 << 14, [&](std::int64_t begin, std::int64_t end, int worker) {
      lane& mine = lanes_[static_cast<std::size_t>(worker)];
      packet_type* const open = mine.open.data();
      std::uint32_t* const filled = mine.filled.data();
      for (std::int64_t row = begin; row < end; ++row) {
        const placed<First, Second> where = classify(row);
        packet_type& target = open[where.partition];
        const std::uint32_t slot = filled[where.partition]++;
        target.first[slot] = where.first;
        target.second[slot] = where.second;
        if (slot + 1 == packet_type::rows) [[unlikely]]
          flush(mine, where.partition);
      }
      stream_fence();
    });
  }

  int partitions() const { return partitions_; }

  std::int64_t rows_of(int partition) const {
    std::int64_t rows = 0;
    for_each(partition, [&](const packet_type&, int filled) { rows += filled; });
    return rows;
  }

  /// Calls body(packet, rows in it) for all packets of a partition.
  template <class Body>
  void for_each(int partition, Body&& body) const {
    const auto p = static_cast<std::size_t>(partition);
    for (const lane& mine : lanes_) {
      for (std::size_t run = 0; run < mine.runs[p].size(); ++run) {
        const packet_type* at = mine.runs[p][run];
        const bool last = run + 1 == mine.runs[p].size();
        const packet_type* end = last ? mine.places[partition].next : at + block_packets;
        for (; at != end; ++at) body(*at, packet_type::rows);
      }
      const auto rest = static_cast<int>(mine.filled[partition]);
      if (rest) body(mine.open[partition], rest);
    }
  }

 private:
  static constexpr std::int64_t block_packets = 32768 / sizeof(packet_type);

  struct place {
    packet_type* next = nullptr;
    packet_type* end = nullptr;
  };

  // What one worker writes, on pages of its own: neighbours on the heap would share cache lines.
  // The fill counts are apart from the rest, because every row touches one.
  struct lane {
    buffer<packet_type> open;
    buffer<std::uint32_t> filled;
    buffer<place> places;
    std::vector<std::vector<packet_type*>> runs;

    void clear() {
      std::ranges::fill(places.all(), place{});
      std::ranges::fill(filled.all(), 0);
      for (auto& list : runs) list.clear();
    }
  };

  static std::int64_t blocks_for(std::int64_t rows, int partitions, int threads) {
    return rows / (packet_type::rows * block_packets) + std::int64_t{partitions} * threads + 1;
  }

  __attribute__((noinline)) void flush(lane& mine, std::uint32_t partition) {
    place& at = mine.places[partition];
    if (at.next == at.end) {
      at.next = pool_.data() + next_block_.fetch_add(1, std::memory_order_relaxed) * block_packets;
      at.end = at.next + block_packets;
      mine.runs[partition].push_back(at.next);
    }
    const auto* from = reinterpret_cast<const char*>(&mine.open[partition]);
    auto* to = reinterpret_cast<char*>(at.next);
    for (std::size_t line = 0; line < sizeof(packet_type); line += 64)
      stream_line(to + line, from + line);
    ++at.next;
    mine.filled[partition] = 0;
  }

  buffer<packet_type> pool_;
  std::vector<lane> lanes_;
  std::atomic<std::int64_t> next_block_ = 0;
  int partitions_ = 0;
};

}  // namespace pappus::bench
