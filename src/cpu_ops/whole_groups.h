// Records side by side by key, of more rows than memory holds: groups in the order of their keys,
// each as a whole.
//
// Keys' bits and records become runs, and ranges of keys come back from these as of any sort
// (sorted_runs.h). The last group of a range may go on in the next one, so it is kept back, where
// it may rest, until a range begins with another key; then it is put together in one buffer, of
// which the size is known by then. A group of many ranges is so written twice, all others once.
//
// Alternatives: cutting ranges at keys only, by what runs' samples tell (a range has no room for a
// frequent key, which would need a way of its own all the same).
//
// Keys that are strings are sorted as such, with the text of keys and records.
//
// Not here: rows that fit (map_groups.cpp).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cpu_ops/contract.h"
#include "cpu_ops/key_sort.h"
#include "cpu_ops/sorted_runs.h"
#include "pappus/detail/base/integers.h"
#include "pappus/detail/loops/map_groups.h"

namespace pappus::cpu_ops {

using detail::map_groups_params;

/// Rows by key, of which each group is there as a whole.
struct group_rows {
  detail::buffer key_memory, record_memory, start_memory;
  std::vector<std::shared_ptr<const void>> owners;  ///< of text, and of records elsewhere
  const std::byte* keys = nullptr;                  ///< of all rows
  std::byte* records = nullptr;                     ///< likewise; changed only where `reorders`
  const std::size_t* starts = nullptr;  ///< the first row of each group; behind the last
  std::size_t groups = 0;
};

/// Tells where the groups of n rows begin.
/// \param strings  whether keys are std::string_views
void find_starts(const run_context& context, std::size_t key_bytes, bool strings, std::size_t n,
                 group_rows& of);

class whole_groups {
 public:
  /// \param run_rows  that are sorted in memory at a time, at most.
  whole_groups(const run_context& context, std::int64_t run_rows);

  /// Adds rows [begin, end) of the window, which come after all so far; begin < end.
  void add(run_context& context, std::int64_t begin, std::int64_t end);
  /// The next groups in order; none: there are none left. Afterwards no more rows can be added.
  /// Throws memory_error for a group that has no room.
  group_rows next(run_context& context);
  /// "sorted in 7 runs, ...". Empty: it was one, in memory.
  std::string about() const;

 private:
  /// A group that may go on.
  struct open_group {
    std::array<std::byte, 16> key{};
    std::shared_ptr<const std::string> text;  // of a key that is a string
    std::int64_t rows = 0;
    std::vector<std::shared_ptr<graph::kept_rows>> parts;
  };
  detail::buffer records_with_keys(const run_context& context, std::int64_t begin, std::int64_t end,
                                   std::vector<detail::buffer>& text) const;
  group_rows taken_apart(const run_context& context, const detail::row_set& range) const;
  bool read_range(run_context& context, group_rows& to);
  group_rows next_complete(run_context& context);
  void keep_back(const run_context& context, group_rows& from, std::size_t group);
  group_rows put_together(const run_context& context, const open_group& group);
  void put_side_by_side(const run_context& context, const open_group& group,
                        group_rows& made) const;
  [[noreturn]] void refuse(const run_context& context, const open_group& group) const;

  run_context as_sort(const run_context& context) const;
  bool same_key(const std::byte* a, const std::byte* b) const;

  const map_groups_params& params_;
  const bool text_goes_;        ///< so what rests has copies
  const std::size_t value_at_;  ///< bytes from a key to its record
  const key_sort sort_;
  std::optional<sorted_runs> runs_;
  open_group open_;
  std::optional<group_rows> after_;  // groups that come behind the one that was put together
  std::int64_t found_ = 0;           // groups that were handed out
  std::size_t parts_max_ = 0;        // of a group
};

}  // namespace pappus::cpu_ops
