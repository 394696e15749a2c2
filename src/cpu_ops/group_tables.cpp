#include "cpu_ops/group_tables.h"

#include <algorithm>
#include <cstring>

#include "algorithms/key_bits.h"
#include "algorithms/stretches.h"

namespace pappus::cpu_ops {
namespace {

std::size_t place_of(int level) { return static_cast<std::size_t>(level + 1); }

}  // namespace

group_tables::group_tables(const detail::group_params& params, detail::memory_source& memory,
                           std::string_view owner)
    : params_(params), memory_(memory), owner_(owner), levels_(1) {
  levels_.front().resize(1);
}

group_tables::table_ptr group_tables::make(double expected, table_layout layout) const {
  return std::make_unique<group_table>(memory_, ops::bits_bytes(params_), params_.state_bytes,
                                       params_.state_align, params_.initial.get(),
                                       static_cast<std::size_t>(expected), owner_, layout);
}

group_table& group_tables::filled_leaf(std::size_t partition) {
  auto& table = leaf(partition);
  if (table == nullptr) {
    double expected = groups_each_;
    for (const auto& level : levels_)
      if (level[partition] != nullptr)
        expected = std::max(expected, static_cast<double>(level[partition]->size()));
    table = make(expected, {.sparse = false, .partition_bits = partition_bits_});
  }
  return *table;
}

void group_tables::merge(table_ptr& into, group_table& from, group_table::merged afterwards) const {
  // A group that is new to a level is merged, as one that isn't: so bits don't depend on which
  // other groups its partition has.
  if (into == nullptr)
    into = make(static_cast<double>(from.size()),
                {.sparse = false, .partition_bits = partition_bits_});
  into->merge(from, params_.merge, afterwards);
}

void group_tables::refill(std::size_t partition) {
  auto& table = leaf(partition);
  const std::size_t before = refilled_[partition], now = table->size();
  // Where each leaf has groups of its own, as in sorted rows, they would gather here.
  if (before != 0 && now - before > before / 4) {
    table.reset();
    refilled_[partition] = 0;
  } else {
    refilled_[partition] = now;
  }
}

group_tables::steps group_tables::complete_leaf(std::int64_t number) {
  steps all;
  tree_.add(number, [&](int from, int to, bool first) { all.push_back({from, to, first}); });
  while (levels_.size() <= static_cast<std::size_t>(tree_.levels()))
    levels_.emplace_back(partitions());
  return all;
}

void group_tables::take(std::size_t partition, const steps& all, afterwards leaf) {
  for (const auto& s : all) {
    auto& from = levels_[place_of(s.from)][partition];
    auto& to = levels_[place_of(s.to)][partition];
    const bool refills = s.from == leaf_tree::leaf && leaf == afterwards::refills;
    if (from == nullptr || (s.first && !refills)) {
      if (s.first) to = std::move(from);
      continue;
    }
    if (s.first) {
      to = from->copy();
      from->reset_states();
    } else {
      merge(to, *from, refills ? group_table::merged::reset : group_table::merged::kept);
    }
    if (refills)
      refill(partition);
    else
      from.reset();
  }
}

group_tables::steps group_tables::finish() {
  steps all;
  result_ = place_of(
      tree_.finish([&](int from, int to, bool first) { all.push_back({from, to, first}); }));
  return all;
}

group_table& group_tables::filled(std::size_t partition, std::size_t level) {
  auto& table = levels_[level][partition];
  if (table == nullptr)
    table = make(groups_each_, {.sparse = false, .partition_bits = partition_bits_});
  return *table;
}

void group_tables::clear(std::size_t partition) {
  for (auto& level : levels_) level[partition].reset();
  refilled_[partition] = 0;
}

std::size_t group_tables::groups(std::size_t partition) const {
  std::size_t all = 0;
  for_each_level(partition, [&](std::size_t, const group_table& table) { all += table.size(); });
  return all;
}

std::size_t group_tables::bytes(std::size_t partition) const {
  std::size_t all = 0;
  for_each_level(partition, [&](std::size_t, const group_table& table) { all += table.bytes(); });
  return all;
}

std::size_t group_tables::bytes() const {
  std::size_t all = 0;
  for (std::size_t partition = 0; partition < partitions(); ++partition) all += bytes(partition);
  return all;
}

std::size_t group_tables::leaf_bytes() const {
  constexpr double least = 128;  // groups of the smallest table
  return static_cast<std::size_t>(std::max(2 * groups_each_, least) * group_bytes());
}

double group_tables::group_bytes() const {
  return 2 * static_cast<double>(ops::slot_bytes(params_));
}

double group_tables::missing_bytes() const {
  double held = 0, groups = groups_each_ * static_cast<double>(partitions());
  for (const auto& level : levels_) {
    double found = 0;
    for (const auto& table : level)
      if (table != nullptr) {
        held += static_cast<double>(table->bytes());
        found += static_cast<double>(table->size());
      }
    groups = std::max(groups, found);
  }
  // A table that has just grown is a quarter full. Another level may come into use.
  const auto levels = static_cast<double>(levels_.size() + 1);
  return std::max(levels * groups * 2 * group_bytes() - held, 0.0);
}

const group_table* group_tables::largest() const {
  const group_table* found = nullptr;
  for (const auto& level : levels_)
    for (const auto& table : level)
      if (table != nullptr && (found == nullptr || table->size() > found->size()))
        found = table.get();
  return found;
}

std::vector<group_tables::table_ptr> group_tables::split(const detail::workers& team,
                                                         const group_table& from,
                                                         std::size_t count) const {
  std::vector<table_ptr> to(count);
  std::size_t moved = 0;
  from.for_each([&](const std::byte* key, const std::byte* state) {
    if (moved++ % stretch_rows == 0) stop_if_cancelled(team);
    const auto number = with_key_type(from.key_bytes(), [&](auto type) {
      return detail::spread_hash::product(load<decltype(type)>(key)) >> (64 - partition_bits_);
    });
    if (to[number] == nullptr)
      to[number] = make(groups_each_, {.sparse = false, .partition_bits = partition_bits_});
    std::byte* place;
    to[number]->find_or_insert(key, 1, &place);
    std::memcpy(place, state, params_.state_bytes);
  });
  return to;
}

void group_tables::split(detail::workers& team, unsigned bits, double groups) {
  const std::size_t count = std::size_t{1} << bits;
  partition_bits_ = bits;
  refilled_.assign(count, 0);
  groups_each_ = groups / static_cast<double>(count);
  detail::parallel_chunks(team, levels_.size(), [&](std::size_t item, unsigned) {
    auto& level = levels_[item];
    const table_ptr whole = std::move(level.front());
    level = whole == nullptr ? std::vector<table_ptr>(count) : split(team, *whole, count);
  });
}

}  // namespace pappus::cpu_ops
