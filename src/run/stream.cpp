// Rows that stream through stages window by window: those of a file, of a stage that can't keep all
// it has in memory, or rows in memory of which a window is all that what comes behind has room for.
//
// A window (window_source.h) goes through the stages on its way: fused ones that pass on what they
// yield, slices, and the stage that takes it at last. Where that stage or a slice has all it needs
// (first, any, take) reading stops.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <optional>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "algorithms/rows_in.h"
#include "algorithms/text_copies.h"
#include "base/memory_scale.h"
#include "base/owned.h"
#include "base/text.h"
#include "cpu_ops/asked_join.h"
#include "ops/slice.h"
#include "pappus/detail/base/integers.h"
#include "run/inputs_in_step.h"
#include "run/slot.h"
#include "run/window_lengths.h"
#include "run/window_source.h"

namespace pappus::run {

using detail::row_set;
using detail::rows_ptr;
using plan::index;
using plan::stage_index;
using tasks::task_kind;

namespace {

constexpr std::size_t kept_in_place_bytes = std::size_t{4} << 20;

std::string text_of(const formats::reader::left_out& rows) {
  const auto bytes = base::bytes_text(static_cast<double>(rows.bytes));
  if (rows.groups == 0) return fmt::format("{} of pages that weren't fetched", bytes);
  return fmt::format("{} of {} row groups left out, {} that weren't fetched", rows.groups,
                     rows.all_groups, bytes);
}

const detail::slice_params* slice_of(const graph::node& n) { return n.op->slice_of(n); }

}  // namespace

/// One run over all windows of a source.
class live_executor::streaming {
 public:
  /// \param last  its last task in each window
  streaming(live_executor& executor, const tasks::task& last)
      : executor_(executor),
        path_(plan::windows_path(executor.plan_, last.stage)),
        seen_(path_.size(), 0),
        asking_(last.asks) {
    for (const auto stage : std::span(path_).subspan(1))
      if (executor_.plan_.stages[index(stage)].asks) asked_ = executor_.at(stage).context->asked;
    while (slices_ + 1 < path_.size() && slice_of(node(slices_ + 1)) != nullptr) ++slices_;
    const bool in_blocks = slices_ == 0 && executor_.reads_block_by_block(path_[1]);
    const auto& reader = executor.plan_.stages[index(path_[1])];
    source_ = window_source::make(executor, path_.front(), in_blocks ? &reader : nullptr);
    auto* const asks = asked_ != nullptr && asked_->asks() ? asked_ : nullptr;
    lengths_.emplace(executor,
                     window_lengths::stream{path_, slices_, *source_, asks, asking_, seen_});
    in_step_.resize(path_.size());
    for (std::size_t k = 1; k < path_.size(); ++k) {
      const auto& stage = executor_.plan_.stages[index(path_[k])];
      if (inputs_in_step::has(stage))
        in_step_[k] = std::make_unique<inputs_in_step>(executor, path_[k]);
      auto& s = slot_of(k);
      s.inputs.resize(stage.inputs.size());
      if (s.context) s.context->inputs = s.inputs;
    }
  }

  /// Reads the next window; false when it was the last.
  bool read() {
    let_go();  // the next window may need the memory of this one
    if (rest_ == nullptr) {
      read_whole();
      parts_ = lengths_->parts(rest_->rows());
    }
    const auto left = rest_->rows() - taken_;
    const auto rows = detail::ceil_div(left, parts_);
    rows_ = rows == rest_->rows() ? rest_ : ops::part_of(rest_, taken_, rows);
    taken_ += rows;
    if (--parts_ == 0) rest_.reset(), taken_ = 0;
    return has_more();
  }

