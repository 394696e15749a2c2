// Groups whose keys are strings that came when there was no room for more numbers (strings.h):
// their rows are sorted by key, in runs that go to the disk with their text where memory is short,
// and come back group by group.
//
// Sums of floats must not depend on how much memory there is. So rows are kept with the number of
// their leaf, and the sort is stable: a group's rows come back in order, are folded leaf by leaf,
// and its leaves are merged as those of all groups are (leaf_tree.h). What comes out is in the
// order of keys, as it is wanted.
//
// Alternatives: partitions by hash with numbers of their own, as of other keys (rested_groups.h:
// less work a row, but partitions that don't fit must be parted again, and strings sorted then).
//
// Not here: groups of the strings that came first. They stay in tables.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/leaf_tree.h"
#include "cpu_ops/contract.h"
#include "cpu_ops/group.h"
#include "cpu_ops/key_sort.h"
#include "cpu_ops/late_rows.h"
#include "cpu_ops/sorted_runs.h"

namespace pappus::cpu_ops {

/// The state of one group, whose rows come in order.
class leaf_fold {
 public:
  /// `params` must outlive it.
  leaf_fold(const group_params& params, detail::memory_source& memory, std::string_view owner);

  /// Adds n late_rows.
  void add(const std::byte* rows, std::size_t n);
  /// Writes the state of all rows since the last finish(); there are some.
  void finish(std::byte* state);

 private:
  std::byte* state(int level) const;
  void accumulate(const std::byte* rows, std::size_t n);
  void close_leaf();
  void take_step(int from, int to, bool first);

  static constexpr std::size_t batch = 64;  // rows that are accumulated together
  const group_params* params_;
  std::size_t stride_, values_at_;  // bytes of a state; before the values of a batch
  detail::buffer memory_;           // the leaf's state, then those of levels, then the values
  std::int64_t leaf_ = -1;          // that the last row was in; -1: there was none
  algorithms::leaf_tree tree_;
};

/// Groups in the order of their keys.
struct text_groups {
  std::size_t n = 0;
  detail::buffer keys;    ///< std::string_views
  detail::buffer text;    ///< to which they point
  detail::buffer states;  ///< side by side
};

class late_groups {
 public:
  /// \param bytes  that rows take until they are sorted, and while they are, about.
  late_groups(const run_context& context, const group_params& params, std::size_t bytes);
  ~late_groups();

  /// Who takes the rows of an item of work, which are in one leaf. Thread-safe.
  late_rows& of(std::size_t item, std::int64_t leaf);
  /// Takes what the items' have taken, item by item, behind all rows so far.
  /// \param rows  of the stage's input, of which these are
  void gather(run_context& context, std::int64_t rows);
  /// Rows of the input of which all may be late, and which items may go through together.
  std::int64_t rows_at_once() const noexcept;

  std::int64_t rows() const noexcept { return rows_ + static_cast<std::int64_t>(waiting_.rows()); }
  /// The number of groups of leaves from `first` on, a leaf at a time. O(rows), with one pass over
  /// what is on the disk.
  std::int64_t groups_of_leaves(run_context& context, std::int64_t first);

  /// The next groups. False: there are none left. Afterwards no rows can be added.
  bool next(run_context& context, text_groups& found);
  /// As sorted_runs::about().
  std::string about() const { return runs_ ? runs_->about() : std::string(); }

 private:
  struct open_group {
    std::string key;
    std::string_view view;  // of the key, where its text stays
    leaf_fold fold;
  };
  struct item_groups {  // of an item of rows: its first row, groups, and the text of their keys
    std::size_t begin = 0, groups = 0, text = 0;
  };
  run_context as_sort(const run_context& context) const;
  void close_run(run_context& context);
  void add_run(run_context& context, detail::buffer sorted, std::int64_t rows);
  void fold_range(run_context& context, const std::byte* rows, std::size_t n, text_groups& to);
  void put_open(text_groups& to, std::size_t at, char* text);
  bool read_range(run_context& context);

  const group_params& params_;
  const key_sort sort_;
  const bool text_stays_;  // that of rows in memory
  std::size_t bytes_;
  // Of late rows so far, at most: bytes of one, and how many rows came of one of the input.
  double row_bytes_ = 0, yield_ = 1;
  std::mutex mutex_;             // guards the list of items
  std::deque<late_rows> items_;  // whose places don't change
  late_rows waiting_;            // for a run
  std::unique_ptr<sorted_runs> runs_;
  std::int64_t rows_ = 0;                 // in runs
  std::optional<detail::row_set> range_;  // sorted rows that are folded now
  std::size_t range_done_ = 0;            // of these
  std::optional<open_group> open_;        // the last group so far, which may go on
  bool ended_ = false;
};

}  // namespace pappus::cpu_ops
