// The hash tables of a grouped reduction: of the leaf under way and of the levels of leaf_tree,
// each in as many tables as there are partitions.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "algorithms/group_table.h"
#include "algorithms/leaf_tree.h"
#include "cpu_ops/contract.h"
#include "ops/group.h"
#include "pappus/detail/loops/group.h"

namespace pappus::cpu_ops {

/// Used by one thread at a time, but for what different partitions may do at the same time.
class group_tables {
 public:
  using table_ptr = std::unique_ptr<group_table>;
  /// Levels of leaf_tree; what is first at a level moves there.
  struct step {
    int from, to;
    bool first;
  };
  using steps = std::vector<step>;

  /// Both must outlive it.
  group_tables(const detail::group_params& params, detail::memory_source& memory,
               std::string_view owner);

  std::size_t partitions() const noexcept { return levels_.front().size(); }
  table_ptr make(double expected, table_layout layout) const;

  /// The table of the leaf under way; null: it has no groups yet, or there is no such leaf.
  table_ptr& leaf(std::size_t partition) { return levels_.front()[partition]; }
  /// The same; made where it is null, with room for the groups that earlier leaves had there.
  group_table& filled_leaf(std::size_t partition);

  /// Adds the leaf under way, whose number is higher than those added before. Each partition must
  /// take the steps before its next leaf is filled; partitions may at the same time.
  steps complete_leaf(std::int64_t number);
  /// What becomes of the leaf's table: `refills` keeps it for the next leaf, which will have the
  /// same groups mostly, in the same slots.
  enum class afterwards : std::uint8_t { moves, refills };
  void take(std::size_t partition, const steps& all, afterwards leaf);
  /// Brings all groups together, once each partition has taken the steps.
  steps finish();
  /// The tables of all groups then. Some may be null.
  std::vector<table_ptr>& result() noexcept { return levels_[result_]; }

  // Of one partition: different ones at the same time.
  /// The table of a level, 0 for the leaf under way; made where it is null.
  group_table& filled(std::size_t partition, std::size_t level);
  /// f(level, table) for its tables.
  template <typename F>
  void for_each_level(std::size_t partition, F&& f) const {
    for (std::size_t level = 0; level < levels_.size(); ++level)
      if (const auto& table = levels_[level][partition]) f(level, *table);
  }
  void clear(std::size_t partition);
  /// Of its tables: groups, a level at a time, and bytes.
  std::size_t groups(std::size_t partition) const;
  std::size_t bytes(std::size_t partition) const;
  /// About, of a new leaf's table.
  std::size_t leaf_bytes() const;

  /// Of all tables.
  std::size_t bytes() const;
  /// Bytes a group of a partition's table, which is half full.
  double group_bytes() const;
  /// Bytes that tables may yet take, if there are about as many groups as were expected or found.
  double missing_bytes() const;
  /// The groups of the largest level.
  const group_table* largest() const;

  /// Splits what there is, one partition, into 2^bits.
  /// \param groups  expected in all
  void split(detail::workers& team, unsigned bits, double groups);

 private:
  void merge(table_ptr& into, group_table& from, group_table::merged afterwards) const;
  /// Prepares the table of a complete leaf, whose states are those of groups without rows again,
  /// for the next.
  void refill(std::size_t partition);
  std::vector<table_ptr> split(const detail::workers& team, const group_table& from,
                               std::size_t count) const;

  const detail::group_params& params_;
  detail::memory_source& memory_;
  std::string_view owner_;
  leaf_tree tree_;
  std::vector<std::vector<table_ptr>> levels_;  ///< the leaf under way, then levels; by partition
  std::size_t result_ = 0;                      ///< the level that has all groups, once finished
  unsigned partition_bits_ = 0;
  double groups_each_ = 0;                ///< expected in a partition
  std::vector<std::size_t> refilled_{0};  ///< groups of a partition's table when its leaf began
};

}  // namespace pappus::cpu_ops
