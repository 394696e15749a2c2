// Groups of an unknown domain: states in hash tables.
//
// Few groups: leaves of rows have tables of their own, which are merged first to last. Leaves are
// numbered from the first row of the stage; the first is small, because its number of groups tells
// whether there are few, the next sixteen let all cores start, later ones are large, so that
// merging costs little. They run in rounds of fixed leaves. When the leaves of a round have many
// groups, what is merged so far seeds the tables of the partitions, and all rows that follow are
// partitioned. So the way a row takes depends on the rows before it alone.
//
// Many groups: rows are partitioned by hash and each partition is folded in row order. Tables of
// partitions fit a core's L2 half full.
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "algorithms/radix.h"
#include "algorithms/rows_in.h"
#include "algorithms/stretches.h"
#include "cpu_ops/group.h"
#include "pappus/detail/base/integers.h"

namespace pappus::cpu_ops {
namespace {

constexpr std::int64_t few_groups = 4096;  // more: partition
constexpr std::int64_t first_rows = 8192, early_rows = 65536, late_rows = 262144;  // of a leaf
constexpr std::int64_t early_leaves = 16, late_leaves = 64;                        // of a round
constexpr std::int64_t early_end = first_rows + early_leaves * early_rows;
constexpr std::size_t part_table_bytes = 512u << 10;  // half of a core's L2
constexpr std::size_t in_line_bytes_max = 1u << 20;   // larger tables need prefetching
constexpr std::size_t batch = group_table::batch_max;

struct leaf {
  std::int64_t begin, end;
};

/// The leaf that holds a row.
leaf leaf_of(std::int64_t row) {
  if (row < first_rows) return {0, first_rows};
  const std::int64_t base = row < early_end ? first_rows : early_end;
  const std::int64_t rows = row < early_end ? early_rows : late_rows;
  const std::int64_t begin = base + (row - base) / rows * rows;
  return {begin, begin + rows};
}

std::int64_t round_end(std::int64_t row) {
  if (row < first_rows) return first_rows;
  if (row < early_end) return early_end;
  constexpr std::int64_t rows = late_leaves * late_rows;
  return early_end + ((row - early_end) / rows + 1) * rows;
}

/// How many groups there are when `rows` random rows have `found` of them: solves found = groups *
/// (1 - exp(-rows / groups)).
double estimated_groups(double rows, double found) {
  double low = found, high = 1e9;
  if (found >= rows) return high;
  for (int i = 0; i < 60; ++i) {
    const double middle = std::sqrt(low * high);
    (middle * -std::expm1(-rows / middle) < found ? low : high) = middle;
  }
  return high;
}

class hash_run final : public group_run {
 public:
  explicit hash_run(run_context& context);
  void take(run_context& context) override;
  void finish(run_context& context) override;

 private:
  using table_ptr = std::unique_ptr<group_table>;

  table_ptr make_table(run_context& context, double expected, table_layout layout) const;
  void accumulate(group_table& table, const std::byte* keys, const std::byte* values,
                  std::size_t n) const;
  void merge_into(const detail::workers& team, group_table& table, const group_table& from) const;
  void fill_leaf(const run_context& context, std::int64_t begin, std::int64_t end,
                 group_table& table) const;
  void complete_leaf(const detail::workers& team, table_ptr from);
  void take_leaves(run_context& context, std::int64_t begin, std::int64_t end);
  void end_round(run_context& context);
  void choose_seed();
  void change_to_partitions(run_context& context, double groups);
  void take_partitioned(run_context& context, std::int64_t begin, std::int64_t end);

  void write(run_context& context, const std::byte* keys, const std::byte* const* states,
             std::size_t n) const;
  void write_by_bits(run_context& context, std::size_t n) const;
  void write_by_string(run_context& context, std::size_t n) const;

