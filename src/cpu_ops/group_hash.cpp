// Groups of an unknown domain: states in hash tables.
//
// Few groups: leaves of rows have tables of their own, which workers fill at the same time. Many
// groups: rows are partitioned by hash and each partition is folded in row order, leaf by leaf.
// Tables of partitions fit a core's L2 half full. Where leaves are cut, and which are merged with
// which, algorithms/group_leaves.h and leaf_tree.h say; the way can change with any row, for it
// changes no bit. What leaves found tells: many groups once are many for good.
#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>

#include "algorithms/radix.h"
#include "algorithms/rows_in.h"
#include "algorithms/stretches.h"
#include "cpu_ops/group.h"
#include "cpu_ops/group_tables.h"
#include "pappus/detail/base/integers.h"

namespace pappus::cpu_ops {
namespace {

using algorithms::group_leaf;

constexpr std::int64_t leaves_at_once = 64;           // that have tables of their own
constexpr std::size_t part_table_bytes = 512u << 10;  // half of a core's L2
constexpr std::size_t in_line_bytes_max = 1u << 20;   // larger tables need prefetching

class hash_run final : public group_run {
 public:
  explicit hash_run(run_context& context);
  void take(run_context& context) override;
  void finish(run_context& context) override;

 private:
  using table_ptr = group_tables::table_ptr;

  void accumulate(group_table& table, const std::byte* keys, const std::byte* values,
                  std::size_t n) const;
  void fill_leaf(const run_context& context, std::int64_t begin, std::int64_t end,
                 group_table& table) const;
  std::int64_t take_leaves(run_context& context, std::int64_t begin, std::int64_t end);
  void choose_seed();
  void change_to_partitions(run_context& context);
  void take_partitioned(run_context& context, std::int64_t begin, std::int64_t end);
  void take_store(const run_context& context, const block_partition& store,
                  const group_ranges& ranges);
  void learn(run_context& context, std::int64_t row);

  void write(run_context& context, const std::byte* keys, const std::byte* const* states,
             std::size_t n) const;
  void write_by_bits(run_context& context, std::size_t n);
  void write_by_string(run_context& context, std::size_t n);

