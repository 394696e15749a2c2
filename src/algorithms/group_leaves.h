// Where the rows of a grouped reduction are cut into leaves.
//
// A group's records are accumulated in row order within a leaf, and leaf_tree says how leaves are
// merged, which touches every group of a leaf. So a leaf has at least sixteen rows a group: merging
// is a few per cent of the work then, and yet rows that lie together can be reduced where they are,
// by one machine of several, or while other rows are on disk.
//
// With a domain the number of groups is known. Else expect() tells it, or the first 2^20 rows,
// which are cut in a way of their own: the first leaf is small, because its groups tell whether
// they are few, then sixteen let all cores start (or one that is partitioned, where groups are
// many). What came out then is never changed, whatever rows follow: an estimate that is too small
// costs time.
//
// Reducers whose results don't depend on cuts (`exact`) need no leaves where groups are many:
// end_with().
#pragma once

#include <cstdint>
#include <functional>
#include <limits>

#include "base/memory_scale.h"

namespace pappus::algorithms {

/// Rows [begin, end) of a stage.
struct group_leaf {
  std::int64_t number, begin, end;
};

/// The leaf that holds a row.
using group_leaf_of = std::function<group_leaf(std::int64_t row)>;

/// Rows of a leaf of so many groups: a power of two.
std::int64_t rows_of_group_leaf(double groups, std::int64_t least);

/// Leaves of rows with unknown keys.
class unknown_key_leaves {
 public:
  /// So many groups are few, whatever they take.
  static std::int64_t few_groups() noexcept { return base::scaled(4096); }
  /// Of a leaf behind the first rows.
  static std::int64_t least_rows() noexcept { return base::scaled(262144); }

  /// \param expected  by expect(); -1: not known
  /// \param few       more groups are many
  explicit unknown_key_leaves(std::int64_t expected, std::int64_t few = few_groups());

  std::int64_t few() const noexcept { return few_; }
  /// Whether there are more, as far as is known.
  bool many() const noexcept { return many_; }
  /// About how many groups there are.
  double groups() const noexcept { return groups_; }
  /// The leaves of all rows before this one are known.
  std::int64_t known_end() const noexcept { return known_end_; }
  /// The leaf that holds a row before known_end().
  group_leaf at(std::int64_t row) const;

  /// The rows whose groups glance() may be told, before learn() is called.
  std::int64_t glanced_rows() const noexcept { return first_rows_ / 8; }
  /// What these rows found. Where some keys come far more often than others, more rows show more
  /// groups than an estimate of few rows says: groups that will be many are so from the first leaf
  /// on then. And where rows are several records each (flat_map), how the groups' number grows
  /// tells how many there are.
  void glance(std::int64_t groups);
  /// What the last `leaves` leaves, which lie side by side, found: `groups` in all. Must be called
  /// once, with all leaves since the call before, where known_end() is reached; may be called
  /// later, and changes no leaf then.
  void learn(std::int64_t leaves, std::int64_t groups);
  /// Makes one leaf of all rows from `begin` on, where a leaf begins.
  void end_with(std::int64_t number, std::int64_t begin);

 private:
  double estimate_of_first_rows(double found);
  double estimate_at_early_end(double first) const;

  const std::int64_t first_rows_ = base::scaled(8192), early_rows_ = base::scaled(65536),
                     early_end_ = base::scaled(1 << 20);
  static constexpr std::int64_t all_rows = std::numeric_limits<std::int64_t>::max();

  std::int64_t expected_, few_;
  bool many_ = false;
  double groups_ = 0, glanced_groups_ = 0;
  double row_records_ = 1;  ///< of each row, about; more than one where it may be several
  std::int64_t known_end_ = first_rows_;
  bool early_is_one_ = false;  ///< the rows between the first leaf and early_end_ are one leaf
  group_leaf late_{0, all_rows, all_rows};  ///< the first of those that are equally long
};

}  // namespace pappus::algorithms
