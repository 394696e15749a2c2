// Groups of a known domain: states in a table indexed by key.
//
// Leaves of rows have tables of their own, which are merged. A leaf has at least sixteen rows a
// key, so that merging costs little, and at least 32768. While a table fits half a core's L2,
// workers fill those of several leaves at once. For a larger one rows are partitioned by key into
// parts of the table that fit the cache; each part is folded in row order and, at the end of a
// leaf, merged while it is there. Exact reducers have one leaf then.
#include <bit>
#include <cstring>
#include <limits>

#include "algorithms/dense_groups.h"
#include "base/memory_scale.h"
#include "cpu_ops/group.h"
#include "cpu_ops/group_routes.h"

namespace pappus::cpu_ops {
namespace {

constexpr std::size_t part_bytes = 256u << 10;  // of the table, for one partition

class dense_run : public group_run {
 public:
  explicit dense_run(const run_context& context)
      : params_(context.node.as<group_params>()), groups_(params_, context.memory, context.owner) {}

  void finish(run_context& context) override {
    groups_.write(context.team, context.memory, *context.output, context.owner);
  }

 protected:
  const group_params& params_;
  dense_groups groups_;
};

class leaf_run final : public dense_run {
 public:
  using dense_run::dense_run;
  void take(run_context& context) override;
  void finish(run_context& context) override;

 private:
  void take_leaves(run_context& context, std::int64_t begin, std::int64_t end);
  void fill_leaf(const run_context& context, std::int64_t begin, std::int64_t end,
                 std::byte* table) const;

  detail::buffer carry_;  // the table of a leaf that the last window cut
  bool has_carry_ = false;
  std::int64_t next_leaf_ = 0;
};

void leaf_run::take(run_context& context) {
  const std::int64_t per_leaf = group_leaf_rows(params_);
  const auto at_once =
      static_cast<std::int64_t>(base::scaled(ops::group_leaf_tables_bytes) /
                                std::max<std::size_t>(group_table_bytes(params_), 4096));
  const std::int64_t end = context.first_row + context.rows;
  for (std::int64_t row = context.first_row; row < end;) {
    const std::int64_t stop = std::min(end, (row / per_leaf + at_once) * per_leaf);
    take_leaves(context, row, stop);
    row = stop;
  }
}

/// Rows [begin, end) of the window, which belong to one leaf.
void leaf_run::fill_leaf(const run_context& context, std::int64_t begin, std::int64_t end,
                         std::byte* table) const {
  feed_block_by_block(
      context, params_, {}, {begin, end},
      [&](const std::byte* keys, const std::byte* values, std::size_t n) {
        params_.add_to_table(keys, values, n, table);
      },
      [&](const detail::block_args& args) {
        params_.direct(context.node.stage.element.get(), args, table);
      });
}

/// Rows [begin, end), numbered over the whole stage.
void leaf_run::take_leaves(run_context& context, std::int64_t begin, std::int64_t end) {
  const std::int64_t per_leaf = group_leaf_rows(params_), first_leaf = begin / per_leaf;
  const std::int64_t leaves = (end - 1) / per_leaf - first_leaf + 1;
  // No two share a pair of lines.
  const std::size_t stride = round_up(group_table_bytes(params_), 128);
  detail::buffer tables(context.memory, static_cast<std::size_t>(leaves) * stride, context.owner);
  detail::parallel_chunks(
      context.team, static_cast<std::size_t>(leaves), [&](std::size_t item, unsigned) {
        std::byte* table = tables.data() + item * stride;
        if (item == 0 && has_carry_)
          std::memcpy(table, carry_.data(), group_table_bytes(params_));
        else
          fill_groups(params_, table, static_cast<std::size_t>(params_.domain));
        const std::int64_t leaf = (first_leaf + static_cast<std::int64_t>(item)) * per_leaf;
        fill_leaf(context, std::max(leaf, begin) - context.first_row,
                  std::min(leaf + per_leaf, end) - context.first_row, table);
      });
  has_carry_ = end % per_leaf != 0;
  const std::int64_t complete = leaves - (has_carry_ ? 1 : 0);
  groups_.add_leaves(context.team, first_leaf, tables.data(), stride, complete);
  next_leaf_ = first_leaf + complete;
  if (has_carry_ && group_table_bytes(params_) != 0) {
    if (carry_.data() == nullptr)
      carry_ = detail::buffer(context.memory, group_table_bytes(params_), context.owner);
    std::memcpy(carry_.data(), tables.data() + static_cast<std::size_t>(complete) * stride,
                group_table_bytes(params_));
  }
}

void leaf_run::finish(run_context& context) {
  if (has_carry_) groups_.add_leaves(context.team, next_leaf_, carry_.data(), 0, 1);
  dense_run::finish(context);
}

class partitioned_run final : public dense_run {
 public:
  explicit partitioned_run(const run_context& context)
      : dense_run(context),
        keys_(params_.domain, std::max<std::size_t>(part_bytes / params_.state_bytes, 1)) {}
  void take(run_context& context) override;
  void finish(run_context& context) override;