  const group_params& params_;
  std::unique_ptr<string_ids> strings_;
  algorithms::unknown_key_leaves leaves_;
  group_tables tables_;
  partition_function partition_{};
  bool partitioned_ = false;
  group_leaf last_{0, 0, 0};                          // the last leaf that has begun
  bool under_way_ = false;                            // and hasn't ended
  std::int64_t found_leaves_ = 0, found_groups_ = 0;  // complete, and not yet learned from
  std::uint64_t seed_ = 0;                            // of the hash of new leaves' tables
  std::size_t seeded_groups_ = 0;                     // the groups for which it was chosen
};

hash_run::hash_run(run_context& context)
    : params_(context.node.as<group_params>()),
      leaves_(params_.expected),
      tables_(params_, context.memory, context.owner) {
  if (params_.strings) strings_ = std::make_unique<string_ids>(context.memory, context.owner);
}

void hash_run::accumulate(group_table& table, const std::byte* keys, const std::byte* values,
                          std::size_t n) const {
  if (table.bytes() <= in_line_bytes_max) {
    auto slots = table.slots();
    params_.add_to_hash(keys, values, n, slots);
    return;
  }
  constexpr std::size_t batch = group_table::batch_max;
  std::byte* states[batch];
  const std::size_t key_bytes = bits_bytes(params_);
  for (std::size_t at = 0; at < n; at += batch) {
    const std::size_t rows = std::min(batch, n - at);
    table.find_or_insert(keys + at * key_bytes, rows, states);
    params_.accumulate(values + at * params_.payload_bytes, states, rows);
  }
}

void hash_run::take(run_context& context) {
  if (leaves_.many() && !partitioned_) change_to_partitions(context);
  const std::int64_t end = context.first_row + context.rows;
  for (std::int64_t row = context.first_row; row < end;) {
    std::int64_t stop = std::min(end, leaves_.known_end());
    if (partitioned_)
      take_partitioned(context, row, stop);
    else
      stop = take_leaves(context, row, stop);
    learn(context, stop);
    row = stop;
  }
}

/// What the leaves before a row found tells how those behind it are cut, and taken.
void hash_run::learn(run_context& context, std::int64_t row) {
  if (found_leaves_ == 0 || (partitioned_ && row < leaves_.known_end())) return;
  if (row < leaves_.known_end() && leaves_.known_end() < std::numeric_limits<std::int64_t>::max())
    return;
  leaves_.learn(found_leaves_, found_groups_);
  found_leaves_ = found_groups_ = 0;
  if (leaves_.many() && !partitioned_)
    change_to_partitions(context);
  else if (!partitioned_)
    choose_seed();
}

/// Rows [begin, end) of the window, which belong to one leaf.
void hash_run::fill_leaf(const run_context& context, std::int64_t begin, std::int64_t end,
                         group_table& table) const {
  const auto take = [&](const std::byte* keys, const std::byte* values, std::size_t n) {
    accumulate(table, keys, values, n);
  };
  if (params_.direct_hash == nullptr)
    return feed_in_order(context, params_, strings_.get(), begin, end, take);
  feed_block_by_block(context, params_, {begin, end}, take, [&](const detail::block_args& args) {
    auto slots = table.slots();
    params_.direct_hash(context.node.stage.element.get(), args, slots);
  });
}

/// Rows [begin, end), numbered over the whole stage, or as many as make some leaves; returns where
/// they end.
std::int64_t hash_run::take_leaves(run_context& context, std::int64_t begin, std::int64_t end) {
  std::vector<group_leaf> leaves;
  for (std::int64_t row = begin;
       row < end && static_cast<std::int64_t>(leaves.size()) < leaves_at_once;
       row = leaves.back().end)
    leaves.push_back(leaves_.at(row));
  end = std::min(end, leaves.back().end);
  std::vector<table_ptr> found(leaves.size());
  // Room for what earlier leaves had saves growing.
  const auto* largest = tables_.largest();
  const double expected =
      largest == nullptr
          ? 0
          : static_cast<double>(std::min<std::size_t>(largest->size(), leaves_.few_groups));
  detail::parallel_chunks(context.team, leaves.size(), [&](std::size_t item, unsigned) {
    auto& table = found[item];
    table = item == 0 && under_way_ ? std::move(tables_.leaf(0))
                                    : tables_.make(expected, {true, seed_});
    const std::int64_t first = std::max(leaves[item].begin, begin) - context.first_row;
    const std::int64_t last = std::min(leaves[item].end, end) - context.first_row;
    fill_leaf(context, first, last, *table);
  });
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    last_ = leaves[i];
    tables_.leaf(0) = std::move(found[i]);
    under_way_ = last_.end > end;
    if (under_way_) break;
    ++found_leaves_;
    found_groups_ += static_cast<std::int64_t>(tables_.leaf(0)->size());
    tables_.take(0, tables_.complete_leaf(last_.number), group_tables::afterwards::moves);
  }
  return end;
}

/// New leaves will have the same keys as before, mostly.
void hash_run::choose_seed() {
  const auto* largest = tables_.largest();
  if (largest->size() == seeded_groups_) return;
  seeded_groups_ = largest->size();
  seed_ = largest->good_seed();
}

void hash_run::change_to_partitions(run_context& context) {
  partitioned_ = true;
  const double groups = leaves_.groups();
  const double slot =
      static_cast<double>(round_up(bits_bytes(params_), params_.state_align) + params_.state_bytes);
  const double parts = 4 * groups * slot / static_cast<double>(part_table_bytes);
  const auto bits =
      static_cast<unsigned>(std::clamp(std::ceil(std::log2(std::max(parts, 1.0))), 6.0, 9.0));
  partition_ = partition_function::by_spread(bits);
  // The estimate may be far off: tables begin no larger than this input, or a moderate one, could
  // fill.
  tables_.split(context.team, bits, std::min({groups, 4e6, static_cast<double>(context.rows)}));
  if (!params_.exact) return;
  if (under_way_)
    leaves_.end_with(last_.number, last_.begin);
  else
    leaves_.end_with(last_.number + 1, last_.end);
}

/// Rows [begin, end), numbered over the whole stage.
void hash_run::take_partitioned(run_context& context, std::int64_t begin, std::int64_t end) {
  for_each_partitioned(
      context, params_, strings_.get(), begin, end,
      [this](std::int64_t row) { return leaves_.at(row); },
      static_cast<unsigned>(tables_.partitions()), partition_,
      [&](const block_partition& store, const group_ranges& ranges) {
        take_store(context, store, ranges);
      },
      wanted_store_bytes(context.memory, leaves_.groups() * tables_.group_bytes(),
                         tables_.missing_bytes()));
}

void hash_run::take_store(const run_context& context, const block_partition& store,
                          const group_ranges& ranges) {
  std::vector<group_tables::steps> steps;
  for (const auto& part : ranges.parts) {
    last_ = part.leaf;
    under_way_ = !part.ends;
    found_leaves_ += part.ends ? 1 : 0;
    steps.push_back(part.ends ? tables_.complete_leaf(part.leaf.number) : group_tables::steps());
  }
  std::atomic<std::int64_t> groups{0};
  detail::parallel_chunks(context.team, tables_.partitions(), [&](std::size_t item, unsigned) {
    if (tables_.leaf(item) != nullptr) tables_.leaf(item)->fetch();
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const auto& part = ranges.parts[i];
      store.for_each(static_cast<unsigned>(item), part.first, part.last,
                     [&](const block_partition::rows& rows) {
                       if (!context.team.stopping())
                         accumulate(tables_.filled_leaf(item), rows.keys, rows.payload, rows.n);
                     });
      if (part.ends && tables_.leaf(item) != nullptr)
        groups += static_cast<std::int64_t>(tables_.leaf(item)->size());
      tables_.take(item, steps[i], group_tables::afterwards::refills);
    }
  });
  found_groups_ += groups;
}