  /// Runs a task of the stage on the window, or on what the stages before made of it.
  void run(const tasks::task& t) {
    const auto k = static_cast<std::size_t>(std::ranges::find(path_, t.stage) - path_.begin());
    const bool last = k + 1 == path_.size();
    auto& s = slot_of(k);
    if (t.asks) return run_asking(t, k);
    const auto n = rows_->rows();
    if (const auto* slice = slice_of(node(k))) {
      rows_ = ops::sliced(*slice, rows_, seen_[k]);
      if (last) keep(*s.output, n);
    } else {
      const bool adds_to_result = last && yields_at_once(k);
      const auto result = s.output;
      if (!last || adds_to_result) executor_.begin_output(path_[k]);
      const bool cut = executor_.plan_.stages[index(path_[k])].asks.has_value();
      show_window(k, cut ? rows_ : read_by(k, rows_));
      keep_text_of_right_rows(k);
      executor_.run_step(t.stage, [&] { t.step->run(*s.context); });
      if (!last) {
        rows_ = std::move(s.output);
      } else if (adds_to_result) {
        if (s.to_parts)
          s.to_parts->add(*s.output);
        else
          add(*result, *s.output);
        s.context->output = s.output = result;
      }
    }
    seen_[k] += n;
  }

  /// Whether what comes behind the stage that asks for right rows is to be run again: its window
  /// was cut.
  bool has_rest() const noexcept { return whole_ != nullptr; }

  /// Whether a stage has all it needs.
  bool done() {
    for (std::size_t k = 1; k < path_.size(); ++k) {
      if (in_step_[k] && in_step_[k]->ended()) return true;
      if (const auto* slice = slice_of(node(k))) {
        if (ops::rows_wanted(*slice, seen_[k]) == 0) return true;
      } else if (asking_) {
        continue;
      } else if (const auto done = node(k).op->run_by(node(k)).cpu->done;
                 done != nullptr && done(*slot_of(k).context)) {
        return true;
      }
    }
    return false;
  }

  void finish(std::string& note) {
    if (asking_) return let_go();
    if (auto& source = slot_of(0); source.context) note = std::move(source.context->note);
    if (const auto found = source_->not_read(); found.groups > 0 || found.bytes > 0)
      note += (note.empty() ? "" : "; ") + text_of(found);
    const auto& from = executor_.plan_.stages[index(path_.front())];
    for (std::size_t k = from.passes_on && !from.in_parts ? 0 : 1; k + 1 < path_.size(); ++k) {
      auto& s = slot_of(k);
      s.row_count = seen_[k + 1];
      s.context.reset();
      s.inputs.clear();
      s.sides.clear();
      s.side_rows.clear();
      s.output.reset();
    }
    auto& s = slot_of(path_.size() - 1);
    s.row_count = seen_[path_.size() - 1];
    const auto steps = executor_.steps_of(path_.back());
    if (steps.empty() || steps.back().called == cpu_ops::phase::when::each_window)
      executor_.hand_over(path_.back());
    else
      for (auto& input : s.inputs)
        input = std::make_shared<row_set>(input->layout());  // the buffers go
  }

  /// From any thread.
  double part_read() const { return source_->part_read(); }

 private:
  const graph::node& node(std::size_t k) const {
    return *executor_.plan_.stages[index(path_[k])].node;
  }
  slot& slot_of(std::size_t k) { return executor_.at(path_[k]); }
  void let_go() {
    rows_.reset();
    for (std::size_t k = 1; k < path_.size(); ++k)
      for (auto& input : slot_of(k).inputs) input.reset();
  }
  bool has_more() const { return rest_ != nullptr || !source_->ended(); }

  void read_whole() {
    const auto rows =
        comes_again() ? next_again().wanted : std::min(lengths_->next(), rows_wanted());
    rest_ = source_->read(rows);
    seen_[0] += rest_->rows();
    lengths_->note_read(rest_->rows());
    // Where its text ended a window, it will have as many rows when it comes again.
    if (asking_) asked_->note({source_->ended() ? rows : rest_->rows(), rest_->rows()});
    if (comes_again() && rest_->rows() != next_again().read) has_changed();
    ++windows_;
  }

  /// What a stage reads of the rows that come to it.
  rows_ptr read_by(std::size_t k, const rows_ptr& rows) {
    return in_step_[k] ? in_step_[k]->take(rows, std::span(slot_of(k).inputs).subspan(1)) : rows;
  }

