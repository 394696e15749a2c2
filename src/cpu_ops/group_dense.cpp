// Groups of a known domain: states in a table indexed by key.
//
// While the table fits half a core's L2, leaves of rows have tables of their own. A leaf has at
// least sixteen rows a key, so that merging costs little, and at least 32768. A larger table is
// filled in place: rows are partitioned by key into parts of the table that fit the cache, and each
// part is folded in row order.
#include <bit>
#include <cstring>

#include "algorithms/dense_groups.h"
#include "cpu_ops/group.h"

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
  const auto at_once = static_cast<std::int64_t>(
      ops::group_leaf_tables_bytes / std::max<std::size_t>(group_table_bytes(params_), 4096));
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
  bool may_share = true;
  for (slow_rows rest{begin, end}; rest.any(); may_share = rest.row_ns > 0) {
    rest = for_each_fast_block(context, rest.begin, rest.end, may_share,
                               [&](const detail::block_args& args) {
                                 params_.direct(context.node.stage.element.get(), args, table);
                               });
    if (rest.any())
      rest = feed_slow_rows(context, params_, nullptr, rest,
                            [&](const std::byte* keys, const std::byte* values, std::size_t n) {
                              params_.add_to_table(keys, values, n, table);
                            });
  }
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
  explicit partitioned_run(run_context& context) : dense_run(context) {
    table_ = groups_.fill(context.team);
    const std::size_t fitting = std::max<std::size_t>(part_bytes / params_.state_bytes, 1);
    const auto least = static_cast<std::uint64_t>(params_.domain) / 512;  // at most 512 partitions
    shift_ = static_cast<unsigned>(std::bit_width(std::max<std::uint64_t>(fitting, least + 1) - 1));
    partitions_ =
        static_cast<unsigned>((static_cast<std::uint64_t>(params_.domain) - 1) >> shift_) + 1;
  }
  void take(run_context& context) override;

 private:
  unsigned shift_ = 0, partitions_ = 1;
  std::byte* table_;
};

void partitioned_run::take(run_context& context) {
  const auto row_bytes = params_.key_bytes + params_.payload_bytes;
  const auto at_once =
      std::max<std::int64_t>(static_cast<std::int64_t>(group_store_bytes / row_bytes), 65536);
  for (std::int64_t begin = 0; begin < context.rows; begin += at_once) {
    const std::int64_t end = std::min(begin + at_once, context.rows);
    const group_ranges ranges(context, end - begin);
    block_partition store(context.memory, ranges.count, partitions_, params_.key_bytes,
                          params_.payload_bytes, static_cast<std::size_t>(end - begin),
                          context.owner);
    partition_rows(context, params_, nullptr, begin, end, ranges,
                   partition_function::by_value({}, shift_), store);
    detail::parallel_chunks(context.team, partitions_, [&](std::size_t item, unsigned) {
      store.for_each(static_cast<unsigned>(item), [&](const block_partition::rows& rows) {
        if (!context.team.stopping()) params_.add_to_table(rows.keys, rows.payload, rows.n, table_);
      });
    });
  }
}

}  // namespace

std::unique_ptr<group_run> make_dense_group_run(run_context& context) {
  if (group_has_leaf_tables(context.node.as<group_params>()))
    return std::make_unique<leaf_run>(context);
  return std::make_unique<partitioned_run>(context);
}

}  // namespace pappus::cpu_ops
