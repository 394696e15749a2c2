// Merges the groups of leaves.
//
// Problem: tens or thousands of leaves with up to a million groups each must become one ordered
// list in less time than devices take for the leaves, with sums that depend on the leaves alone,
// and without holding all of them at once.
//
// Idea: leaves are merged as they come: two neighbours as soon as both are there, two such pairs,
// and so on, a tree whose shape the number of leaves decides. At most one list a level waits for
// its neighbour. A merge is cut by keys into pieces for all workers; a first pass counts what comes
// out of each, so that a second one can write it where it belongs, or, if nothing but known keys
// came, merge states where they are. That is the usual case when there are few groups.
//
// Alternatives: one merge of all lists at the end holds them all, and takes a heap's unpredictable
// comparison for each group; a hash table has a miss for each and must be sorted.
#include "device_ops/operators/group_merge.h"
#include "pappus/detail/base/integers.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "algorithms/key_bits.h"
#include "algorithms/rows_in.h"

namespace pappus::device_ops {
namespace {

using detail::group_params;

constexpr std::int64_t piece_groups = 32768;  // per work item, at least
constexpr std::size_t emitted_groups = 4096;  // at once

void copy_states(std::byte* to, const std::byte* from, std::size_t bytes) {
  if (bytes == 8)
    std::memcpy(to, from, 8);
  else if (bytes == 16)
    std::memcpy(to, from, 16);
  else
    std::memcpy(to, from, bytes);
}

/// Groups [first_begin, first_end) of the first list and those of the second with keys in the same
/// range.
struct piece {
  std::int64_t first_begin = 0, first_end = 0, second_begin = 0, second_end = 0;
  std::int64_t out = 0, n = 0;  // where the merged ones go, and how many
};

/// One merge of two lists. `second` comes later in row order.
template <typename Key>
class merge_of_two {
 public:
  merge_of_two(const group_params& params, stage_run& run, sorted_groups first,
               sorted_groups second)
      : params_(params), run_(run), first_(std::move(first)), second_(std::move(second)) {}

  sorted_groups result() {
    if (second_.n == 0) return std::move(first_);
    if (first_.n == 0) return std::move(second_);
    cut();
    for_pieces([&](piece& p) { p.n = count(p); });
    std::int64_t total = 0;
    for (auto& p : pieces_) {
      p.out = total;
      total += p.n;
    }
    if (total == first_.n) {
      for_pieces([&](const piece& p) { merge_into_first(p); });
      return std::move(first_);
    }
    sorted_groups out{total, buffer(total, sizeof(Key)), buffer(total, params_.state_bytes)};
    for_pieces([&](const piece& p) { write(p, out); });
    return out;
  }

 private:
  detail::buffer buffer(std::int64_t n, std::size_t bytes) const {
    return {*run_.host_memory, static_cast<std::size_t>(n) * bytes, run_.owner};
  }
  static const Key* keys(const sorted_groups& groups) { return groups.keys.as<const Key>(); }
  std::byte* state(const sorted_groups& groups, std::int64_t i) const {
    return groups.states.data() + static_cast<std::size_t>(i) * params_.state_bytes;
  }
  template <typename F>
  void for_pieces(F&& f) {
    detail::parallel_chunks(run_.team, pieces_.size(),
                            [&](std::size_t item, unsigned) { f(pieces_[item]); });
  }

  /// Evenly in the longer list.
  void cut() {
    const bool by_first = first_.n >= second_.n;
    const auto& longer = by_first ? first_ : second_;
    const auto& shorter = by_first ? second_ : first_;
    const auto count = std::clamp<std::int64_t>(longer.n / piece_groups, 1,
                                                static_cast<std::int64_t>(run_.team.count()) * 4);
    std::int64_t long_at = 0, short_at = 0;
    for (std::int64_t i = 1; i <= count; ++i) {
      const std::int64_t long_end = longer.n * i / count;
      std::int64_t short_end = shorter.n;
      if (i < count)
        short_end = std::lower_bound(keys(shorter) + short_at, keys(shorter) + shorter.n,
                                     keys(longer)[long_end]) -
                    keys(shorter);
      if (by_first)
        pieces_.push_back({long_at, long_end, short_at, short_end});
      else
        pieces_.push_back({short_at, short_end, long_at, long_end});
      long_at = long_end;
      short_at = short_end;
    }
  }

  std::int64_t count(const piece& p) const {
    const Key *a = keys(first_), *b = keys(second_);
    std::int64_t i = p.first_begin, j = p.second_begin, common = 0;
    while (i < p.first_end && j < p.second_end) {
      const Key x = a[i], y = b[j];
      common += x == y;
      i += x <= y;
      j += y <= x;
    }
    return p.first_end - p.first_begin + p.second_end - p.second_begin - common;
  }

  void merge_into_first(const piece& p) const {
    const Key *a = keys(first_), *b = keys(second_);
    std::int64_t i = p.first_begin;
    for (std::int64_t j = p.second_begin; j < p.second_end;) {
      while (a[i] != b[j]) ++i;
      std::int64_t n = 1;  // neighbours here are mostly neighbours there
      while (j + n < p.second_end && a[i + n] == b[j + n]) ++n;
      params_.merge.states(state(first_, i), state(second_, j), static_cast<std::size_t>(n));
      i += n;
      j += n;
    }
  }

