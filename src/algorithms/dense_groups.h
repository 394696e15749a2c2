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
/// time, but for merge().
class dense_groups {
 public:
  /// A table that is merged into another, or copied to it.
  struct step {
    std::byte* into;
    const std::byte* from;
    bool copies;
  };

  dense_groups(const detail::group_params& params, detail::memory_source& memory,
               std::string_view owner);

  /// Adds the tables of n leaves, which are `stride` bytes apart, in the order of leaf_tree.
  /// \param first  number of the first leaf, higher than those added before
  void add_leaves(detail::workers& team, std::int64_t first, const std::byte* tables,
                  std::size_t stride, std::int64_t n);

  /// The table of a leaf that is filled in place. What it holds is the caller's.
  std::byte* leaf();
  /// Adds leaf(). Returns what is to be merged for each key, in this order, before that key is
  /// changed in the table which leaf() is then.
  std::vector<step> complete_leaf(std::int64_t number);
  /// Takes steps for n keys. Different keys may be merged at the same time.
  void merge(const std::vector<step>& steps, std::int64_t first_key, std::size_t n) const;
  /// The same for all keys, in parallel.
  void merge(detail::workers& team, const std::vector<step>& steps) const;

  /// Bytes of the tables that there are: one of a leaf, and one of each level in use at most.
  double held_bytes() const;

  /// Appends the records of all groups, once all leaves are there.
  void write(detail::workers& team, detail::memory_source& memory, detail::row_set& output,
             std::string_view owner);

 private:
  std::byte* table(detail::buffer& of);
  /// Adds a leaf's step, or one between levels: what comes first to a level isn't moved, tables
  /// change places.
  void add_step(std::vector<step>& steps, const std::byte* leaf, int from, int to, bool first);
  /// Calls f(first, n) for pieces of the keys, in parallel.
  template <typename F>
  void for_each_piece(detail::workers& team, F&& f) const;

  const detail::group_params& params_;
  detail::memory_source& memory_;
  std::string_view owner_;
  leaf_tree leaves_;
  detail::buffer leaf_;                 ///< filled in place
  std::vector<detail::buffer> levels_;  ///< a table each, or none yet
};

}  // namespace pappus::algorithms
