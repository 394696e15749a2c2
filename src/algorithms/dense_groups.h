// The table of a known domain, as the CPU and devices fill and merge it: states indexed by key.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "algorithms/leaf_tree.h"
#include "pappus/detail/base/chunks.h"
#include "pappus/detail/base/memory.h"
#include "pappus/detail/base/parallel.h"
#include "pappus/detail/loops/group.h"

namespace pappus::algorithms {

/// Bytes of a table: a state for each key of the domain.
std::size_t group_table_bytes(const detail::group_params& params);
/// Whether tables are small enough for each leaf of rows to have its own.
bool group_has_leaf_tables(const detail::group_params& params);
/// Rows of such a leaf; the first leaf begins with the stage's first row.
std::int64_t group_leaf_rows(const detail::group_params& params);

void fill_groups(const detail::group_params& params, std::byte* states, std::size_t n);

/// The tables of leaves on their way to the one that becomes the result. Used by one thread at a
/// time.
class dense_groups {
 public:
  dense_groups(const detail::group_params& params, detail::memory_source& memory,
               std::string_view owner);

  /// One table instead of leaves', in which all groups have the state of one without rows.
  std::byte* fill(detail::workers& team);
  /// Adds the tables of n leaves, which are `stride` bytes apart, in the order of leaf_tree.
  /// \param first  number of the first leaf, higher than those added before
  void add_leaves(detail::workers& team, std::int64_t first, const std::byte* tables,
                  std::size_t stride, std::int64_t n);
  /// Appends the records of all groups, once all leaves are there.
  void write(detail::workers& team, detail::memory_source& memory, detail::row_set& output,
             std::string_view owner);

 private:
  /// What merging tables takes: those of leaves, which have a pointer, and of levels.
  struct step {
    const std::byte* leaf;  ///< null: the table of level `from`
    int from, to;
    bool first;  ///< copied, not merged
  };

  std::byte* state(int level, std::int64_t key) const {
    return levels_[static_cast<std::size_t>(level)].data() +
           static_cast<std::size_t>(key) * params_.state_bytes;
  }
  /// Takes the steps in their order, for all groups in parallel.
  void take(detail::workers& team, const std::vector<step>& steps);
  /// Calls f(first, n) for pieces of the keys, in parallel.
  template <typename F>
  void for_each_piece(detail::workers& team, F&& f) const;

  const detail::group_params& params_;
  detail::memory_source& memory_;
  std::string_view owner_;
  leaf_tree leaves_;
  std::vector<detail::buffer> levels_;  ///< a table each; where there are no leaves, one in all
};

}  // namespace pappus::algorithms