  void write(const piece& p, sorted_groups& out) const {
    const Key *a = keys(first_), *b = keys(second_);
    const std::size_t bytes = params_.state_bytes;
    auto* key = out.keys.template as<Key>() + p.out;
    std::byte* to = state(out, p.out);
    std::int64_t i = p.first_begin, j = p.second_begin;
    for (; i < p.first_end && j < p.second_end; to += bytes) {
      const Key x = a[i], y = b[j];
      *key++ = std::min(x, y);
      copy_states(to, x <= y ? state(first_, i) : state(second_, j), bytes);
      if (x == y) params_.merge.states(to, state(second_, j), 1);
      i += x <= y;
      j += y <= x;
    }
    for (const auto& [from, at, end] :
         {std::tuple{&first_, i, p.first_end}, std::tuple{&second_, j, p.second_end}}) {
      const auto n = static_cast<std::size_t>(end - at);
      if (n == 0) continue;
      std::memcpy(key, keys(*from) + at, n * sizeof(Key));
      std::memcpy(to, state(*from, at), n * bytes);
    }
  }

  const group_params& params_;
  stage_run& run_;
  sorted_groups first_, second_;
  std::vector<piece> pieces_;
};

/// Writes the records of all groups of a domain, or of those that there are.
template <typename Key>
void write_records(stage_run& run, const group_params& params, const sorted_groups& groups,
                   detail::row_set& output) {
  const auto* const keys = groups.keys.as<const Key>();
  const bool domain = params.domain >= 0;
  const auto n = static_cast<std::size_t>(domain ? params.domain : groups.n);
  detail::buffer rows(*run.host_memory, n * run.node.out.size, run.owner);
  const std::size_t items = detail::ceil_div(n, emitted_groups);
  detail::parallel_chunks(run.team, items, [&](std::size_t item, unsigned) {
    const std::size_t first = item * emitted_groups, count = std::min(emitted_groups, n - first);
    Key own[emitted_groups];
    const std::byte* states[emitted_groups];
    std::int64_t at = static_cast<std::int64_t>(first);
    if (domain) at = std::lower_bound(keys, keys + groups.n, static_cast<Key>(first)) - keys;
    for (std::size_t i = 0; i < count; ++i) {
      own[i] = domain ? static_cast<Key>(first + i) : keys[at];
      const bool there = at < groups.n && keys[at] == own[i];
      states[i] = there ? groups.states.data() + static_cast<std::size_t>(at) * params.state_bytes
                        : params.initial.get();
      at += there ? 1 : 0;
    }
    params.emit(reinterpret_cast<const std::byte*>(own), states, count,
                rows.data() + first * run.node.out.size);
  });
  algorithms::append_buffer(output, std::move(rows), static_cast<std::int64_t>(n));
}

}  // namespace

table_merger::table_merger(stage_run& run)
    : run_(run),
      params_(run.node.as<group_params>()),
      total_(params_, *run.host_memory, run.owner) {}

void table_merger::add(std::int64_t leaf, sorted_groups groups) {
  detail::buffer table(*run_.host_memory, algorithms::group_table_bytes(params_), run_.owner);
  algorithms::fill_groups(params_, table.data(), static_cast<std::size_t>(params_.domain));
  for (std::int64_t i = 0; i < groups.n; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const std::uint64_t key = params_.key_bytes == 4 ? groups.keys.as<std::uint32_t>()[at]
                                                     : groups.keys.as<std::uint64_t>()[at];
    std::memcpy(table.data() + key * params_.state_bytes,
                groups.states.data() + at * params_.state_bytes, params_.state_bytes);
  }
  add_tables(leaf, std::move(table), 1);
}

void table_merger::add_tables(std::int64_t leaf, detail::buffer tables, std::int64_t n) {
  const std::lock_guard lock(mutex_);
  waiting_.insert_or_assign(leaf, piece{std::move(tables), n});
  for (auto next = waiting_.find(next_leaf_); next != waiting_.end();
       next = waiting_.find(next_leaf_)) {
    total_.add_leaves(run_.team, next_leaf_, next->second.tables.data(),
                      algorithms::group_table_bytes(params_), next->second.n);
    next_leaf_ += next->second.n;
    waiting_.erase(next);
  }
}

void table_merger::finish() {
  auto rows = empty_result(run_);
  total_.write(run_.team, *run_.host_memory, *rows, run_.owner);
  run_.host_rows = std::move(rows);
}

run_merger::run_merger(stage_run& run) : run_(run), params_(run.node.as<group_params>()) {}

sorted_groups run_merger::merged(sorted_groups first, sorted_groups second) const {
  if (params_.key_bytes == 4)
    return merge_of_two<std::uint32_t>(params_, run_, std::move(first), std::move(second)).result();
  return merge_of_two<std::uint64_t>(params_, run_, std::move(first), std::move(second)).result();
}

void run_merger::add(std::int64_t leaf, sorted_groups groups) {
  place at{0, leaf};
  while (true) {
    sorted_groups neighbour;
    {
      const std::lock_guard lock(mutex_);
      auto found = waiting_.extract({at.first, at.second ^ 1});
      if (found.empty()) {
        waiting_.emplace(at, std::move(groups));
        return;
      }
      neighbour = std::move(found.mapped());
    }
    groups = at.second % 2 == 1 ? merged(std::move(neighbour), std::move(groups))
                                : merged(std::move(groups), std::move(neighbour));
    at = {at.first + 1, at.second / 2};
  }
}

/// What waits are complete subtrees of falling size: the later ones are merged first.
sorted_groups run_merger::all() {
  sorted_groups later;
  for (auto& [at, groups] : waiting_) later = merged(std::move(groups), std::move(later));
  waiting_.clear();
  return later;
}

void run_merger::finish() {
  auto rows = empty_result(run_);
  const sorted_groups groups = all();
  if (params_.key_bytes == 4)
    write_records<std::uint32_t>(run_, params_, groups, *rows);
  else
    write_records<std::uint64_t>(run_, params_, groups, *rows);
  run_.host_rows = std::move(rows);
}

}  // namespace pappus::device_ops