  /// Shows the stage its window.
  void show_window(std::size_t k, const rows_ptr& rows) {
    auto& s = slot_of(k);
    s.inputs[0] = rows;
    s.context->first_row = seen_[k];
    s.context->rows = rows->rows();
    s.context->last_window = !has_more();
    s.context->window_rows = lengths_->longest();
  }

  /// Where what a stage makes of them may point to it.
  void keep_text_of_right_rows(std::size_t k) {
    const auto& n = node(k);
    if (asked_ == nullptr || !executor_.plan_.stages[index(path_[k])].asks) return;
    if ((yields_at_once(k) && n.out.may_point()) || n.op->keeps_text(n))
      slot_of(k).output->keep(asked_->text());
  }

  /// Whether what a stage makes of a window is part of its rows.
  bool yields_at_once(std::size_t k) const {
    const auto steps = executor_.steps_of(path_[k]);
    return !steps.empty() && steps.back().called == cpu_ops::phase::when::each_window;
  }

  /// For the stage that asks for right rows: it hears what its window needs, or is given that. A
  /// window that needs too much is cut.
  void run_asking(const tasks::task& t, std::size_t k) {
    auto& s = slot_of(k);
    const auto others = std::span(s.inputs).subspan(1);
    if (!whole_) {
      whole_ = read_by(k, rows_);
      whole_others_.assign(others.begin(), others.end());
    }
    rows_ = cut_at_ == 0 ? whole_ : ops::part_of(whole_, cut_at_, whole_->rows() - cut_at_);
    const auto cut_others = [&] {
      for (std::size_t i = 0; i < others.size(); ++i)
        others[i] = ops::part_of(whole_others_[i], cut_at_, rows_->rows());
    };
    cut_others();
    show_window(k, rows_);
    executor_.run_step(t.stage, [&] { t.step->run(*s.context); });
    if (asking_) {
      seen_[k] += rows_->rows();
      return whole_.reset();
    }
    const auto rows = asked_->rows_to_join();
    if (rows < rows_->rows()) rows_ = ops::part_of(whole_, cut_at_, rows);
    cut_others();
    cut_at_ += rows;
    if (cut_at_ < whole_->rows()) return;
    whole_.reset();
    cut_at_ = 0;
    asked_->end_window();
  }

  /// Whether the windows have asked for right rows, and come again.
  bool comes_again() const { return !asking_ && asked_ != nullptr && asked_->asks(); }

  const cpu_ops::asked_join::window& next_again() const {
    if (windows_ == asked_->windows().size()) has_changed();
    return asked_->windows()[windows_];
  }
  [[noreturn]] void has_changed() const {
    throw format_error(
        fmt::format("{}: changed while a query read it twice, as joins of more right rows than "
                    "memory has room for do; {} records were read before that showed",
                    node(0).name, base::count_text(seen_[0])));
  }

  /// Records that the slices right after the file still want of it.
  std::int64_t rows_wanted() const {
    std::int64_t rows = INT64_MAX;
    for (std::size_t k = slices_; k > 0; --k) {
      const auto& slice = *slice_of(node(k));
      const auto skipped = std::max<std::int64_t>(slice.skip - seen_[k], 0);
      rows = rows > INT64_MAX - skipped ? INT64_MAX : rows + skipped;
      rows = std::min(rows, ops::rows_wanted(slice, seen_[k]));
    }
    return rows;
  }

  /// Adds the rows, of so many in the window, to a result. Large parts stay where they are.
  void keep(row_set& output, std::int64_t in_window) {
    if (auto& parts = slot_of(path_.size() - 1).to_parts) return parts->add(*rows_);
    const bool stays =
        rows_->bytes() >= base::scaled(kept_in_place_bytes) && 2 * rows_->rows() >= in_window;
    if (!stays) {
      rows_ = copied(rows_, executor_.with_.team, executor_.with_.memory);
      return add(output, *std::const_pointer_cast<row_set>(rows_));
    }
    output.keep_text_of(*rows_);
    for (const auto& chunk : rows_->chunks()) output.append(chunk.data, chunk.rows);
    output.know_missing_of(*rows_);
    if (slices_ + 1 == path_.size()) {
      source_->leave_in(output, rows_);
    } else {
      output.hold(rows_);
    }
  }

