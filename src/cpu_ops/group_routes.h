// What a grouped join in a loop keeps from one iteration for the next: the pairs of rows that
// match, group by group (detail/loops/group_routes.h).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "algorithms/group_leaves.h"
#include "cpu_ops/contract.h"
#include "cpu_ops/group.h"
#include "pappus/detail/base/memory.h"

namespace pappus::cpu_ops {

/// Groups of a domain, in partitions of 2^shift keys, at most 512.
struct key_partitions {
  /// \param wanted  keys of a partition, at most
  key_partitions(std::int64_t domain, std::size_t wanted);

  std::int64_t domain;
  unsigned shift, count;
  std::int64_t first(unsigned partition) const { return std::int64_t{partition} << shift; }
  std::size_t keys(unsigned partition) const {
    return static_cast<std::size_t>(std::min(domain - first(partition), std::int64_t{1} << shift));
  }
};

/// Immutable once made.
class group_routes {
 public:
  /// Those that an earlier iteration kept, if they still hold, or new ones. Null where the stage
  /// isn't one of a loop's with a left key, or memory is short.
  static std::shared_ptr<const group_routes> of(const run_context& context,
                                                const group_params& params,
                                                const algorithms::group_leaf_of& leaf_of);

  const key_partitions& partitions() const { return keys_; }
  /// Leaves of all rows, in order.
  const std::vector<group_ranges::part>& leaves() const { return leaves_; }
  /// Accumulates the pairs of a leaf and a partition into states, one a key of the partition.
  void add(const run_context& context, std::size_t leaf, unsigned partition,
           std::byte* states) const;
  std::size_t bytes() const { return memory_.size(); }

 private:
  group_routes(const run_context& context, const group_params& params,
               const algorithms::group_leaf_of& leaf_of);
  bool hold_for(const run_context& context) const;
  void sort(const run_context& context, const block_partition& store, unsigned partition);

  const group_params& params_;
  key_partitions keys_;
  // What they were made of.
  detail::rows_ptr left_;
  std::uint64_t index_ = 0;  ///< algorithms::join_index::id
  std::vector<group_ranges::part> leaves_;
  /// By partition, then leaf: pairs begin where those before end, `ends` of each key count from
  /// there.
  std::vector<std::uint64_t> begins_;
  detail::buffer memory_;
  std::uint32_t *left_rows_ = nullptr, *right_rows_ = nullptr, *ends_ = nullptr;
};

}  // namespace pappus::cpu_ops
