// The table of a known domain, as the CPU and devices fill and merge it: states indexed by key.
#pragma once

#include <cstdint>
#include <string_view>

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

/// The table that leaves' tables are merged into and that becomes the result. Used by one thread at
/// a time.
class dense_groups {
 public:
  dense_groups(const detail::group_params& params, detail::memory_source& memory,
               std::string_view owner);

  std::byte* states() const noexcept { return table_.data(); }
  /// Gives all groups the state of one without rows.
  void fill(detail::workers& team);
  /// Merges n tables that are `stride` bytes apart, first to last.
  void merge(detail::workers& team, const std::byte* tables, std::size_t stride, std::int64_t n);
  /// Appends the records of all groups.
  void write(detail::workers& team, detail::memory_source& memory, detail::row_set& output,
             std::string_view owner);

 private:
  std::byte* state(std::int64_t key) const {
    return table_.data() + static_cast<std::size_t>(key) * params_.state_bytes;
  }
  /// Calls f(first, n) for pieces of the keys, in parallel.
  template <typename F>
  void for_each_piece(detail::workers& team, F&& f) const;

  const detail::group_params& params_;
  detail::buffer table_;
  bool has_states_ = false;
};

}  // namespace pappus::algorithms