  const group_params& params_;
  std::unique_ptr<string_ids> strings_;
  std::vector<table_ptr> tables_;  // one, merged leaves; or one a partition
  table_ptr carry_;                // of a leaf that the last window cut
  partition_function partition_{};
  bool many_ = false;
  std::int64_t round_leaves_ = 0, round_groups_ = 0;  // of the round's complete leaves
  std::uint64_t seed_ = 0;                            // of the hash of new leaves' tables
  std::size_t seeded_groups_ = 0;                     // the groups for which it was chosen
  leaf last_leaf_{0, 0};                              // the last complete leaf
};

hash_run::hash_run(run_context& context) : params_(context.node.as<group_params>()) {
  if (params_.strings) strings_ = std::make_unique<string_ids>(context.memory, context.owner);
  if (params_.expected > few_groups)
    change_to_partitions(context, static_cast<double>(params_.expected));
}

hash_run::table_ptr hash_run::make_table(run_context& context, double expected,
                                         table_layout layout) const {
  return std::make_unique<group_table>(context.memory, bits_bytes(params_), params_.state_bytes,
                                       params_.state_align, params_.initial.get(),
                                       static_cast<std::size_t>(expected), context.owner, layout);
}

void hash_run::accumulate(group_table& table, const std::byte* keys, const std::byte* values,
                          std::size_t n) const {
  if (table.bytes() <= in_line_bytes_max) {
    auto slots = table.slots();
    params_.add_to_hash(keys, values, n, slots);
    return;
  }
  std::byte* states[batch];
  const std::size_t key_bytes = bits_bytes(params_);
  for (std::size_t at = 0; at < n; at += batch) {
    const std::size_t rows = std::min(batch, n - at);
    table.find_or_insert(keys + at * key_bytes, rows, states);
    params_.accumulate(values + at * params_.payload_bytes, states, rows);
  }
}

void hash_run::merge_into(const detail::workers& team, group_table& table,
                          const group_table& from) const {
  const std::size_t key_bytes = bits_bytes(params_);
  std::byte keys[batch * 16];
  const std::byte* others[batch];
  std::byte* states[batch];
  std::size_t waiting = 0;
  const auto merge_waiting = [&] {
    stop_if_cancelled(team);
    table.find_or_insert(keys, waiting, states);
    for (std::size_t i = 0; i < waiting; ++i) params_.merge(states[i], others[i], 1);
    waiting = 0;
  };
  from.for_each([&](const std::byte* key, std::byte* state) {
    std::memcpy(keys + waiting * key_bytes, key, key_bytes);
    others[waiting] = state;
    if (++waiting == batch) merge_waiting();
  });
  merge_waiting();
}

void hash_run::complete_leaf(const detail::workers& team, table_ptr from) {
  ++round_leaves_;
  round_groups_ += static_cast<std::int64_t>(from->size());
  if (tables_.empty())
    tables_.push_back(std::move(from));
  else
    merge_into(team, *tables_.front(), *from);
}

void hash_run::take(run_context& context) {
  const std::int64_t end = context.first_row + context.rows;
  for (std::int64_t row = context.first_row; row < end;) {
    std::int64_t stop = end;
    if (many_) {
      take_partitioned(context, row, end);
    } else {
      stop = std::min(end, round_end(row));
      take_leaves(context, row, stop);
      if (stop == round_end(row)) end_round(context);
    }
    row = stop;
  }
}

/// Rows [begin, end) of the window, which belong to one leaf.
void hash_run::fill_leaf(const run_context& context, std::int64_t begin, std::int64_t end,
                         group_table& table) const {
  const auto take = [&](const std::byte* keys, const std::byte* values, std::size_t n) {
    accumulate(table, keys, values, n);
  };
  if (params_.direct_hash == nullptr)
    return feed_in_order(context, params_, strings_.get(), begin, end, take);
  bool may_share = true;
  for (slow_rows rest{begin, end}; rest.any(); may_share = rest.row_ns > 0) {
    auto slots = table.slots();
    rest = for_each_fast_block(context, rest.begin, rest.end, may_share,
                               [&](const detail::block_args& args) {
                                 params_.direct_hash(context.node.stage.element.get(), args, slots);
                               });
    if (rest.any()) rest = feed_slow_rows(context, params_, strings_.get(), rest, take);
  }
}

/// Rows [begin, end), numbered over the whole stage, of one round.
void hash_run::take_leaves(run_context& context, std::int64_t begin, std::int64_t end) {
  std::vector<leaf> leaves;
  for (std::int64_t row = begin; row < end; row = leaves.back().end) leaves.push_back(leaf_of(row));
  std::vector<table_ptr> found(leaves.size());
  // Room for what earlier leaves had saves growing.
  const auto expected = tables_.empty() ? 0 : std::min<std::size_t>(tables_[0]->size(), few_groups);
  detail::parallel_chunks(context.team, leaves.size(), [&](std::size_t item, unsigned) {
    auto& table = found[item];
    table = item == 0 && carry_ ? std::move(carry_)
                                : make_table(context, static_cast<double>(expected), {true, seed_});
    const std::int64_t first = std::max(leaves[item].begin, begin) - context.first_row;
    const std::int64_t last = std::min(leaves[item].end, end) - context.first_row;
    fill_leaf(context, first, last, *table);
  });
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    if (leaves[i].end > end) {
      carry_ = std::move(found[i]);
    } else {
      last_leaf_ = leaves[i];
      complete_leaf(context.team, std::move(found[i]));
    }
  }
}

void hash_run::end_round(run_context& context) {
  const double rows = static_cast<double>(last_leaf_.end - last_leaf_.begin);
  const double groups = static_cast<double>(round_groups_) / static_cast<double>(round_leaves_);
  round_leaves_ = round_groups_ = 0;
  if (const double all = estimated_groups(rows, groups); all > few_groups)
    change_to_partitions(context, all);
  else
    choose_seed();
}

/// New leaves will have the same keys as before, mostly.
void hash_run::choose_seed() {
  const std::size_t groups = tables_.front()->size();
  if (groups == seeded_groups_) return;
  seeded_groups_ = groups;
  seed_ = tables_.front()->good_seed();
}

void hash_run::change_to_partitions(run_context& context, double groups) {
  many_ = true;
  const double slot =
      static_cast<double>(round_up(bits_bytes(params_), params_.state_align) + params_.state_bytes);
  const double parts = 4 * groups * slot / static_cast<double>(part_table_bytes);
  const unsigned bits =
      static_cast<unsigned>(std::clamp(std::ceil(std::log2(std::max(parts, 1.0))), 6.0, 9.0));
  partition_ = partition_function::by_spread(bits);
  const std::size_t count = std::size_t{1} << bits;
  // The estimate may be far off: tables begin no larger than this input, or a moderate one, could
  // fill.
  const double each =
      std::min({groups, 4e6, static_cast<double>(context.rows)}) / static_cast<double>(count);

  std::vector<table_ptr> before = std::exchange(tables_, {});
  tables_.resize(count);
  detail::parallel_chunks(context.team, count, [&](std::size_t item, unsigned) {
    tables_[item] = make_table(context, each, {.sparse = false, .partition_bits = bits});
  });
  if (before.empty()) return;
  std::size_t moved = 0;
  before.front()->for_each([&](const std::byte* key, const std::byte* state) {
    if (moved++ % stretch_rows == 0) stop_if_cancelled(context.team);
    const auto number = with_key_type(bits_bytes(params_), [&](auto type) {
      return detail::spread_hash::product(load<decltype(type)>(key)) >> (64 - bits);
    });
    std::byte* to;
    tables_[number]->find_or_insert(key, 1, &to);
    std::memcpy(to, state, params_.state_bytes);
  });
}

void hash_run::take_partitioned(run_context& context, std::int64_t begin, std::int64_t end) {
  const auto parts = static_cast<unsigned>(tables_.size());
  const auto row_bytes = bits_bytes(params_) + params_.payload_bytes;
  const auto at_once =
      std::max<std::int64_t>(static_cast<std::int64_t>(group_store_bytes / row_bytes), 65536);
  for (std::int64_t first = begin; first < end; first += at_once) {
    const std::int64_t last = std::min(first + at_once, end);
    const group_ranges ranges(context, last - first);
    block_partition store(context.memory, ranges.count, parts, bits_bytes(params_),
                          params_.payload_bytes, static_cast<std::size_t>(last - first),
                          context.owner);
    partition_rows(context, params_, strings_.get(), first - context.first_row,
                   last - context.first_row, ranges, partition_, store);
    detail::parallel_chunks(context.team, parts, [&](std::size_t item, unsigned) {
      store.for_each(static_cast<unsigned>(item), [&](const block_partition::rows& rows) {
        if (!context.team.stopping()) accumulate(*tables_[item], rows.keys, rows.payload, rows.n);
      });
    });
  }
}

void hash_run::finish(run_context& context) {
  if (carry_) complete_leaf(context.team, std::move(carry_));
  std::size_t groups = 0;
  for (const auto& table : tables_) groups += table->size();
  if (groups == 0) return;
  if (params_.strings)
    write_by_string(context, groups);
  else
    write_by_bits(context, groups);
}

/// Writes the records of n groups, in order.
void hash_run::write(run_context& context, const std::byte* keys, const std::byte* const* states,
                     std::size_t n) const {
  const std::size_t size = context.node.out.size;
  detail::buffer rows(context.memory, n * size, context.owner);
  constexpr std::size_t piece = 4096;
  const auto items = detail::ceil_div(n, piece);
  detail::parallel_chunks(context.team, items, [&](std::size_t item, unsigned) {
    const std::size_t first = item * piece;
    params_.emit(keys + first * params_.key_bytes, states + first, std::min(piece, n - first),
                 rows.data() + first * size);
  });
  append_buffer(*context.output, std::move(rows), static_cast<std::int64_t>(n));
}

void hash_run::write_by_bits(run_context& context, std::size_t n) const {
  const std::size_t key_bytes = params_.key_bytes;
  const std::size_t half_keys = round_up(n * key_bytes, 64), half_states = round_up(n * 8, 64);
  detail::buffer keys(context.memory, 2 * half_keys, context.owner);
  detail::buffer states(context.memory, 2 * half_states, context.owner);
  const sort_buffers buffers{keys.data(), states.data(), keys.data() + half_keys,
                             states.data() + half_states};
  std::vector<std::size_t> first(tables_.size());
  for (std::size_t i = 1; i < tables_.size(); ++i) first[i] = first[i - 1] + tables_[i - 1]->size();
  detail::parallel_chunks(context.team, tables_.size(), [&](std::size_t item, unsigned) {
    std::byte* key_to = buffers.keys + first[item] * key_bytes;
    std::byte* state_to = buffers.payload + first[item] * 8;
    tables_[item]->for_each([&](const std::byte* key, const std::byte* state) {
      std::memcpy(key_to, key, key_bytes);
      store(state_to, state);
      key_to += key_bytes;
      state_to += 8;
    });
  });
  const bool in_first = radix_sort(context.team, context.memory, buffers, n, key_bytes, 8,
                                   context.owner) == sorted_in::first;
  write(
      context, in_first ? buffers.keys : buffers.other_keys,
      reinterpret_cast<const std::byte* const*>(in_first ? buffers.payload : buffers.other_payload),
      n);
}

void hash_run::write_by_string(run_context& context, std::size_t n) const {
  detail::buffer strings(context.memory, n * sizeof(std::string_view), context.owner);
  detail::buffer ids(context.memory, n * sizeof(std::uint32_t), context.owner);
  detail::buffer by_id(context.memory, n * sizeof(std::byte*), context.owner);
  detail::buffer states(context.memory, n * sizeof(std::byte*), context.owner);
  strings_->sorted(context.team, strings.as<std::string_view>(), ids.as<std::uint32_t>());
  detail::parallel_chunks(context.team, tables_.size(), [&](std::size_t item, unsigned) {
    tables_[item]->for_each([&](const std::byte* key, const std::byte* state) {
      by_id.as<const std::byte*>()[load<std::uint32_t>(key)] = state;
    });
  });
  for_each_stretch(context.team, std::size_t{0}, n, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i)
      states.as<const std::byte*>()[i] = by_id.as<const std::byte*>()[ids.as<std::uint32_t>()[i]];
  });
  stop_if_cancelled(context.team);
  write(context, strings.data(), states.as<const std::byte*>(), n);
}

}  // namespace

std::unique_ptr<group_run> make_hash_group_run(run_context& context) {
  return std::make_unique<hash_run>(context);
}

}  // namespace pappus::cpu_ops
