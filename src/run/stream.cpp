// Rows that stream through stages window by window: those of a file, or of a stage that can't keep
// all it has in memory.
//
// Each window of a file is read into one buffer. A window goes through the stages on its way: fused
// ones that pass on what they yield, slices, and the stage that takes it at last. Where that stage
// or a slice may have all it needs early (first, any, take), windows begin small and grow, and
// reading stops; otherwise they are as long as the budget allows from the start.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "cpu_ops/asked_join.h"
#include "formats/format.h"
#include "ops/large_windows.h"
#include "ops/slice.h"
#include "run/slot.h"

namespace pappus::run {

using detail::row_set;
using detail::rows_ptr;
using plan::index;
using plan::stage_index;
using tasks::task_kind;

namespace {

constexpr std::size_t first_window_bytes = std::size_t{64} << 10;
constexpr std::int64_t window_growth = 8;
constexpr std::size_t kept_in_place_bytes = std::size_t{4} << 20;

const detail::slice_params* slice_of(const graph::node& n) { return n.op->slice_of(n); }

}  // namespace

std::shared_ptr<const void> owner_of(std::shared_ptr<void> strings,
                                     const std::shared_ptr<detail::memory_source>& memory) {
  struct kept_strings {  // strings go before the memory they lie in
    std::shared_ptr<detail::memory_source> memory;
    std::shared_ptr<void> strings;
  };
  if (!strings) return nullptr;
  return std::make_shared<kept_strings>(kept_strings{memory, std::move(strings)});
}

/// Where windows of rows come from.
class live_executor::window_source {
 public:
  virtual ~window_source() = default;
  /// The next rows; of a file, so many at most.
  virtual rows_ptr read(std::int64_t rows_max) = 0;
  /// Whether the last window has been read.
  virtual bool ended() const = 0;
  /// The part of all rows that has been read. From any thread.
  virtual double part_read() const = 0;
  /// How many rows there will be in all, about. Negative: nobody knows.
  virtual double rows_expected() const = 0;
  /// The most bytes that reading takes besides the window.
  virtual std::size_t scratch_bytes() const { return 0; }
  /// Keeps alive what the rows read so far point to.
  virtual std::shared_ptr<const void> strings() const { return nullptr; }
  /// Makes a result the owner of the window that was read last.
  virtual void leave_in(row_set& output, const rows_ptr& window) { output.hold(window); }
};

/// The records of a file, in a buffer that is used again for the next window.
class live_executor::file_windows final : public window_source {
 public:
  file_windows(live_executor& executor, const graph::node& node)
      : executor_(executor),
        node_(node),
        file_(*node.op->file_of(node)),
        reader_(file_.open(*executor.with_.memory)) {}

  rows_ptr read(std::int64_t rows) override {
    if (capacity_ < rows || !buffer_) {
      buffer_.reset();
      // A record is a byte at least.
      const auto all = file_.rows >= 0 ? file_.rows : static_cast<std::int64_t>(file_.bytes) + 1;
      capacity_ = std::min(rows, all - read_);
      const auto bytes = static_cast<std::size_t>(capacity_) * node_.out.size;
      buffer_ = std::make_shared<detail::buffer>(*executor_.with_.memory, bytes, node_.name);
    }
    const auto n = reader_->read(executor_.with_.team, buffer_->data(), std::min(rows, capacity_));
    if (!strings_) strings_ = owner_of(reader_->strings(), executor_.with_.memory);
    read_ += n;
    ended_ = n < rows || read_ == file_.rows;
    auto window = std::make_shared<row_set>(node_.out, buffer_->data(), n);
    window->keep(strings_);
    return window;
  }
  bool ended() const override { return ended_; }
  double part_read() const override {
    return file_.bytes <= 0 ? 0 : static_cast<double>(reader_->bytes_read()) / file_.bytes;
  }
  std::shared_ptr<const void> strings() const override { return strings_; }
  void leave_in(row_set& output, const rows_ptr&) override {
    output.own(std::move(*std::exchange(buffer_, nullptr)));
  }
  std::size_t scratch_bytes() const override { return reader_->scratch_bytes(); }
  double rows_expected() const override {
    if (file_.rows >= 0) return static_cast<double>(file_.rows);
    return read_ == 0 ? -1 : static_cast<double>(read_) / std::max(part_read(), 1e-9);
  }

 private:
  live_executor& executor_;
  const graph::node& node_;
  const detail::file_params& file_;
  const std::shared_ptr<formats::reader> reader_;
  std::shared_ptr<detail::buffer> buffer_;
  std::int64_t capacity_ = 0, read_ = 0;  ///< records: of the buffer; so far
  bool ended_ = false;
  std::shared_ptr<const void> strings_;
};

/// What a stage yields that has had all its windows.
class live_executor::yielded_windows final : public window_source {
 public:
  yielded_windows(live_executor& executor, stage_index from)
      : executor_(executor),
        from_(from),
        taken_(static_cast<double>(std::max<std::int64_t>(executor.at(from).row_count, 1))),
        step_(executor.steps_of(from).back()) {}

