// Groups of an unknown domain: states in hash tables.
//
// Few groups: leaves of rows have tables of their own, which workers fill at the same time. Many
// groups: rows are partitioned by hash and each partition is folded in row order, leaf by leaf.
// Tables of partitions fit a core's L2 half full. Where leaves are cut, and which are merged with
// which, algorithms/group_leaves.h and leaf_tree.h say; the way can change with any row, for it
// changes no bit. What leaves found tells: many groups once are many for good.
//
// Where rows may go to a disk, tables have a share of the memory. Leaves whose tables would get
// larger end that way early; partitions that have no room rest with their rows (rested_groups.h),
// and groups are put in order piece by piece (ordered_groups.h). While there is room for the
// strings of all rows that come next, loops code them as they go; then only as many more get codes
// as have room, and others are late (late_groups.h).
#include "cpu_ops/group_hash.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>

#include "algorithms/rows_in.h"
#include "algorithms/stretches.h"
#include "base/memory_scale.h"
#include "pappus/detail/base/integers.h"

namespace pappus::cpu_ops {
namespace {

constexpr std::int64_t most_leaves = 64;              // at once, that have tables of their own
constexpr std::size_t leaf_table_bytes = 256u << 10;  // of one of them, about, where it isn't known
constexpr std::size_t part_table_bytes = 512u << 10;  // half of a core's L2
constexpr std::size_t piece_bytes = 32u << 10;        // of what a partition leaves to the disk
constexpr std::size_t part_strings = 128;             // that the smallest table has room for
constexpr std::size_t few_slots = 64u << 10;          // bytes, for each byte of a row's value

/// Bringing a row to its partition costs more the larger its value is; a table beyond a core's L2,
/// two to four times as large as its groups' slots, costs less than that for long.
std::int64_t few_groups(const group_params& params) {
  constexpr std::size_t most = 16;
  if (params.strings) return algorithms::unknown_key_leaves::few_groups();
  const std::size_t slots = few_slots * std::min(params.payload_bytes, most);
  return std::max(algorithms::unknown_key_leaves::few_groups(),
                  static_cast<std::int64_t>(base::scaled(slots) / slot_bytes(params)));
}

}  // namespace

hash_run::hash_run(run_context& context)
    : params_(context.node.as<group_params>()),
      leaves_(params_.expected, few_groups(params_)),
      tables_(params_, context.memory, context.owner),
      rested_(params_, tables_),
      owners_(context.node.out) {
  if (params_.strings) texts_ = names_of_keys<coded_texts>(context, params_);
}

/// A part of what is there is for tables, the rest for rows on their way to them and to the disk.
void hash_run::share_memory(run_context& context) {
  if (context.store == nullptr || !context.store->spills()) return;
  if (params_.strings) return share_memory_of_texts(context);
  share_.held = tables_.bytes();
  bytes_ = share_.held + context.store->available();
  share_.limit = bytes_ / (partitioned_ ? 3 : 5);  // tables are there twice while they are split
}

/// Of keys that are strings as many get codes as have room, with what tables then take and with
/// what writing them takes.
void hash_run::share_memory_of_texts(run_context& context) {
  if (late_ || !ops::groups_may_rest(params_)) return;
  bytes_ = tables_.bytes() + context.store->available();
  const double levels = params_.exact ? 2 : 5,  // of tables, that may just have grown
      seen = 3 * sizeof(std::string_view),      // what finds those that have a code
      writing = 3 * sizeof(bits128) + 4 * sizeof(std::byte*) + sizeof(std::string_view);
  strings_max_ = static_cast<std::size_t>(static_cast<double>(bytes_ / 5) /
                                          (2 * levels * tables_.group_bytes() + seen + writing));
  late_ = std::make_unique<late_groups>(context, params_, bytes_ / 4);
}

/// Of so many rows as many as can be taken next. While there is room for the keys of all of them,
/// were they different, nothing needs to be found out of each.
std::int64_t hash_run::rows_of_texts(std::int64_t rows) {
  if (!late_) return rows;
  if (!texts_->limited()) {
    constexpr double grown = 4;  // times a group: tables are half full, and there twice meanwhile
    const auto longer = static_cast<double>(texts_->size()),
               text = longer == 0 ? 64 : 2 * static_cast<double>(texts_->bytes()) / longer;
    const double left =
        static_cast<double>(bytes_ / 5) - static_cast<double>(tables_.bytes() + texts_->bytes());
    std::size_t groups = 0;  // those of several levels may be the same
    for (std::size_t partition = 0; partition < tables_.partitions(); ++partition)
      groups += tables_.groups(partition);
    const double keys = static_cast<double>(strings_max_ - std::min(groups, strings_max_));
    const auto room = static_cast<std::int64_t>(
        std::min(std::max(left, 0.0) / (grown * tables_.group_bytes() + text), keys));
    const auto least = base::scaled<std::int64_t>(65536);
    // How long texts are isn't known at first.
    if (room >= std::min(rows, least))
      return std::min({rows, room, rows_taken_ == 0 ? least : rows});
    limit_texts();
  }
  return std::min(rows, late_->rows_at_once());
}

void hash_run::limit_texts() {
  texts_->limit(strings_max_, bytes_ / 5, [&](auto&& use) {
    for (std::size_t partition = 0; partition < tables_.partitions(); ++partition)
      tables_.for_each_level(partition, [&](std::size_t, const group_table& table) {
        table.for_each([&](const std::byte* key, const std::byte*) { use(load<bits128>(key)); });
      });
  });
}

/// Longer texts are numbered faster a batch at a time.
void hash_run::note_longer_texts(std::int64_t rows) {
  const auto longer = texts_->rows_longer();
  in_batches_ = longer - std::exchange(rows_longer_, longer) > rows / 8;
  rows_taken_ += rows;
}

string_keys hash_run::strings_of(std::size_t item, std::int64_t leaf) {
  if (!texts_) return {};
  const bool may_be_late = texts_->limited();
  return {.codes = texts_.get(),
          .late = may_be_late ? &late_->of(item, leaf) : nullptr,
          .in_batches = may_be_late || in_batches_};
}

/// How many groups the first rows have mustn't depend on memory where results depend on leaves.
bool hash_run::may_glance() const { return !texts_ || (params_.exact && !texts_->limited()); }

void hash_run::take(run_context& context) {
  share_memory(context);
  if (leaves_.many() && !partitioned_) change_to_partitions(context);
  const std::int64_t end = context.first_row + context.rows;
  for (std::int64_t row = context.first_row; row < end;) {
    std::int64_t stop = std::min(end, leaves_.known_end());
    const bool glances = may_glance() && row < leaves_.glanced_rows();
    if (glances) stop = std::min(stop, leaves_.glanced_rows());
    if (texts_) stop = row + rows_of_texts(stop - row);
    if (partitioned_)
      take_partitioned(context, row, stop);
    else
      stop = take_leaves(context, row, stop);
    if (full_ && !partitioned_) change_to_partitions(context);
    if (glances && may_glance() && stop == leaves_.glanced_rows()) glance(context);
    if (texts_) note_longer_texts(stop - row);
    learn(context, stop);
    row = stop;
  }
  if (texts_) texts_->drop_old_tables();
}

/// What the leaves before a row found tells how those behind it are cut, and taken.
void hash_run::learn(run_context& context, std::int64_t row) {
  if (found_leaves_ == 0 || (partitioned_ && row < leaves_.known_end())) return;
  if (row < leaves_.known_end() && leaves_.known_end() < std::numeric_limits<std::int64_t>::max())
    return;
  if (rested_.any()) settle(context);
  if (late_ && leaves_.known_end() < std::numeric_limits<std::int64_t>::max())
    found_groups_ += late_->groups_of_leaves(context, learned_leaves_);
  learned_leaves_ += found_leaves_;
  leaves_.learn(found_leaves_, found_groups_);
  found_leaves_ = found_groups_ = 0;
  if (leaves_.many() && !partitioned_)
    change_to_partitions(context);
  else if (!partitioned_)
    choose_seed();
}

/// Rows [begin, end) of the window, which belong to one leaf. Returns where it stops, because the
/// table would get too large: the number of a row of the stage, or of the first behind them.
std::int64_t hash_run::fill_leaf(const run_context& context, std::int64_t begin, std::int64_t end,
                                 string_keys strings, group_table& table) {
  struct too_large {
    std::int64_t row;
  };
  const auto take = [&](const std::byte* keys, const std::byte* values, std::size_t n) {
    const std::size_t before = table.bytes();
    add_rows(params_, table, keys, values, n);
    if (table.bytes() != before) share_.held += table.bytes() - before;
  };
  if (strings.in_batches) {
    feed_in_order(context, params_, strings, begin, end, take);
    return context.first_row + end;
  }
  const auto coder = coder_of(params_, strings);
  const auto take_block = [&](const detail::block_args& args) {
    const std::size_t before = table.bytes();
    if (table.room() < static_cast<std::size_t>(args.rows) && !share_.has(2 * before))
      throw too_large{args.row};
    auto slots = table.slots();
    slots.texts = coder.get();
    params_.direct_hash(context.node.stage.element.get(), args, slots);
    if (table.bytes() != before) share_.held += table.bytes() - before;
  };
  try {
    feed_block_by_block(context, params_, strings, {begin, end}, take, take_block);
  } catch (const too_large& stopped) {
    return stopped.row;
  }
  return context.first_row + end;
}

/// So many leaves that there is room for their tables; not many more than workers, for what these
/// find may tell that others are better partitioned.
std::int64_t hash_run::leaves_at_once(const run_context& context) const {
  const auto* largest = tables_.largest();
  const std::size_t each =
      std::max(largest == nullptr ? 0 : largest->bytes(), base::scaled(leaf_table_bytes));
  const std::size_t room = bytes_ > 0 ? bytes_ / 5 : base::scaled(ops::group_leaf_tables_bytes);
  const auto workers = static_cast<std::int64_t>(context.team.count());
  const auto wanted = std::clamp<std::int64_t>(4 * workers, 8, most_leaves);
  return std::max(std::min(static_cast<std::int64_t>(room / each), wanted), workers);
}

/// Rows [begin, end), numbered over the whole stage, or as many as make some leaves; returns where
/// they end.
std::int64_t hash_run::take_leaves(run_context& context, std::int64_t begin, std::int64_t end) {
  std::vector<group_leaf> leaves;
  const auto* largest = tables_.largest();
  const std::int64_t at_once = leaves_at_once(context);
  for (std::int64_t row = begin; row < end && static_cast<std::int64_t>(leaves.size()) < at_once;
       row = leaves.back().end)
    leaves.push_back(leaves_.at(row));
  end = std::min(end, leaves.back().end);
  std::vector<table_ptr> found(leaves.size());
  std::vector<std::int64_t> stops(leaves.size());
  // Room for what earlier leaves had saves growing.
  const double expected =
      largest == nullptr
          ? 0
          : static_cast<double>(std::min<std::size_t>(largest->size(), leaves_.few()));
  detail::parallel_chunks(context.team, leaves.size(), [&](std::size_t item, unsigned) {
    auto& table = found[item];
    table = item == 0 && under_way_ ? std::move(tables_.leaf(0))
                                    : tables_.make(expected, {true, seed_});
    const std::int64_t first = std::max(leaves[item].begin, begin) - context.first_row;
    const std::int64_t last = std::min(leaves[item].end, end) - context.first_row;
    stops[item] = fill_leaf(context, first, last, strings_of(item, leaves[item].number), *table);
  });
  stop_if_cancelled(context.team);
  if (late_) late_->gather(context, end - begin);
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    last_ = leaves[i];
    tables_.leaf(0) = std::move(found[i]);
    full_ = stops[i] < std::min(last_.end, end);
    if (full_) end = stops[i];  // the rows of leaves behind it are taken again
    under_way_ = last_.end > end;
    if (under_way_) break;
    ++found_leaves_;
    found_groups_ += static_cast<std::int64_t>(tables_.leaf(0)->size());
    tables_.take(0, tables_.complete_leaf(last_.number), group_tables::afterwards::moves);
  }
  share_.held = tables_.bytes();
  full_ |= bytes_ > 0 && share_.held > share_.limit;
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
  const double parts = 4 * groups * slot / static_cast<double>(base::scaled(part_table_bytes));
  auto bits =
      static_cast<unsigned>(std::clamp(std::ceil(std::log2(std::max(parts, 1.0))), 6.0, 9.0));
  while (bytes_ > 0 && bits > 4 && bytes_ / 4 >> bits < base::scaled(piece_bytes)) --bits;
  while (late_ && bits > 2 && strings_max_ >> bits < part_strings) --bits;
  partition_ = partition_function::by_spread(bits);
  // The estimate may be far off: tables begin no larger than this input, or a moderate one, could
  // fill.
  double expected = std::min({groups, 4e6, static_cast<double>(context.rows)});
  if (bytes_ > 0)
    expected = std::min(expected, static_cast<double>(bytes_) / (12 * tables_.group_bytes()));
  if (late_) expected = std::min(expected, static_cast<double>(strings_max_));
  tables_.split(context.team, bits, expected);
  share_memory(context);
  if (!params_.exact) return;
  if (under_way_)
    leaves_.end_with(last_.number, last_.begin);
  else
    leaves_.end_with(last_.number + 1, last_.end);
}