 private:
  algorithms::group_leaf leaf_of(std::int64_t row) const;
  /// Takes parts of leaves: add(i, partition, table) accumulates part i's records of a partition.
  template <typename Add>
  void take(const run_context& context, const std::vector<group_ranges::part>& parts,
            const key_partitions& partitions, Add&& add);

  key_partitions keys_;
  bool under_way_ = false;      // whether rows of a leaf that didn't end have been taken
  std::int64_t next_leaf_ = 0;  // the first that didn't end
};

algorithms::group_leaf partitioned_run::leaf_of(std::int64_t row) const {
  if (params_.exact) return {0, 0, std::numeric_limits<std::int64_t>::max()};
  const std::int64_t rows = group_leaf_rows(params_), number = row / rows;
  return {number, number * rows, (number + 1) * rows};
}

void partitioned_run::take(run_context& context) {
  const auto leaf = [this](std::int64_t row) { return leaf_of(row); };
  if (const auto routes = group_routes::of(context, params_, leaf)) {
    const auto& keys = routes->partitions();
    return take(context, routes->leaves(), keys, [&](std::size_t i, unsigned p, std::byte* table) {
      const auto first = static_cast<std::size_t>(keys.first(p));
      routes->add(context, i, p, table + first * params_.state_bytes);
    });
  }
  const auto take_store = [&](const block_partition& store, const group_ranges& ranges) {
    take(context, ranges.parts, keys_, [&](std::size_t i, unsigned p, std::byte* table) {
      const auto& part = ranges.parts[i];
      store.for_each(p, part.first, part.last, [&](const block_partition::rows& rows) {
        if (!context.team.stopping()) params_.add_to_table(rows.keys, rows.payload, rows.n, table);
      });
    });
  };
  const std::int64_t end = context.first_row + context.rows;
  const auto table_bytes = static_cast<double>(group_table_bytes(params_));
  const double tables =
      1 + algorithms::leaf_tree::levels_of(static_cast<double>(leaf_of(end - 1).number) + 1);
  for_each_partitioned(
      context, params_, {}, context.first_row, end, leaf, keys_.count,
      partition_function::by_value({}, keys_.shift), take_store,
      wanted_store_bytes(context.memory, table_bytes, tables * table_bytes - groups_.held_bytes()));
}

template <typename Add>
void partitioned_run::take(const run_context& context, const std::vector<group_ranges::part>& parts,
                           const key_partitions& partitions, Add&& add) {
  struct leaf_steps {
    std::byte* table;
    std::vector<dense_groups::step> merges;
  };
  std::vector<leaf_steps> leaves;
  for (const auto& part : parts) {
    auto& leaf = leaves.emplace_back(groups_.leaf(), std::vector<dense_groups::step>());
    if (part.ends) leaf.merges = groups_.complete_leaf(part.leaf.number);
    under_way_ = !part.ends;
    next_leaf_ = part.leaf.number + (part.ends ? 1 : 0);
  }
  detail::parallel_chunks(context.team, partitions.count, [&](std::size_t item, unsigned) {
    const auto partition = static_cast<unsigned>(item);
    const std::int64_t first = partitions.first(partition);
    const std::size_t keys = partitions.keys(partition);
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      std::byte* const table = leaves[i].table;
      if (parts[i].begins)
        fill_groups(params_, table + static_cast<std::size_t>(first) * params_.state_bytes, keys);
      if (!context.team.stopping()) add(i, partition, table);
      groups_.merge(leaves[i].merges, first, keys);
    }
  });
}

void partitioned_run::finish(run_context& context) {
  if (under_way_) groups_.merge(context.team, groups_.complete_leaf(next_leaf_));
  dense_run::finish(context);
}

}  // namespace

std::unique_ptr<group_run> make_dense_group_run(run_context& context) {
  if (group_has_leaf_tables(context.node.as<group_params>()))
    return std::make_unique<leaf_run>(context);
  return std::make_unique<partitioned_run>(context);
}

}  // namespace pappus::cpu_ops