  rows_ptr read(std::int64_t) override {
    auto& s = executor_.at(from_);
    s.output = std::make_shared<row_set>(s.context->node.out);
    s.output->keep(executor_.with_.memory);
    s.context->output = s.output;
    executor_.run_step(from_, [&] { step_.run(*s.context); });
    read_.fetch_add(s.output->rows(), std::memory_order_relaxed);
    ended_ = s.output->rows() == 0;
    return std::move(s.output);
  }
  bool ended() const override { return ended_; }
  double rows_expected() const override { return taken_; }
  double part_read() const override {
    return std::min(static_cast<double>(read_.load(std::memory_order_relaxed)) / taken_, 1.0);
  }

 private:
  live_executor& executor_;
  const stage_index from_;
  const double taken_;  ///< rows that the stage has had
  const cpu_ops::phase& step_;
  std::atomic<std::int64_t> read_{0};
  bool ended_ = false;
};

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
    if (node(0).op->file_of(node(0)) != nullptr)
      source_ = std::make_unique<file_windows>(executor, node(0));
    else
      source_ = std::make_unique<yielded_windows>(executor, path_.front());
    choose_lengths();
    for (std::size_t k = 1; k < path_.size(); ++k) {
      auto& s = slot_of(k);
      s.inputs.resize(1);
      if (s.context) s.context->inputs = s.inputs;
    }
  }

  /// Reads the next window; false when it was the last.
  bool read() {
    if (held_.wants_all_rows()) length_ = longest_ = large_window();
    std::int64_t rows = std::min(length_, rows_wanted());
    if (comes_again()) rows = next_again().wanted;
    length_ = length_ > longest_ / window_growth ? longest_ : length_ * window_growth;
    let_go();  // the next window may need the memory of this one
    rows_ = source_->read(rows);
    seen_[0] += rows_->rows();
    if (asking_) asked_->note({rows, rows_->rows()});
    if (comes_again() && rows_->rows() != next_again().read) has_changed();
    ++windows_;
    return !source_->ended();
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
      if (!last) {
        s.output = std::make_shared<row_set>(node(k).out);
        s.output->keep(executor_.with_.memory);
        for (const auto& side : s.side_rows) s.output->keep_owners_of(*side);
        s.context->output = s.output;
      }
      show_window(k, rows_);
      executor_.run_step(t.stage, [&] { t.step->run(*s.context); });
      if (!last) rows_ = std::move(s.output);
    }
    seen_[k] += n;
  }

  /// Whether what comes behind the stage that asks for right rows is to be run again: its window
  /// was cut.
  bool has_rest() const noexcept { return whole_ != nullptr; }

  /// Whether a stage has all it needs.
  bool done() {
    for (std::size_t k = 1; k < path_.size(); ++k) {
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
    for (std::size_t k = 0; k + 1 < path_.size(); ++k) {
      auto& s = slot_of(k);
      s.row_count = seen_[k + 1];
      s.context.reset();
      s.inputs.clear();
      s.sides.clear();
      s.side_rows.clear();
      s.output.reset();
    }
    auto& s = slot_of(path_.size() - 1);
    s.output->keep(source_->strings());
    s.row_count = seen_[path_.size() - 1];
    const auto steps = executor_.steps_of(path_.back());
    if (steps.empty() || steps.back().called == cpu_ops::phase::when::each_window)
      executor_.hand_over(path_.back());
    else
      s.inputs[0] = std::make_shared<row_set>(s.inputs[0]->layout());  // the buffer goes
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
    for (std::size_t k = 1; k < path_.size(); ++k) slot_of(k).inputs[0].reset();
  }

  /// Shows the stage its window.
  void show_window(std::size_t k, const rows_ptr& rows) {
    auto& s = slot_of(k);
    s.inputs[0] = rows;
    s.context->first_row = seen_[k];
    s.context->rows = rows->rows();
    s.context->last_window = source_->ended();
    s.context->window_rows = longest_;
  }

  /// For the stage that asks for right rows: it hears what its window needs, or is given that. A
  /// window that needs too much is cut.
  void run_asking(const tasks::task& t, std::size_t k) {
    auto& s = slot_of(k);
    if (!whole_) whole_ = rows_;
    const auto rest = [&](std::int64_t rows) {
      detail::slice_params cut;
      cut.skip = cut_at_;
      cut.take = rows;
      return ops::sliced(cut, whole_, 0);
    };
    rows_ = cut_at_ == 0 ? whole_ : rest(whole_->rows() - cut_at_);
    show_window(k, rows_);
    executor_.run_step(t.stage, [&] { t.step->run(*s.context); });
    if (asking_) {
      seen_[k] += rows_->rows();
      return whole_.reset();
    }
    const auto rows = asked_->rows_to_join();
    if (rows < rows_->rows()) rows_ = rest(rows);
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

  /// Rows of a window that asks for right rows.
  std::int64_t longest_that_asks() const {
    std::int64_t rows = 0;
    for (const auto& one : asked_->windows()) rows = std::max(rows, one.wanted);
    if (!asking_) return rows;
    const auto there = executor_.with_.store->available(), taken = source_->scratch_bytes();
    const auto& last = node(path_.size() - 1);
    const auto held = static_cast<std::size_t>(last.op->holds_of_window(last).row);
    return asked_->window_rows(there - std::min(there, taken), node(0).out.size + held);
  }

  /// Windows are as long as a part of the budget allows; where the stage at the end wants all rows
  /// before it yields any, as there is memory.
  void choose_lengths() {
    std::size_t widest = node(0).out.size;
    for (std::size_t k = 1; k + 1 < path_.size(); ++k) widest = std::max(widest, node(k).out.size);
    longest_ = static_cast<std::int64_t>(executor_.with_.window_bytes / widest + 1);
    if (asked_ != nullptr && asked_->asks()) longest_ = longest_that_asks();
    bool may_stop = false;
    for (std::size_t k = slices_ + 1; k < path_.size(); ++k)
      may_stop |= node(k).op->may_stop_early(node(k));
    const auto small = static_cast<std::int64_t>(first_window_bytes / node(0).out.size + 1);
    length_ = may_stop ? std::min(longest_, small) : longest_;
    const auto& last = node(path_.size() - 1);
    if (asked_ != nullptr && asked_->asks()) return;
    held_ = last.op->holds_of_window(last);
    if (!held_.wants_all_rows()) return;
    const auto there = executor_.with_.store->available(), taken = source_->scratch_bytes();
    available_ = there - std::min(there, taken);
    held_.widest = std::max(held_.widest, static_cast<double>(widest));
    for (std::size_t k = 0; k + 1 < path_.size(); ++k)
      held_.row += static_cast<double>(node(k).out.size);
  }

  /// For a stage that wants all rows.
  std::int64_t large_window() const {
    const auto& last = executor_.plan_.stages[index(path_.back())];
    double rows = source_->rows_expected();
    if (seen_[0] > 0)  // filters may be on the way
      rows *= static_cast<double>(seen_[path_.size() - 1]) / static_cast<double>(seen_[0]);
    const double copies = last.passes_on ? 1 : 2;  // what it keeps, and its result
    const double kept = held_.kept > 0 ? held_.kept : static_cast<double>(last.node->out.size);
    return ops::large_window_rows(available_, copies * rows * kept, held_,
                                  executor_.with_.team.count());
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
    const bool stays = rows_->bytes() >= kept_in_place_bytes && 2 * rows_->rows() >= in_window;
    if (!stays) rows_ = copied(rows_, executor_.with_.team, executor_.with_.memory);
    for (const auto& chunk : rows_->chunks()) output.append(chunk.data, chunk.rows);
    if (!stays) {
      for (auto& one : std::const_pointer_cast<row_set>(rows_)->take_buffers())
        output.own(std::move(one));
    } else if (slices_ + 1 == path_.size()) {
      source_->leave_in(output, rows_);
    } else {
      output.hold(rows_);
    }
  }

  live_executor& executor_;
  const std::vector<stage_index> path_;
  std::vector<std::int64_t> seen_;  ///< rows read of the file, then rows each stage has taken
  std::unique_ptr<window_source> source_;
  std::size_t slices_ = 0;                 ///< that come right after the source
  std::int64_t longest_ = 0, length_ = 0;  ///< of a file's windows
  graph::window_memory held_;              ///< by all stages, where the last one wants all rows
  std::size_t available_ = 0;              ///< bytes for that
  rows_ptr rows_;                          ///< on their way
  const bool asking_;                      ///< windows only ask for right rows
  cpu_ops::asked_join* asked_ = nullptr;   ///< of a stage that asks
  std::size_t windows_ = 0;                ///< read so far
  rows_ptr whole_;                         ///< its window, while parts of it are joined
  std::int64_t cut_at_ = 0;                ///< where the next part begins
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
      else if (work.list[i].step != nullptr)
        count_rows(work.list[i].stage);
      measure(i);
    }
  }
  run.finish(note);
  return windows;
}

}  // namespace pappus::run