/// Rows [begin, end), numbered over the whole stage.
void hash_run::take_partitioned(run_context& context, std::int64_t begin, std::int64_t end) {
  std::size_t store_bytes = wanted_store_bytes(
      context.memory, leaves_.groups() * tables_.group_bytes(), tables_.missing_bytes());
  if (bytes_ > 0)  // without tables there is more room for rows
    store_bytes = std::min(store_bytes, bytes_ / (went_ == tables_.partitions() ? 4 : 8));
  for_each_partitioned(
      context, params_,
      [this](unsigned range, std::int64_t leaf) { return strings_of(range, leaf); }, begin, end,
      [this](std::int64_t row) { return leaves_.at(row); },
      static_cast<unsigned>(tables_.partitions()), partition_,
      [&](const block_partition& store, const group_ranges& ranges) {
        take_store(context, store, ranges);
      },
      store_bytes);
}

void hash_run::take_store(run_context& context, const block_partition& store,
                          const group_ranges& ranges) {
  if (late_) late_->gather(context, ranges.borders.back() - ranges.borders.front());
  std::vector<group_tables::steps> ends;
  for (const auto& part : ranges.parts) {
    last_ = part.leaf;
    under_way_ = !part.ends;
    found_leaves_ += part.ends ? 1 : 0;
    ends.push_back(part.ends ? tables_.complete_leaf(part.leaf.number) : group_tables::steps());
  }
  choose_afterwards();
  std::atomic<std::int64_t> groups{0};
  std::vector<rested_groups::place> begin(tables_.partitions());  // of rows that aren't folded
  std::vector<std::size_t> left;                                  // partitions that have such rows
  for (std::size_t partition = 0; partition < tables_.partitions(); ++partition)
    if (!rested_.rests(partition)) left.push_back(partition);
  while (!left.empty()) {
    std::vector<char> full(left.size());
    detail::parallel_chunks(context.team, left.size(), [&](std::size_t item, unsigned) {
      std::int64_t found = 0;
      full[item] =
          !fold_partition(context, store, ranges, ends, left[item], begin[left[item]], found);
      groups += found;
    });
    stop_if_cancelled(context.team);
    for (std::size_t i = left.size(); i-- > 0;)
      if (!full[i]) left.erase(left.begin() + static_cast<std::ptrdiff_t>(i));
    if (!left.empty()) let_rest(context, left);
  }
  found_groups_ += groups;
  if (rested_.any()) rested_.take_rows(context, store, ranges, ends, begin);
}