void hash_run::finish(run_context& context) {
  if (under_way_) {
    const auto steps = tables_.complete_leaf(last_.number);
    detail::parallel_chunks(context.team, tables_.partitions(), [&](std::size_t item, unsigned) {
      tables_.take(item, steps, group_tables::afterwards::moves);
    });
  }
  tables_.finish(context.team);
  std::erase(tables_.result(), nullptr);
  std::size_t groups = 0;
  for (const auto& table : tables_.result()) groups += table->size();
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

void hash_run::write_by_bits(run_context& context, std::size_t n) {
  const auto& tables = tables_.result();
  const std::size_t key_bytes = params_.key_bytes;
  const std::size_t half_keys = round_up(n * key_bytes, 64), half_states = round_up(n * 8, 64);
  detail::buffer keys(context.memory, 2 * half_keys, context.owner);
  detail::buffer states(context.memory, 2 * half_states, context.owner);
  const sort_buffers buffers{keys.data(), states.data(), keys.data() + half_keys,
                             states.data() + half_states};
  std::vector<std::size_t> first(tables.size());
  for (std::size_t i = 1; i < tables.size(); ++i) first[i] = first[i - 1] + tables[i - 1]->size();
  detail::parallel_chunks(context.team, tables.size(), [&](std::size_t item, unsigned) {
    std::byte* key_to = buffers.keys + first[item] * key_bytes;
    std::byte* state_to = buffers.payload + first[item] * 8;
    tables[item]->for_each([&](const std::byte* key, const std::byte* state) {
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

void hash_run::write_by_string(run_context& context, std::size_t n) {
  const auto& tables = tables_.result();
  detail::buffer strings(context.memory, n * sizeof(std::string_view), context.owner);
  detail::buffer ids(context.memory, n * sizeof(std::uint32_t), context.owner);
  detail::buffer by_id(context.memory, n * sizeof(std::byte*), context.owner);
  detail::buffer states(context.memory, n * sizeof(std::byte*), context.owner);
  strings_->sorted(context.team, strings.as<std::string_view>(), ids.as<std::uint32_t>());
  detail::parallel_chunks(context.team, tables.size(), [&](std::size_t item, unsigned) {
    tables[item]->for_each([&](const std::byte* key, const std::byte* state) {
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