  /// Adds rows in buffers of their own, made of a window, to a result. Where the text that they
  /// point to is a small part of the window's, it is copied, so that the window's can go.
  void add(row_set& result, row_set& rows) {
    algorithms::text_copies texts(rows.layout(), *executor_.with_.memory, node(0).name);
    double window_text = lengths_->text();
    if (asked_ != nullptr) window_text += static_cast<double>(asked_->text_bytes());
    const bool found = rows.layout().text == detail::text_in::views;
    if (found && static_cast<double>(texts.bytes_of(rows)) < window_text / 2) {
      for (const auto& chunk : rows.chunks())
        for (std::int64_t i = 0; i < chunk.rows; ++i)
          texts.copy(const_cast<std::byte*>(chunk.data) +
                     static_cast<std::size_t>(i) * rows.layout().size);
      result.keep(base::owned(texts.take(), executor_.with_.memory));
    } else {
      result.keep_text_of(rows);
    }
    for (const auto& chunk : rows.chunks()) result.append(chunk.data, chunk.rows);
    result.know_missing_of(rows);
    for (auto& one : rows.take_buffers()) result.own(std::move(one));
  }

  live_executor& executor_;
  const std::vector<stage_index> path_;
  std::vector<std::int64_t> seen_;  ///< rows read of the file, then rows each stage has taken
  std::unique_ptr<window_source> source_;
  std::vector<std::unique_ptr<inputs_in_step>> in_step_;  ///< of each stage; null: there are none
  std::size_t slices_ = 0;                                ///< that come right after the source
  std::optional<window_lengths> lengths_;
  rows_ptr rest_;                         ///< a window that is handed on in parts
  std::int64_t taken_ = 0, parts_ = 0;    ///< rows of it that were; parts that weren't
  rows_ptr rows_;                         ///< on their way
  const bool asking_;                     ///< windows only ask for right rows
  cpu_ops::asked_join* asked_ = nullptr;  ///< of a stage that asks
  std::size_t windows_ = 0;               ///< read so far
  rows_ptr whole_;                        ///< its window, while parts of it are joined
  std::vector<rows_ptr> whole_others_;    ///< what it reads in step with that
  std::int64_t cut_at_ = 0;               ///< where the next part begins
};

std::int64_t live_executor::stream(const tasks::dag& work, std::size_t first, std::size_t last,
                                   std::vector<double>& seconds, std::string& note) {
  const bool asking = work.list[last - 1].asks;
  if (asking && !at(work.list[last - 1].stage).context->asked->asks()) return 0;
  streaming run(*this, work.list[last - 1]);
  if (with_.recorder != nullptr) with_.recorder->follow([&run] { return run.part_read(); });
  seconds.assign(last - first, 0);
  auto then = now();
  const auto measure = [&](std::size_t task) {
    const auto done = now();
    seconds[task - first] += std::chrono::duration<double>(done - then).count();
    then = done;
  };
  std::int64_t windows = 0;
  for (bool more = true; more; more = more && !run.done(), ++windows) {
    more = run.read();
    measure(first);
    std::size_t taken = last;  // the task that took right rows
    for (std::size_t i = first + 1; i < last; i = i + 1 == last && run.has_rest() ? taken : i + 1) {
      if (with_.recorder != nullptr) begin_step(work.list[i], 0);
      run.run(work.list[i]);
      if (with_.recorder != nullptr) with_.recorder->end_step();
      if (work.list[i].asks)
        taken = i;
      else if (work.list[i].step != nullptr && !asking)
        count_rows(work.list[i].stage);
      measure(i);
    }
  }
  run.finish(note);
  return windows;
}

}  // namespace pappus::run
