// A grouped reduction of an unknown domain, as it goes on: group_hash.cpp takes rows,
// group_hash_output.cpp brings back what rests, and writes all groups.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "cpu_ops/group.h"
#include "cpu_ops/group_tables.h"
#include "cpu_ops/late_groups.h"
#include "cpu_ops/merged_groups.h"
#include "cpu_ops/ordered_groups.h"
#include "cpu_ops/rested_groups.h"

namespace pappus::cpu_ops {

using algorithms::group_leaf;

class hash_run final : public group_run {
 public:
  explicit hash_run(run_context& context);
  void take(run_context& context) override;
  void finish(run_context& context) override;
  void yield(run_context& context) override;

 private:
  using table_ptr = group_tables::table_ptr;

  void share_memory(run_context& context);
  void share_memory_of_texts(run_context& context);
  std::int64_t rows_of_texts(std::int64_t rows);
  void limit_texts();
  void note_longer_texts(std::int64_t rows);
  string_keys strings_of(std::size_t item, std::int64_t leaf);
  std::int64_t fill_leaf(const run_context& context, std::int64_t begin, std::int64_t end,
                         string_keys strings, group_table& table);
  std::int64_t leaves_at_once(const run_context& context) const;
  std::int64_t take_leaves(run_context& context, std::int64_t begin, std::int64_t end);
  void choose_seed();
  void change_to_partitions(run_context& context);
  void take_partitioned(run_context& context, std::int64_t begin, std::int64_t end);
  void take_store(run_context& context, const block_partition& store, const group_ranges& ranges);
  void choose_afterwards();
  bool fold_partition(const run_context& context, const block_partition& store,
                      const group_ranges& ranges, const std::vector<group_tables::steps>& ends,
                      std::size_t partition, rested_groups::place& begin, std::int64_t& groups);
  void let_rest(run_context& context, std::vector<std::size_t>& full);
  template <typename F>
  void wake(run_context& context, F&& awake);
  template <typename F>
  std::size_t wake_parts(run_context& context, std::span<const std::size_t> some, std::size_t count,
                         std::size_t bytes, F&& awake);
  bool wake_some(run_context& context, std::span<const std::size_t> some, std::size_t each,
                 rested_groups::key_part keys, std::size_t bytes);
  std::int64_t groups_of_leaf(std::size_t partition);
  std::int64_t settle(run_context& context);
  bool may_glance() const;
  void glance(run_context& context);
  void learn(run_context& context, std::int64_t row);

  void take_steps(run_context& context, const group_tables::steps& all);
  void order(run_context& context);
  bool write_next(run_context& context);
  bool write_at_once(run_context& context);

  const group_params& params_;
  std::unique_ptr<coded_texts> texts_;             // keys that are strings
  bool in_batches_ = false;                        // many of these are long
  std::int64_t rows_taken_ = 0, rows_longer_ = 0;  // so far; of these, with longer ones
  algorithms::unknown_key_leaves leaves_;
  group_tables tables_;
  partition_function partition_{};
  bool partitioned_ = false;
  group_tables::afterwards afterwards_ = group_tables::afterwards::refills;
  bool full_ = false;                                 // tables of leaves get too large
  group_leaf last_{0, 0, 0};                          // the last leaf that has begun
  bool under_way_ = false;                            // and hasn't ended
  std::int64_t found_leaves_ = 0, found_groups_ = 0;  // complete, and not yet learned from
  std::int64_t learned_leaves_ = 0;
  std::uint64_t seed_ = 0;         // of the hash of new leaves' tables
  std::size_t seeded_groups_ = 0;  // the groups for which it was chosen

  // Where partitions may go to a disk.
  table_share share_;
  std::size_t bytes_ = 0;  // that all of this may take; 0: there is no limit but the memory's
  rested_groups rested_;
  std::size_t went_ = 0;                     // partitions, so far
  std::size_t parts_ = 1;                    // in which they came back, at most
  std::unique_ptr<ordered_groups> ordered_;  // all groups, where they can't be written at once
  std::unique_ptr<late_groups> late_;        // of strings; null: all have room
  std::size_t strings_max_ = 0;              // others may be late
  std::unique_ptr<merged_groups> merged_;    // with those in tables
  bool written_ = false;
  detail::row_set owners_;  // no rows: what groups point into
};

}  // namespace pappus::cpu_ops
