// Merges the groups that devices found in leaves to the groups of a stage: on the host, untyped, by
// the reducer's own merge.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <utility>

#include "algorithms/dense_groups.h"
#include "device_ops/contract.h"
#include "pappus/detail/loops/group.h"

namespace pappus::device_ops {

/// Groups in ascending order of their keys' bits.
struct sorted_groups {
  std::int64_t n = 0;
  detail::buffer keys, states;  ///< n of each
};

/// Merges the groups of leaves, which are added in any order, by any thread.
class group_merger {
 public:
  virtual ~group_merger() = default;
  /// \param leaf  number of the leaf, from 0; each is added once.
  virtual void add(std::int64_t leaf, sorted_groups groups) = 0;
  /// Puts the stage's result into the run. To be called when all leaves have been added.
  virtual void finish() = 0;
};

/// For known domains whose leaves have tables: merges them by leaf_tree, as the CPU does.
class table_merger final : public group_merger {
 public:
  explicit table_merger(stage_run& run);
  void add(std::int64_t leaf, sorted_groups groups) override;
  /// Adds the tables of n leaves from `leaf` on, one behind the other.
  void add_tables(std::int64_t leaf, detail::buffer tables, std::int64_t n);
  void finish() override;

 private:
  struct piece {
    detail::buffer tables;
    std::int64_t n = 0;
  };
  stage_run& run_;
  const detail::group_params& params_;
  algorithms::dense_groups total_;
  std::mutex mutex_;
  std::map<std::int64_t, piece> waiting_;  // until leaves before them are merged; by first leaf
  std::int64_t next_leaf_ = 0;
};

/// For all others: merges leaves 0 and 1, 2 and 3, ..., then pairs of these, and so on.
class run_merger final : public group_merger {
 public:
  explicit run_merger(stage_run& run);
  void add(std::int64_t leaf, sorted_groups groups) override;
  void finish() override;

 private:
  using place = std::pair<int, std::int64_t>;  // leaves [number << level, (number + 1) << level)
  sorted_groups merged(sorted_groups first, sorted_groups second) const;
  sorted_groups all();

  stage_run& run_;
  const detail::group_params& params_;
  std::mutex mutex_;
  std::map<place, sorted_groups> waiting_;  // until their neighbours come
};

}  // namespace pappus::device_ops
