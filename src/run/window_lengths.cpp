#include "run/window_lengths.h"

#include <algorithm>
#include <vector>

#include "base/memory_scale.h"
#include "cpu_ops/asked_join.h"
#include "ops/large_windows.h"
#include "pappus/detail/base/integers.h"

namespace pappus::run {

using plan::index;
using plan::stage_index;

namespace {

constexpr std::size_t first_window_bytes = std::size_t{64} << 10;
constexpr std::int64_t window_growth = 8;
constexpr double guessed_text = 24;    // bytes, of a text of which nothing is known
constexpr double more_text = 1.1;      // that needn't matter: of what was expected
constexpr double text_at_once = 1.25;  // at which a window ends

double guessed_row_text(const detail::record_type& records) {
  std::vector<detail::text_place> views;
  if (records.add_text_places != nullptr) records.add_text_places(views);
  return guessed_text * static_cast<double>(views.size());
}

/// A stage copies the text of what it holds of a window.
void add_text(graph::window_memory& held, double row_text) {
  held.row += row_text;
  held.widest = std::max(held.widest, more_text * row_text);
}

}  // namespace

live_executor::window_lengths::window_lengths(const live_executor& executor, stream of)
    : executor_(executor), of_(of), widest_(0) {
  for (std::size_t k = 0; k == 0 || k + 1 < of_.path.size(); ++k)
    widest_ = std::max(widest_, node(k).out.size);
  if (executor_.plan_.stages[index(of_.path.back())].in_parts)
    widest_ = std::max(widest_, node(of_.path.size() - 1).out.size);
  for (const auto stage : of_.path.subspan(1))
    for (const auto other : std::span(executor_.plan_.stages[index(stage)].inputs).subspan(1))
      in_step_ += executor_.plan_.stages[index(other)].node->out.size;
  const auto there = executor_.with_.store->available(), taken = of_.source.scratch_bytes();
  available_ = there - std::min(there, taken);
  longest_ = static_cast<std::int64_t>(executor_.with_.window_bytes / (widest_ + in_step_) + 1);
  if (of_.asked != nullptr) {
    longest_ = longest_that_asks();
  } else {
    const auto& last = node(of_.path.size() - 1);
    held_ = last.op->holds_of_window(last);
    held_.widest = std::max(held_.widest, static_cast<double>(widest_));
    if (held_.wants_all_rows()) {
      held_.row += static_cast<double>(in_step_);
      for (std::size_t k = 0; k + 1 < of_.path.size(); ++k)
        held_.row += static_cast<double>(node(k).out.size);
    }
  }
  bool may_stop = false;
  for (std::size_t k = of_.slices + 1; k < of_.path.size(); ++k)
    may_stop |= node(k).op->may_stop_early(node(k));
  const auto small =
      static_cast<std::int64_t>(base::scaled(first_window_bytes) / node(0).out.size + 1);
  length_ = may_stop ? std::min(longest_, small) : longest_;
}

std::int64_t live_executor::window_lengths::next() {
  if (held_.wants_all_rows()) {
    if (of_.seen[0] > 0)  // filters may be on the way
      passed_ = static_cast<double>(of_.seen.back()) / static_cast<double>(of_.seen[0]);
    length_ = longest_ = large();
  } else if (of_.asking) {
    length_ = longest_ = longest_that_asks();
  }
  const auto rows = length_;
  length_ = length_ > longest_ / window_growth ? longest_ : length_ * window_growth;
  limit_text(rows);
  return rows;
}

void live_executor::window_lengths::note_read(std::int64_t rows) {
  const auto all = of_.source.text_bytes();
  window_text_ = all - text_before_;
  text_before_ = all;
  if (rows > 0) row_text_ = window_text_ / static_cast<double>(rows);
}

std::int64_t live_executor::window_lengths::parts(std::int64_t rows) const {
  if (!held_.wants_all_rows() || rows == 0 || window_text_ == 0) return 1;
  const auto fit = more_text * static_cast<double>(large());
  return static_cast<double>(rows) <= fit
             ? 1
             : std::min(rows, detail::ceil_div(rows, static_cast<std::int64_t>(fit)));
}

/// Of windows that ask, or have asked, for right rows.
std::int64_t live_executor::window_lengths::longest_that_asks() const {
  std::int64_t rows = 0;
  for (const auto& one : of_.asked->windows()) rows = std::max(rows, one.wanted);
  if (!of_.asking) return rows;
  const auto& last = node(of_.path.size() - 1);
  double row = row_text() + last.op->holds_of_window(last).row;
  for (std::size_t k = 0; k + 1 < of_.path.size(); ++k)
    row += static_cast<double>(node(k).out.size);
  auto behind = held_behind();
  of_.asked->set_held_behind(static_cast<std::size_t>(behind.row));
  rows = of_.asked->window_rows(available_, static_cast<std::size_t>(row));
  if (behind.row == 0) return rows;
  behind.row += row;
  return std::min(rows,
                  ops::large_window_rows(available_ / 2, -1, behind, executor_.with_.team.count()));
}

/// What the stages behind the last one hold of each row that it passes on, one after the other.
graph::window_memory live_executor::window_lengths::held_behind() const {
  graph::window_memory all;
  const auto& stages = executor_.plan_.stages;
  for (auto at = of_.path.back();;) {
    if (stages[index(at)].in_parts) return all;
    const auto next = std::ranges::find_if(
        stages, [&](const plan::stage& s) { return s.windowed && s.inputs.front() == at; });
    if (next == stages.end()) return all;
    const auto held = next->node->op->holds_of_window(*next->node);
    const auto& records = stages[index(at)].node->out;
    const auto record = static_cast<double>(records.size);
    all.row += record + held.row;
    all.widest = std::max({all.widest, record, held.widest});
    all.worker = std::max(all.worker, held.worker);
    if (held.wants_all_rows() && records.text == detail::text_in::views)
      add_text(all, row_text() + static_cast<double>(of_.asked->right_row_text()));
    if (plan::yields_windows(*next)) return all;
    at = static_cast<stage_index>(next - stages.begin());
  }
}

/// For a stage that wants all rows.
std::int64_t live_executor::window_lengths::large() const {
  const auto& last = executor_.plan_.stages[index(of_.path.back())];
  const double rows = of_.source.rows_expected() * passed_;
  const double copies = last.passes_on || last.in_parts ? 1 : 2;  // what it keeps, and its result
  double kept = held_.kept > 0 ? held_.kept : static_cast<double>(last.node->out.size);
  auto held = held_;
  held.row += row_text();
  const auto& records = last.node->op->is_join_index() ? node(of_.path.size() - 2) : *last.node;
  if (held.text || records.out.text == detail::text_in::views) {
    add_text(held, row_text());
    kept += row_text();
  }
  return ops::large_window_rows(available_, copies * rows * kept, held,
                                executor_.with_.team.count());
}

/// Bytes of text that come with a record of the source: with the last ones, or so far, whichever is
/// more. Before anything was read: a guess.
double live_executor::window_lengths::row_text() const {
  if (of_.seen[0] == 0) return guessed_row_text(node(0).out);
  return std::max(row_text_, text_before_ / static_cast<double>(of_.seen[0]));
}

void live_executor::window_lengths::limit_text(std::int64_t rows) const {
  const double least = static_cast<double>(base::scaled(1 << 20));
  double most = static_cast<double>(executor_.with_.window_bytes);
  if (held_.wants_all_rows())
    most = std::min(text_at_once * static_cast<double>(rows) * row_text(),
                    static_cast<double>(available_));
  of_.source.limit_text(static_cast<std::size_t>(std::max(most, least)));
}

}  // namespace pappus::run
