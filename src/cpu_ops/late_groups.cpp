#include "cpu_ops/late_groups.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "algorithms/alignment.h"
#include "algorithms/rows_in.h"
#include "algorithms/stretches.h"
#include "cpu_ops/sort_rows.h"
#include "pappus/detail/base/integers.h"

namespace pappus::cpu_ops {
namespace {

constexpr std::size_t folded_rows = 4096;  // of late rows that are folded by one worker

std::string_view key_of(const std::byte* row) {
  std::string_view key;
  std::memcpy(&key, row, sizeof key);
  return key;
}
std::int64_t leaf_of(const std::byte* row) {
  std::int64_t leaf;
  std::memcpy(&leaf, row + sizeof(std::string_view), sizeof leaf);
  return leaf;
}

std::string_view copied(std::string_view text, char* to) {
  std::ranges::copy(text, to);
  return {to, text.size()};
}

/// Late rows side by side, sorted by their keys.
struct sorted_view {
  const std::byte* rows;
  std::size_t n, size;

  const std::byte* row(std::size_t i) const { return rows + i * size; }
  bool begins_group(std::size_t i) const { return i == 0 || key_of(row(i)) != key_of(row(i - 1)); }
  /// The first group that begins at row i or behind it; n: none does.
  std::size_t next_group(std::size_t i) const {
    while (i < n && !begins_group(i)) ++i;
    return std::min(i, n);
  }
};

}  // namespace

leaf_fold::leaf_fold(const group_params& params, detail::memory_source& memory,
                     std::string_view owner)
    : params_(&params),
      stride_(detail::round_up(params.state_bytes, params.state_align)),
      values_at_(detail::round_up((algorithms::leaf_tree::levels_max + 1) * stride_,
                                  std::max(params.value_align, std::size_t{64}))),
      memory_(memory, values_at_ + batch * params.payload_bytes, owner) {}

std::byte* leaf_fold::state(int level) const {
  return memory_.data() + static_cast<std::size_t>(level + 1) * stride_;
}

void leaf_fold::accumulate(const std::byte* rows, std::size_t n) {
  std::array<std::byte*, batch> states;
  states.fill(state(algorithms::leaf_tree::leaf));
  const std::size_t bytes = params_->payload_bytes, at = late_value_at(*params_);
  std::byte* const values = memory_.data() + values_at_;
  for (std::size_t begin = 0; begin < n; begin += batch) {
    const std::size_t count = std::min(batch, n - begin);
    for (std::size_t i = 0; i < count && bytes > 0; ++i)
      std::memcpy(values + i * bytes, rows + (begin + i) * params_->late.size + at, bytes);
    params_->accumulate(values, states.data(), count);
  }
}

void leaf_fold::add(const std::byte* rows, std::size_t n) {
  const std::size_t size = params_->late.size;
  for (std::size_t begin = 0, end = 0; begin < n; begin = end) {
    const std::int64_t leaf = leaf_of(rows + begin * size);
    while (end < n && leaf_of(rows + end * size) == leaf) ++end;
    if (leaf != leaf_) {
      close_leaf();
      leaf_ = leaf;
      std::memcpy(state(algorithms::leaf_tree::leaf), params_->initial.get(), params_->state_bytes);
    }
    accumulate(rows + begin * size, end - begin);
  }
}

/// As tables do (group_tables.cpp): a group that the first of several leaves hasn't is merged into
/// the state of one without rows.
void leaf_fold::take_step(int from, int to, bool first) {
  if (first && tree_.is_first(from, leaf_)) {
    std::memcpy(state(to), state(from), params_->state_bytes);
    return;
  }
  if (first) std::memcpy(state(to), params_->initial.get(), params_->state_bytes);
  params_->merge.states(state(to), state(from), 1);
}

void leaf_fold::close_leaf() {
  if (leaf_ < 0) return;
  tree_.add(leaf_, [this](int from, int to, bool first) { take_step(from, to, first); });
}

void leaf_fold::finish(std::byte* to) {
  close_leaf();
  const int top =
      tree_.finish([this](int from, int to, bool first) { take_step(from, to, first); });
  std::memcpy(to, state(top), params_->state_bytes);
  leaf_ = -1;
}

late_groups::late_groups(const run_context& context, const group_params& params, std::size_t bytes)
    : params_(params),
      sort_(context, 0, params.late),
      text_stays_(key_text_stays(context, params)),
      bytes_(bytes),
      waiting_(params, context.memory, context.owner, text_stays_) {}
late_groups::~late_groups() = default;

late_rows& late_groups::of(std::size_t item, std::int64_t leaf) {
  const std::lock_guard hold(mutex_);
  while (items_.size() <= item) items_.push_back(waiting_.another());
  items_[item].set_leaf(leaf);
  return items_[item];
}

run_context late_groups::as_sort(const run_context& context) const {
  auto made = sort_.context_of(context);
  made.last_window = text_stays_;  // else a run has text of its own
  return made;
}

std::int64_t late_groups::rows_at_once() const noexcept {
  constexpr double least = 256, unknown = 1024;  // rows; bytes of a row, before one was late
  const double row = (row_bytes_ > 0 ? row_bytes_ : unknown) * yield_;
  return static_cast<std::int64_t>(std::max(static_cast<double>(bytes_ / 2) / row, least));
}

void late_groups::gather(run_context& context, std::int64_t rows) {
  double bytes = 0, late = 0, seen = 0;
  for (const auto& one : items_) {
    bytes += static_cast<double>(one.bytes());
    late += static_cast<double>(one.rows());
    seen += static_cast<double>(one.seen());
  }
  if (late > 0) row_bytes_ = std::max(row_bytes_, bytes / late);
  if (rows > 0) yield_ = std::max(yield_, seen / static_cast<double>(rows));
  for (auto& one : items_) {
    waiting_.append(std::move(one));
    if (waiting_.rows() * sort_.sorting_bytes() + waiting_.bytes() >= bytes_) close_run(context);
  }
}

void late_groups::close_run(run_context& context) {
  const std::size_t n = waiting_.rows();
  if (n == 0) return;
  detail::buffer records(context.memory, n * params_.late.size, context.owner);
  std::vector<detail::buffer> text;
  waiting_.move_to(records.data(), text);
  rows_ += static_cast<std::int64_t>(n);
  auto sort = as_sort(context);
  add_run(context, sort_records(sort, std::move(records), static_cast<std::int64_t>(n)),
          static_cast<std::int64_t>(n));
}

void late_groups::add_run(run_context& context, detail::buffer sorted, std::int64_t rows) {
  auto sort = as_sort(context);
  if (!runs_) runs_ = std::make_unique<sorted_runs>(sort, rows, !text_stays_);
  runs_->add(sort, std::move(sorted), rows);
  stop_if_cancelled(context.team);
}

std::int64_t late_groups::groups_of_leaves(run_context& context, std::int64_t first) {
  close_run(context);
  if (!runs_) return 0;
  const auto from = std::exchange(runs_, nullptr);
  std::int64_t found = 0, leaf = -1;
  std::string key;
  const std::size_t size = params_.late.size;
  auto sort = as_sort(context);
  for (;;) {
    detail::row_set range(sort_.record());
    if (!from->next(sort, range)) return found;
    const std::byte* row = range.data();
    for (std::int64_t i = 0; i < range.rows(); ++i, row += size) {
      const bool is_new = leaf_of(row) != leaf || key_of(row) != key;
      if (!is_new) continue;
      leaf = leaf_of(row);
      key = key_of(row);
      found += leaf >= first ? 1 : 0;
    }
    auto records = std::move(range.take_buffers().front());
    if (!runs_)
      add_run(context, std::move(records), range.rows());
    else
      runs_->extend(sort, std::move(records), range.rows());
  }
}

/// Puts the group that has ended now to a place of `to`, and its key's text.
void late_groups::put_open(text_groups& to, std::size_t at, char* text) {
  to.keys.as<std::string_view>()[at] = text_stays_ ? open_->view : copied(open_->key, text);
  open_->fold.finish(to.states.data() +
                     at * detail::round_up(params_.state_bytes, params_.state_align));
  open_.reset();
}

/// Puts all groups of sorted rows, and before these the open one, if there is one.
void late_groups::fold_range(run_context& context, const std::byte* rows, std::size_t n,
                             text_groups& to) {
  const sorted_view all{rows, n, params_.late.size};
  const std::size_t stride = detail::round_up(params_.state_bytes, params_.state_align);
  std::vector<item_groups> items(detail::ceil_div(n, folded_rows) + 1);
  const auto end_of = [&](std::size_t item) {
    return std::min((item + 1) * folded_rows, n);  // of where its groups may begin
  };
  detail::parallel_chunks(context.team, items.size() - 1, [&](std::size_t item, unsigned) {
    auto& own = items[item];
    own.begin = all.next_group(item * folded_rows);
    for (std::size_t i = own.begin; i < end_of(item); ++i) {
      if (i != own.begin && !all.begins_group(i)) continue;
      ++own.groups;
      own.text += key_of(all.row(i)).size();
    }
  });
  stop_if_cancelled(context.team);
  item_groups before{0, open_ ? 1u : 0u, open_ ? open_->key.size() : 0};
  for (auto& item : items) {
    item.groups = std::exchange(before.groups, before.groups + item.groups);
    item.text = std::exchange(before.text, before.text + item.text);
  }
  to.n = before.groups;
  to.keys = detail::buffer(context.memory, to.n * sizeof(std::string_view), context.owner);
  to.text = detail::buffer(context.memory, text_stays_ ? 0 : before.text, context.owner);
  to.states = detail::buffer(context.memory, to.n * stride, context.owner);
  if (open_) put_open(to, 0, to.text.as<char>());
  detail::parallel_chunks(context.team, items.size() - 1, [&](std::size_t item, unsigned) {
    leaf_fold fold(params_, context.memory, context.owner);
    std::size_t at = items[item].groups;
    char* text = text_stays_ ? nullptr : to.text.as<char>() + items[item].text;
    for (std::size_t i = items[item].begin, end = i; i < end_of(item); i = end, ++at) {
      if (context.team.stopping()) return;
      end = all.next_group(i + 1);
      const auto key = key_of(all.row(i));
      to.keys.as<std::string_view>()[at] = text_stays_ ? key : copied(key, text);
      if (!text_stays_) text += key.size();
      fold.add(all.row(i), end - i);
      fold.finish(to.states.data() + at * stride);
    }
  });
  stop_if_cancelled(context.team);
}

/// False: there are no more sorted rows.
bool late_groups::read_range(run_context& context) {
  auto sort = as_sort(context);
  range_.emplace(sort_.record());
  range_done_ = 0;
  if (runs_ && runs_->next(sort, *range_)) return true;
  range_.reset();
  return false;
}

bool late_groups::next(run_context& context, text_groups& found) {
  found = {};
  if (ended_) return false;
  close_run(context);
  const std::size_t group_bytes = params_.state_bytes + params_.state_align + 64,
                    rows_max = std::max<std::size_t>(bytes_ / 2 / group_bytes, 1024);
  while (found.n == 0) {
    if (!range_ && !read_range(context)) {
      ended_ = true;
      if (open_) fold_range(context, nullptr, 0, found);
      return found.n > 0;
    }
    const auto all_rows = static_cast<std::size_t>(range_->rows()) - range_done_;
    sorted_view all{range_->data() + range_done_ * params_.late.size, all_rows, params_.late.size};
    all.n = all.next_group(std::min(rows_max, all_rows));
    range_done_ += all.n;
    std::size_t begin = 0, last = all.n - 1;
    if (open_ && key_of(all.row(0)) == open_->key) {
      begin = all.next_group(1);
      open_->fold.add(all.rows, begin);
    }
    if (begin < all.n) {
      while (last > begin && !all.begins_group(last)) --last;
      fold_range(context, all.row(begin), last - begin, found);
      open_.emplace(std::string(key_of(all.row(last))), key_of(all.row(last)),
                    leaf_fold(params_, context.memory, context.owner));
      open_->fold.add(all.row(last), all.n - last);
    }
    if (range_done_ == static_cast<std::size_t>(range_->rows())) range_.reset();
  }
  return true;
}

}  // namespace pappus::cpu_ops
