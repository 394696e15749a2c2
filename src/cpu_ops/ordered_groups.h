// Groups in the order of their keys, where they may be more than memory holds: runs of keys and
// states, which are sorted as records are (sorted_runs.h), then ranges of keys. A key is in one run
// only, so any groups may make a run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "cpu_ops/contract.h"
#include "cpu_ops/group.h"
#include "cpu_ops/key_sort.h"
#include "cpu_ops/sorted_runs.h"

namespace pappus::cpu_ops {

class ordered_groups {
 public:
  /// \param params  of keys that aren't strings; must outlive it.
  /// \param bytes   that it may take, about, besides what rests.
  ordered_groups(const run_context& context, const group_params& params, std::size_t bytes);
  ~ordered_groups();

  /// Adds the groups of tables, whose keys no table before had.
  void add(run_context& context, std::span<const group_table* const> tables);
  /// Appends the records of the next groups in order. False: there are none left. Afterwards no
  /// more can be added.
  bool next(run_context& context, detail::row_set& to);
  /// As sorted_runs::about().
  std::string about() const { return runs_ ? runs_->about() : std::string(); }

 private:
  void close_run(run_context& context);
  void emit(run_context& context, const std::byte* groups, std::int64_t n,
            detail::row_set& to) const;

  const group_params& params_;
  const key_sort sort_;
  std::int64_t run_groups_;  // the most in a run
  detail::buffer run_;
  std::int64_t in_run_ = 0;
  std::optional<sorted_runs> runs_;
};

}  // namespace pappus::cpu_ops
