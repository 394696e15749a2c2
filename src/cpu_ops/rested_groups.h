// Partitions of a grouped reduction that memory has no room for.
//
// Problem: sums of floats must not depend on how much memory there is, so tables of parts of a
// group's rows, made whenever memory was full, can't be merged later.
//
// Idea: a partition that must go leaves its tables to the store, then its rows, raw and in order,
// and where leaves end. Later the tables come back and the rows are folded as they would have been:
// the same additions in the same order. What the partitions get of a block_partition rests as one
// set, partition by partition, so it is written in large pieces without a buffer a partition.
//
// A partition whose tables are still too large is woken in parts, by other bits of the hash; each
// part reads all its rows again.
//
// Alternatives: partitioning such a partition again (reads and writes its rows once more, where
// parts only read; parts are rarely needed, for there are 16 to 512 partitions).
//
// Not here: keys that are strings (late_groups.h).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "cpu_ops/contract.h"
#include "cpu_ops/group.h"
#include "cpu_ops/group_tables.h"
#include "graph/kept_rows.h"

namespace pappus::cpu_ops {

/// Bytes that tables take, and may take. Different threads may fold under it at the same time.
struct table_share {
  static constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();
  std::size_t limit = unlimited;
  std::atomic<std::size_t> held{0};

  bool has(std::size_t bytes) const noexcept {
    return limit == unlimited || held.load(std::memory_order_relaxed) + bytes <= limit;
  }
};

/// Folds n rows into a table.
void add_rows(const group_params& params, group_table& table, const std::byte* keys,
              const std::byte* values, std::size_t n);
/// The same. Stops where the table would have to grow beyond its share: returns
/// how many were folded.
std::size_t fold_rows(const group_params& params, group_table& table, const std::byte* keys,
                      const std::byte* values, std::size_t n, table_share& share);

class rested_groups {
 public:
  /// Where in a block_partition the rows begin that a partition hasn't folded.
  struct place {
    std::size_t part = 0;  ///< of group_ranges::parts
    std::size_t rows = 0;  ///< folded of that part
  };
  /// The keys whose other bits of the hash say `number`, of `count`, a power of two.
  struct key_part {
    std::size_t number = 0, count = 1;
  };

  /// All must outlive it.
  rested_groups(const group_params& params, group_tables& tables);

  bool any() const noexcept { return !resting_.empty(); }
  bool rests(std::size_t partition) const noexcept {
    return partition < events_.size() && events_[partition].rests;
  }
  /// The partitions that rest, in the order in which they went.
  const std::vector<std::size_t>& partitions() const noexcept { return resting_; }

  /// Takes the tables of partitions, which rest from now on.
  void take_tables(run_context& context, std::span<const std::size_t> partitions);
  /// Takes what resting partitions get of a store.
  /// \param ends   what is to be done at the end of each part
  /// \param begin  by partition; those that don't rest aren't looked at
  void take_rows(run_context& context, const block_partition& store, const group_ranges& ranges,
                 const std::vector<group_tables::steps>& ends, std::span<const place> begin);
  /// Resting partitions take the steps when their rows so far are folded.
  void take_steps(const group_tables::steps& all);

  /// Brings keys of partitions back into the tables: neighbours among those that rest, whose rows
  /// lie side by side and are read together. Adds the groups that complete leaves had to `groups`.
  /// False: the tables need more than `bytes`; they are empty then. Different partitions may be
  /// woken at the same time.
  bool wake(const run_context& context, std::span<const std::size_t> partitions, key_part keys,
            std::size_t bytes, std::int64_t& groups);

 private:
  /// What happens to a partition, in order.
  struct event {
    enum class kind : std::uint8_t { slots, rows, steps };
    kind what;
    std::uint16_t level = 0;  ///< of slots: 0: the leaf under way
    std::uint32_t number;     ///< of the set, or of the steps
    std::size_t at = 0;       ///< bytes of the set before it
    std::size_t n = 0;        ///< slots or rows: keys, then values
  };
  struct partition_events {
    bool rests = false;
    std::vector<event> list;
  };
  struct part_of_event {
    std::size_t partition;
    const event* of;
    std::size_t first = 0, n = 0;      ///< of its slots or rows
    std::size_t keys = 0, values = 0;  ///< bytes before them in the memory
  };
  struct load {
    std::vector<part_of_event> parts;
    detail::buffer memory;
    std::future<void> there;  // waits for the reading, and goes before its memory
  };
  /// Where a partition's events go on.
  struct cursor {
    std::size_t partition, event = 0, row = 0;
  };
  class waking;

  std::uint32_t keep(run_context& context, detail::buffer bytes);
  void rest_some(run_context& context, std::span<const std::size_t> partitions, std::size_t bytes);
  cursor* next_in_sets(std::span<cursor> from, load& to) const;
  std::size_t choose(std::span<cursor> from, std::size_t bytes, load& to) const;
  load read(const run_context& context, std::span<cursor> from, std::size_t bytes) const;

  const group_params* params_;
  group_tables* tables_;
  std::vector<std::size_t> resting_;
  std::vector<partition_events> events_;  // by partition
  std::vector<std::shared_ptr<graph::kept_rows>> sets_;
  std::vector<group_tables::steps> steps_;
};

}  // namespace pappus::cpu_ops
