// How a grouped reduction of an unknown domain ends: partitions that rest come back, and groups are
// written in the order of their keys.
#include <algorithm>
#include <atomic>
#include <utility>

#include "algorithms/stretches.h"
#include "base/memory_scale.h"
#include "base/owned.h"
#include "base/text.h"
#include "cpu_ops/group_hash.h"
#include "cpu_ops/write_groups.h"

#include <fmt/format.h>

namespace pappus::cpu_ops {
namespace {

constexpr std::size_t little_bytes = 1u << 20;   // of a result that there is always room for
constexpr std::size_t sorting_bytes = 8u << 20;  // of radix, and what buffers are rounded up to

}  // namespace

/// Half of the partitions that are in memory go to the disk, of those that are full at most half,
/// too, so that the others may grow: all are about equally large.
void hash_run::let_rest(run_context& context, std::vector<std::size_t>& full) {
  std::vector<std::size_t> stay;
  for (std::size_t partition = 0; partition < tables_.partitions(); ++partition)
    if (!rested_.rests(partition) && !std::ranges::binary_search(full, partition))
      stay.push_back(partition);
  const std::size_t wanted = detail::ceil_div(stay.size() + full.size(), std::size_t{2});
  std::vector<std::size_t> go;
  for (; go.size() < wanted && !full.empty(); full.pop_back()) go.push_back(full.back());
  for (; go.size() < wanted; stay.pop_back()) go.push_back(stay.back());
  rested_.take_tables(context, go);
  went_ += go.size();
  share_.held = tables_.bytes();
}

/// Wakes keys of partitions, `each` of these by a worker. False: their tables have no room for
/// `bytes` a worker.
bool hash_run::wake_some(run_context& context, std::span<const std::size_t> some, std::size_t each,
                         rested_groups::key_part keys, std::size_t bytes) {
  std::atomic<bool> fit{true};
  std::atomic<std::int64_t> groups{0};
  detail::parallel_chunks(
      context.team, detail::ceil_div(some.size(), each), [&](std::size_t item, unsigned) {
        std::int64_t found = 0;
        const auto own = some.subspan(item * each, std::min(each, some.size() - item * each));
        if (!rested_.wake(context, own, keys, bytes, found)) fit = false;
        groups += found;
      });
  stop_if_cancelled(context.team);
  if (fit) found_groups_ += groups;
  return fit;
}

/// Wakes the keys of partitions in at least `count` parts. Returns in how many it did.
template <typename F>
std::size_t hash_run::wake_parts(run_context& context, std::span<const std::size_t> some,
                                 std::size_t count, std::size_t bytes, F&& awake) {
  constexpr std::size_t parts_max = 4096;
  rested_groups::key_part keys{0, count};
  while (keys.number < keys.count) {
    const bool last_try = keys.count >= parts_max;
    if (wake_some(context, some, 1, keys, last_try ? table_share::unlimited : bytes)) {
      awake(some);
      ++keys.number;
    } else {
      keys = {2 * keys.number, 2 * keys.count};
    }
    for (const auto partition : some) tables_.clear(partition);
  }
  parts_ = std::max(parts_, keys.count);
  return keys.count;
}

/// Wakes resting partitions, and calls awake(partitions) when tables of all or some of their keys
/// are there: of as many partitions as have room, for neighbours are read together.
template <typename F>
void hash_run::wake(run_context& context, F&& awake) {
  const auto& all = rested_.partitions();
  const std::size_t workers = context.team.count(), bytes = bytes_ / 5 * 2 / workers;
  std::size_t each = 1, each_max = 16;  // of a worker
  std::size_t parts = 1;                // of a partition's keys: all are about equally large
  for (std::size_t first = 0; first < all.size();) {
    const auto some = std::span(all).subspan(first, std::min(workers * each, all.size() - first));
    const bool fit = parts == 1 && wake_some(context, some, each, {}, bytes);
    std::size_t largest = 1;
    for (const auto partition : some) largest = std::max(largest, tables_.bytes(partition));
    if (fit) awake(some);
    for (const auto partition : some) tables_.clear(partition);
    if (!fit && each > 1) {
      each = each_max = each / 2;
      continue;
    }
    if (!fit)
      parts = wake_parts(context, some, std::max<std::size_t>(parts, 2), bytes, awake) / 2;
    else  // while the last one grows it takes three times as much
      each = std::clamp<std::size_t>(bytes / largest / 2, 1, each_max);
    first += some.size();
  }
}

std::int64_t hash_run::groups_of_leaf(std::size_t partition) {
  const auto& table = tables_.leaf(partition);
  return table == nullptr ? 0 : static_cast<std::int64_t>(table->size());
}

/// Folds what rests of all rows so far, for it must be known how many groups leaves have. Returns
/// how many the leaf under way has there.
std::int64_t hash_run::settle(run_context& context) {
  std::int64_t groups = 0;
  rested_groups after(params_, tables_);
  wake(context, [&](std::span<const std::size_t> some) {
    for (const auto partition : some) groups += groups_of_leaf(partition);
    after.take_tables(context, some);
  });
  rested_ = std::move(after);
  return groups;
}

void hash_run::glance(run_context& context) {
  std::int64_t groups = 0;
  for (std::size_t partition = 0; partition < tables_.partitions(); ++partition)
    groups += groups_of_leaf(partition);
  if (rested_.any()) groups += settle(context);
  leaves_.glance(groups);
}

void hash_run::take_steps(run_context& context, const group_tables::steps& all) {
  detail::parallel_chunks(context.team, tables_.partitions(), [&](std::size_t item, unsigned) {
    if (!rested_.rests(item)) tables_.take(item, all, group_tables::afterwards::moves);
  });
  rested_.take_steps(all);
}

void hash_run::finish(run_context& context) {
  if (under_way_) take_steps(context, tables_.complete_leaf(last_.number));
  take_steps(context, tables_.finish());
  owners_.keep_owners_of(*context.output);
  if (context.in_windows && ops::groups_may_rest(params_)) return;
  while (write_next(context)) continue;
}

void hash_run::yield(run_context& context) { write_next(context); }

/// Collects all groups, where they can't be written at once.
void hash_run::order(run_context& context) {
  bytes_ = tables_.bytes() + context.store->available();
  ordered_ = std::make_unique<ordered_groups>(context, params_, bytes_ / 4);
  const auto add = [&](std::span<const std::size_t> some) {
    std::vector<const group_table*> tables;
    for (const auto partition : some)
      if (const auto& table = tables_.result()[partition]) tables.push_back(table.get());
    ordered_->add(context, tables);
  };
  for (std::size_t partition = 0; partition < tables_.partitions(); ++partition) {
    if (rested_.rests(partition)) continue;
    add(std::span(&partition, 1));
    tables_.clear(partition);
  }
  wake(context, add);
  rested_ = rested_groups(params_, tables_);
}

/// Writes all groups, or the next ones in order; false: there are none left.
bool hash_run::write_next(run_context& context) {
  if (!std::exchange(written_, true)) {
    context.output->keep_owners_of(owners_);
    if (write_at_once(context)) return false;
  }
  if (merged_) {
    const bool more = merged_->next(context);
    if (!more)
      context.note =
          fmt::format("{} rows were late, for there was room for {} different keys: {}",
                      base::count_text(late_->rows()),
                      base::count_text(static_cast<std::int64_t>(texts_->size())), late_->about());
    return more;
  }
  if (ordered_ == nullptr) return false;
  const bool more = ordered_->next(context, *context.output);
  if (!more && went_ > 0) {
    context.note =
        fmt::format("{} of {} partitions rested on the disk", went_, tables_.partitions());
    if (parts_ > 1) context.note += fmt::format(", and came back in up to {} parts each", parts_);
  }
  return more;
}

/// False: they have no room, and come in order.
bool hash_run::write_at_once(run_context& context) {
  if (late_ && late_->rows() > 0) {
    merged_ = std::make_unique<merged_groups>(context, params_, *texts_, tables_.result(), *late_,
                                              std::max(bytes_ / 16, base::scaled(little_bytes)));
    return false;
  }
  std::size_t groups = 0;
  for (const auto& table : tables_.result()) groups += table == nullptr ? 0 : table->size();
  const std::size_t bytes = groups * (2 * (params_.key_bytes + 8) + context.node.out.size);
  if (bytes_ == 0 || params_.strings ||
      (!rested_.any() &&
       (bytes <= base::scaled(little_bytes) ||
        bytes / 4 * 5 + base::scaled(sorting_bytes) <= context.store->available()))) {
    if (texts_)
      write_groups_of_texts(context, params_, *texts_, tables_.result());
    else
      write_groups(context, params_, tables_.result(), groups);
    return true;
  }
  order(context);
  return false;
}

}  // namespace pappus::cpu_ops
