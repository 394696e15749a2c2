// A file that streams through stages window by window.
//
// Each window of records is read into one buffer and goes through the stages on its way: fused ones
// that pass on what they yield, slices, and the stage that takes it at last. Where that stage or a
// slice may have all it needs early (first, any, take), windows begin small and grow, and reading
// stops; otherwise they are as long as the budget allows from the start.
#include <algorithm>
#include <chrono>
#include <utility>

#include "formats/format.h"
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

/// One run over a file.
class live_executor::streaming {
 public:
  streaming(live_executor& executor, stage_index last)
      : executor_(executor),
        path_(plan::windows_path(executor.plan_, last)),
        seen_(path_.size(), 0),
        file_(*node(0).op->file_of(node(0))),
        reader_(file_.open(*executor.with_.memory)) {
    std::size_t widest = node(0).out.size;
    for (std::size_t k = 1; k + 1 < path_.size(); ++k) widest = std::max(widest, node(k).out.size);
    longest_ = static_cast<std::int64_t>(executor.with_.window_bytes / widest + 1);
    while (slices_ + 1 < path_.size() && slice_of(node(slices_ + 1)) != nullptr) ++slices_;
    bool may_stop = false;
    for (std::size_t k = slices_ + 1; k < path_.size(); ++k)
      may_stop |= node(k).op->may_stop_early(node(k));
    const auto small = static_cast<std::int64_t>(first_window_bytes / node(0).out.size + 1);
    length_ = may_stop ? std::min(longest_, small) : longest_;
    for (std::size_t k = 1; k < path_.size(); ++k) {
      auto& s = slot_of(k);
      s.inputs.resize(1);
      if (s.context) s.context->inputs = s.inputs;
    }
  }

  /// Reads the next window; false when it was the last.
  bool read() {
    const std::int64_t rows = std::min(length_, rows_wanted());
    length_ = std::min(longest_, length_ * window_growth);
    if (capacity_ < rows || !buffer_) {
      buffer_.reset();
      capacity_ = file_.rows < 0 ? rows : std::min(rows, file_.rows - seen_[0]);
      const auto bytes = static_cast<std::size_t>(capacity_) * node(0).out.size;
      buffer_ = std::make_shared<detail::buffer>(*executor_.with_.memory, bytes, node(0).name);
    }
    const auto n = reader_->read(executor_.with_.team, buffer_->data(), std::min(rows, capacity_));
    if (!strings_) strings_ = owner_of(reader_->strings(), executor_.with_.memory);
    auto window = std::make_shared<row_set>(node(0).out, buffer_->data(), n);
    window->keep(strings_);
    rows_ = std::move(window);
    seen_[0] += n;
    return n == rows && seen_[0] != file_.rows;
  }

  /// Runs a task of the stage on the window, or on what the stages before made of it.
  void run(const tasks::task& t) {
    const auto k = static_cast<std::size_t>(std::ranges::find(path_, t.stage) - path_.begin());
    const bool last = k + 1 == path_.size();
    auto& s = slot_of(k);
    const auto n = rows_->rows();
    if (const auto* slice = slice_of(node(k))) {
      rows_ = ops::sliced(*slice, rows_, seen_[k]);
      if (last) keep(*s.output, n);
    } else {
      if (!last) {
        s.output = std::make_shared<row_set>(node(k).out);
        s.output->keep(executor_.with_.memory);
        s.context->output = s.output;
      }
      s.inputs[0] = rows_;
      s.context->first_row = seen_[k];
      s.context->rows = n;
      executor_.run_step(t.stage, [&] { t.step->run(*s.context); });
      if (!last) rows_ = std::move(s.output);
    }
    seen_[k] += n;
  }

  /// Whether a stage has all it needs.
  bool done() {
    for (std::size_t k = 1; k < path_.size(); ++k) {
      if (const auto* slice = slice_of(node(k))) {
        if (ops::rows_wanted(*slice, seen_[k]) == 0) return true;
      } else if (const auto done = node(k).op->run_by(node(k)).cpu->done;
                 done != nullptr && done(*slot_of(k).context)) {
        return true;
      }
    }
    return false;
  }

  void finish() {
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
    s.output->keep(strings_);
    const auto steps = cpu_ops::phases_of(node(path_.size() - 1));
    if (steps.empty() || steps.back().called == cpu_ops::phase::when::each_window)
      executor_.hand_over(path_.back());
    else
      s.inputs[0] = std::make_shared<row_set>(s.inputs[0]->layout());  // the buffer goes
  }

  /// The part of the file that has been read. From any thread.
  double part_read() const {
    return file_.bytes <= 0 ? 0 : static_cast<double>(reader_->bytes_read()) / file_.bytes;
  }

 private:
  const graph::node& node(std::size_t k) const {
    return *executor_.plan_.stages[index(path_[k])].node;
  }
  slot& slot_of(std::size_t k) { return executor_.at(path_[k]); }

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
      output.own(std::move(*std::exchange(buffer_, nullptr)));
    } else {
      output.hold(rows_);
    }
  }

  live_executor& executor_;
  const std::vector<stage_index> path_;
  std::vector<std::int64_t> seen_;  ///< rows read of the file, then rows each stage has taken
  const detail::file_params& file_;
  const std::shared_ptr<formats::reader> reader_;
  std::size_t slices_ = 0;  ///< that come right after the file
  std::int64_t longest_ = 0, length_ = 0;
  std::shared_ptr<detail::buffer> buffer_;
  std::int64_t capacity_ = 0;  ///< of the buffer, records
  std::shared_ptr<const void> strings_;
  rows_ptr rows_;  ///< on their way
};

std::int64_t live_executor::stream(const tasks::dag& work, std::size_t first, std::size_t last,
                                   std::vector<double>& seconds) {
  streaming run(*this, work.list[last - 1].stage);
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
    for (std::size_t i = first + 1; i < last; ++i) {
      if (with_.recorder != nullptr) begin_step(work.list[i], 0);
      run.run(work.list[i]);
      if (with_.recorder != nullptr) with_.recorder->end_step();
      if (work.list[i].step != nullptr) count_rows(work.list[i].stage);
      measure(i);
    }
  }
  run.finish();
  return windows;
}

}  // namespace pappus::run