/// Groups that a leaf's table only has from the one before mustn't be counted, and take memory.
void hash_run::choose_afterwards() {
  const bool counted = leaves_.known_end() < std::numeric_limits<std::int64_t>::max();
  const auto missing = static_cast<std::size_t>(tables_.missing_bytes());
  afterwards_ = counted || rested_.any() || !share_.has(share_.held + missing)
                    ? group_tables::afterwards::moves
                    : group_tables::afterwards::refills;
}

/// What one partition gets of a store, from `begin` on. False: its tables would get too large, and
/// it hasn't taken the rows from `begin` on, nor ends of leaves from there on.
bool hash_run::fold_partition(const run_context& context, const block_partition& store,
                              const group_ranges& ranges,
                              const std::vector<group_tables::steps>& ends, std::size_t partition,
                              rested_groups::place& begin, std::int64_t& groups) {
  if (tables_.leaf(partition) != nullptr) tables_.leaf(partition)->fetch();
  for (; begin.part < ranges.parts.size(); begin = {begin.part + 1, 0}) {
    const auto& part = ranges.parts[begin.part];
    std::size_t skip = begin.rows;
    bool full = false;
    store.for_each(static_cast<unsigned>(partition), part.first, part.last,
                   [&](const block_partition::rows& rows) {
                     if (full || context.team.stopping()) return;
                     const std::size_t first =
                         std::min(std::exchange(skip, skip - std::min(skip, rows.n)), rows.n);
                     if (first == rows.n) return;
                     if (tables_.leaf(partition) == nullptr) {
                       full = !share_.has(tables_.leaf_bytes());
                       if (full) return;
                       share_.held += tables_.filled_leaf(partition).bytes();
                     }
                     const std::size_t n = fold_rows(
                         params_, *tables_.leaf(partition), rows.keys + first * bits_bytes(params_),
                         rows.payload + first * params_.payload_bytes, rows.n - first, share_);
                     begin.rows += n;
                     full = n < rows.n - first;
                   });
    const std::size_t bytes = tables_.bytes(partition);
    if (full || (part.ends && !share_.has(2 * bytes))) return false;
    if (!part.ends) continue;
    if (tables_.leaf(partition) != nullptr)
      groups += static_cast<std::int64_t>(tables_.leaf(partition)->size());
    tables_.take(partition, ends[begin.part], afterwards_);
    share_.held += tables_.bytes(partition) - bytes;
  }
  return true;
}

std::unique_ptr<group_run> make_hash_group_run(run_context& context) {
  return std::make_unique<hash_run>(context);
}

}  // namespace pappus::cpu_ops
