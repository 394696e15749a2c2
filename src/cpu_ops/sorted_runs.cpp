#include "cpu_ops/sorted_runs.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "algorithms/rows_in.h"
#include "base/memory_scale.h"
#include "base/owned.h"
#include "cpu_ops/run_merge.h"

namespace pappus::cpu_ops {
namespace {

constexpr std::int64_t stretch_bytes_max = std::int64_t{4} << 10;  // from sample to sample

/// Neighbouring samples are so far apart that a range from two runs, at least, fits.
std::int64_t step_of(std::int64_t range_rows, std::int64_t record_bytes) {
  return std::clamp<std::int64_t>(base::scaled(stretch_bytes_max) / record_bytes, 1,
                                  std::max<std::int64_t>(range_rows / 8, 1));
}

}  // namespace

std::size_t sorted_run::text_bytes(std::int64_t begin, std::int64_t end) const {
  std::size_t bytes = 0;
  for (const auto& [records, first] : pieces) {
    const auto low = std::max(begin, first), high = std::min(end, first + records->rows());
    if (low < high) bytes += records->text_bytes(low - first, high - low);
  }
  return bytes;
}

std::size_t sorted_run::sample_bytes() const {
  std::size_t bytes = 0;
  for (const auto* all : {&keys, &text})
    for (const auto& one : *all) bytes += one.size();
  return bytes;
}

sorted_runs::sorted_runs(const run_context& context, std::int64_t run_rows, bool takes_text)
    : run_rows_(run_rows),
      takes_text_(takes_text && context.node.out.text == detail::text_in::views),
      owners_(context.node.out) {}
sorted_runs::~sorted_runs() = default;

std::int64_t sorted_runs::range_rows() const { return std::max(run_rows_ / 5 * 4, 8 * step_); }

/// Leaves samples out as long as all of them are more than a part of what is sorted at a time, and
/// ranges of all runs still fit.
void sorted_runs::thin(run_context& context) {
  constexpr std::size_t much = std::size_t{256} << 10;
  for (;;) {
    std::size_t bytes = 0;
    for (const auto& run : runs_) bytes += run.sample_bytes();
    if (bytes <= std::max(bytes_at_once_ / 2, base::scaled(much)) || 16 * step_ > range_rows())
      return;
    for (auto& run : runs_) thin_samples(context, run);
    step_ *= 2;
  }
}

/// Puts records at the end of a run, where they may rest.
void sorted_runs::rest(run_context& context, sorted_run& to, detail::buffer records,
                       std::int64_t rows) {
  auto set = std::make_shared<detail::row_set>(context.node.out);
  if (!takes_text_) set->keep_owners_of(owners_);
  append_buffer(*set, std::move(records), rows);
  const auto kept = takes_text_ ? context.store->keep_with_text(set, context.team, context.owner)
                                : context.store->keep(set);
  const auto text = kept->text_bytes(0, rows);
  const auto bytes = static_cast<std::size_t>(rows) * context.node.out.size + text;
  rows_at_once_ = std::max(rows_at_once_, rows);
  text_at_once_ = std::max(text_at_once_, text);
  bytes_at_once_ = std::max(bytes_at_once_, bytes);
  if (step_ == 0) step_ = step_of(range_rows(), static_cast<std::int64_t>(bytes) / rows);
  take_samples(context, to, set->data(), rows, step_);
  to.pieces.push_back({kept, to.rows});
  to.rows += rows;
}

void sorted_runs::expect_more(run_context& context) {
  if (only_rows_ == 0) return;
  rest(context, runs_.emplace_back(), std::move(only_), only_rows_);
  only_rows_ = 0;
  if (takes_text_) owners_ = detail::row_set(context.node.out);
}

void sorted_runs::add(run_context& context, detail::buffer sorted, std::int64_t rows) {
  // What right rows of a join point to goes with the window.
  const bool only_has_text = context.last_window && context.asked == nullptr;
  const bool is_only = made_++ == 0 && (!takes_text_ || only_has_text);
  if (is_only || !takes_text_) {
    owners_.keep_owners_of(*context.output);
    for (const auto& input : context.inputs) owners_.keep_text_of(*input);
  }
  if (is_only) {
    only_ = std::move(sorted);
    only_rows_ = rows;
  } else {
    expect_more(context);
    rest(context, runs_.emplace_back(), std::move(sorted), rows);
    // How much text comes with a row is better known with each window.
    if (takes_text_) run_rows_ = std::max(context.window_rows, rows_at_once_);
    thin(context);
  }
}

void sorted_runs::extend(run_context& context, detail::buffer sorted, std::int64_t rows) {
  expect_more(context);
  rest(context, runs_.back(), std::move(sorted), rows);
  thin(context);
}

std::unique_ptr<run_merge> sorted_runs::merge_of(run_context& context,
                                                 std::vector<sorted_run> runs) const {
  const auto samples = range_rows() / step_ - static_cast<std::int64_t>(runs.size());
  return std::make_unique<run_merge>(
      context, std::move(runs), step_,
      run_merge::range_limit{samples, std::max<std::size_t>(text_at_once_ / 5 * 4, 1)});
}

/// Makes fewer runs of all, each of neighbouring ones.
void sorted_runs::merge_some(run_context& context) {
  std::vector<sorted_run> merged;
  for (std::size_t begin = 0; begin < runs_.size(); begin += runs_max()) {
    const std::size_t end = std::min(begin + runs_max(), runs_.size());
    std::vector<sorted_run> some(std::make_move_iterator(runs_.begin() + begin),
                                 std::make_move_iterator(runs_.begin() + end));
    sorted_run& to = merged.emplace_back();
    if (some.size() == 1) {
      to = std::move(some.front());
      continue;
    }
    const auto merge = merge_of(context, std::move(some));
    for (sorted_rows found; merge->next(context, found);)
      rest(context, to, std::move(found.records), found.rows);
  }
  runs_ = std::move(merged);
}

bool sorted_runs::next(run_context& context, detail::row_set& to) {
  to.keep_owners_of(owners_);
  if (only_rows_ > 0) {
    yielded_ = only_rows_;
    append_buffer(to, std::move(only_), std::exchange(only_rows_, 0));
    return true;
  }
  if (yielded_ == context.limit) return false;
  if (!merge_) {
    if (runs_.empty()) return false;
    while (runs_.size() > runs_max()) merge_some(context);
    merge_ = merge_of(context, std::exchange(runs_, {}));
  }
  sorted_rows found;
  if (!merge_->next(context, found)) return false;
  ++ranges_;
  const auto rows = std::min(found.rows, context.limit - yielded_);
  yielded_ += rows;
  append_buffer(to, std::move(found.records), rows);
  for (auto& text : found.text) to.keep(base::owned(std::move(text), context.memory_owner));
  return true;
}

std::string sorted_runs::about() const {
  if (ranges_ == 0) return {};
  return fmt::format("sorted in {} runs, put together in {} ranges of keys", made_, ranges_);
}

}  // namespace pappus::cpu_ops
