#include "run/window_source.h"

#include <algorithm>
#include <atomic>
#include <utility>
#include <vector>

#include "algorithms/text_copies.h"
#include "base/owned.h"
#include "ops/slice.h"
#include "run/slot.h"

namespace pappus::run {

using detail::row_set;
using detail::rows_ptr;
using plan::index;
using plan::stage_index;

/// The records of a file, in a buffer that is used again for the next window, or columns of which
/// readers make them.
class live_executor::window_source::file_windows final : public window_source {
 public:
  file_windows(live_executor& executor, const plan::stage& of, const plan::stage* in_blocks)
      : executor_(executor),
        node_(*of.node),
        file_(*node_.op->file_of(node_)),
        reader_(file_.open(*executor.with_.memory,
                           {.columns = of.wanted,
                            .rows = in_blocks ? in_blocks->conditions : detail::conditions()})),
        in_columns_(in_blocks && reader_->has_columns()) {}

  rows_ptr read(std::int64_t rows) override {
    auto window = in_columns_ ? read_columns(rows) : read_records(rows);
    const auto n = window->rows();
    const auto text = reader_->string_bytes();
    text_bytes_ += static_cast<double>(text);
    read_ += n;
    ended_ = (n < rows && text < text_bytes_max_) || read_ == file_.rows;
    if (auto strings = reader_->take_strings())
      window->keep(base::owned(std::move(strings), executor_.with_.memory));
    return window;
  }
  double text_bytes() const override { return text_bytes_; }
  void limit_text(std::size_t bytes) override {
    text_bytes_max_ = bytes;
    reader_->limit_strings(bytes);
  }
  bool ended() const override { return ended_; }
  double part_read() const override {
    return file_.bytes <= 0 ? 0 : static_cast<double>(reader_->bytes_read()) / file_.bytes;
  }
  void leave_in(row_set& output, const rows_ptr&) override {
    output.own(std::move(*std::exchange(buffer_, nullptr)));
  }
  formats::reader::left_out not_read() const override { return reader_->not_read(); }
  void close() noexcept override { buffer_.reset(); }
  std::size_t scratch_bytes() const override { return reader_->scratch_bytes(); }
  double rows_expected() const override {
    if (file_.rows >= 0) return static_cast<double>(file_.rows);
    return read_ == 0 ? -1 : static_cast<double>(read_) / std::max(part_read(), 1e-9);
  }

 private:
  std::shared_ptr<row_set> read_records(std::int64_t rows) {
    if (capacity_ < rows || !buffer_) {
      buffer_.reset();
      // A record is a byte at least.
      const auto all = file_.rows >= 0          ? file_.rows
                       : file_.text_bytes_known ? static_cast<std::int64_t>(file_.text_bytes) + 1
                                                : INT64_MAX;
      capacity_ = std::min(rows, all - read_);
      const auto bytes = static_cast<std::size_t>(capacity_) * node_.out.size;
      buffer_ = std::make_shared<detail::buffer>(*executor_.with_.memory, bytes, node_.name);
    }
    const auto n = reader_->read(executor_.with_.team, buffer_->data(), std::min(rows, capacity_));
    auto window = std::make_shared<row_set>(node_.out, buffer_->data(), n);
    window->know_missing(reader_->take_missing());
    return window;
  }
  std::shared_ptr<row_set> read_columns(std::int64_t rows) {
    auto found = reader_->read_columns(executor_.with_.team, rows);
    return std::make_shared<row_set>(node_.out, std::move(found.of), found.rows);
  }

  live_executor& executor_;
  const graph::node& node_;
  const detail::file_params& file_;
  const std::shared_ptr<formats::reader> reader_;
  const bool in_columns_;
  std::shared_ptr<detail::buffer> buffer_;
  std::int64_t capacity_ = 0, read_ = 0;  ///< records: of the buffer; so far
  bool ended_ = false;
  double text_bytes_ = 0;
  std::size_t text_bytes_max_ = SIZE_MAX;  ///< of a window
};

/// Parts of rows that are in memory.
class live_executor::window_source::windows_in_memory final : public window_source {
 public:
  windows_in_memory(live_executor& executor, stage_index from)
      : rows_(executor.rows(from)), texts_(rows_->layout(), *executor.with_.memory, {}) {}

  rows_ptr read(std::int64_t rows_max) override {
    const auto done = read_.load(std::memory_order_relaxed);
    auto window = ops::part_of(rows_, done, std::min(rows_max, rows_->rows() - done));
    read_.fetch_add(window->rows(), std::memory_order_relaxed);
    text_bytes_ += static_cast<double>(texts_.bytes_of(*window));
    return window;
  }
  double text_bytes() const override { return text_bytes_; }
  bool ended() const override { return read_.load(std::memory_order_relaxed) == rows_->rows(); }
  double rows_expected() const override { return static_cast<double>(rows_->rows()); }
  double part_read() const override {
    return static_cast<double>(read_.load(std::memory_order_relaxed)) /
           static_cast<double>(std::max<std::int64_t>(rows_->rows(), 1));
  }

 private:
  const rows_ptr rows_;
  const algorithms::text_copies texts_;  ///< makes none
  std::atomic<std::int64_t> read_{0};
  double text_bytes_ = 0;
};

/// Rows in parts. Those that rest are read for a window, and stay where they are: who goes through
/// them again and again finds the same parts in memory each time.
class live_executor::window_source::windows_of_parts final : public window_source {
 public:
  windows_of_parts(live_executor& executor, stage_index from)
      : executor_(executor),
        node_(*executor.plan_.stages[index(from)].node),
        owner_(graph::label(node_)),
        rows_(executor.parts(from)) {}

  rows_ptr read(std::int64_t rows_max) override {
    const auto pieces = next_pieces(rows_max);
    auto window = std::make_shared<row_set>(node_.out);
    window->keep(executor_.with_.memory);
    std::vector<rows_ptr> there;
    std::vector<copy> wanted;
    for (const auto& one : pieces) {
      there.push_back(in_memory(*one.of));
      if (there.back() == nullptr) wanted.push_back(one);
    }
    const auto brought = read_rows(std::move(wanted), node_.out, executor_.with_, owner_);
    std::int64_t next = 0;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      const bool rests = there[i] == nullptr;
      auto part = rests ? ops::part_of(brought, next, pieces[i].rows)
                        : ops::part_of(there[i], pieces[i].first, pieces[i].rows);
      if (rests) next += pieces[i].rows;
      window->append(std::move(part));
    }
    read_.fetch_add(window->rows(), std::memory_order_relaxed);
    return window;
  }
  double text_bytes() const override { return text_bytes_; }
  void limit_text(std::size_t bytes) override { text_bytes_max_ = bytes; }
  bool ended() const override { return at_ == parts().size(); }
  double rows_expected() const override { return static_cast<double>(rows_->rows()); }
  double part_read() const override {
    return static_cast<double>(read_.load(std::memory_order_relaxed)) /
           static_cast<double>(std::max<std::int64_t>(rows_->rows(), 1));
  }

 private:
  using copy = graph::row_store::copy;
  std::span<const std::shared_ptr<graph::kept_rows>> parts() const { return rows_->parts(); }

  /// What the next window is made of.
  std::vector<copy> next_pieces(std::int64_t rows_max) {
    std::vector<copy> pieces;
    std::size_t text = 0;
    for (std::int64_t rows = 0; rows < rows_max && at_ < parts().size();) {
      const auto& part = parts()[at_];
      const auto count = std::min(rows_max - rows, part->rows() - first_);
      const auto more_text = part->text_bytes(first_, count);
      if (rows > 0 && text + more_text > text_bytes_max_) break;
      pieces.push_back({part, first_, count});
      rows += count;
      text += more_text;
      first_ += count;
      if (first_ == part->rows()) ++at_, first_ = 0;
    }
    text_bytes_ += static_cast<double>(text);
    return pieces;
  }

  /// The rows of a part, if they are in memory, or half of that is free.
  rows_ptr in_memory(graph::kept_rows& part) {
    const auto& memory = *executor_.with_.memory;
    return memory.available() >= memory.limit() / 2 ? part.wake(owner_, &executor_.with_.team)
                                                    : part.in_memory();
  }

  live_executor& executor_;
  const graph::node& node_;
  const std::string owner_;
  const std::shared_ptr<graph::kept_rows> rows_;
  std::size_t at_ = 0;      ///< the part that comes next
  std::int64_t first_ = 0;  ///< rows of it that have been read
  std::atomic<std::int64_t> read_{0};
  double text_bytes_ = 0;
  std::size_t text_bytes_max_ = SIZE_MAX;  ///< of a window
};

/// What a stage yields that has had all its windows.
class live_executor::window_source::yielded_windows final : public window_source {
 public:
  yielded_windows(live_executor& executor, stage_index from)
      : executor_(executor),
        from_(from),
        taken_(static_cast<double>(std::max<std::int64_t>(executor.at(from).row_count, 1))),
        step_(executor.steps_of(from).back()),
        texts_(executor.plan_.stages[index(from)].node->out, *executor.with_.memory, {}) {}

  /// Of what the stage yields at once, a part where that is too much.
  rows_ptr read(std::int64_t rows_max) override {
    if (!rest_) rest_ = yielded();
    const auto left = rest_->rows() - handed_on_;
    rows_ptr window;
    if (left <= rows_max && handed_on_ == 0) {
      window = std::exchange(rest_, nullptr);
    } else {
      const auto count = std::min(left, rows_max);
      window = ops::part_of(rest_, handed_on_, count);
      handed_on_ = left <= rows_max ? 0 : handed_on_ + count;
      if (left <= rows_max) rest_.reset();
    }
    read_.fetch_add(window->rows(), std::memory_order_relaxed);
    text_bytes_ += static_cast<double>(texts_.bytes_of(*window));
    return window;
  }
  double text_bytes() const override { return text_bytes_; }
  bool ended() const override { return ended_; }
  double rows_expected() const override { return taken_; }
  double part_read() const override {
    return std::min(static_cast<double>(read_.load(std::memory_order_relaxed)) / taken_, 1.0);
  }

 private:
  rows_ptr yielded() {
    auto& s = executor_.at(from_);
    executor_.begin_output(from_);
    executor_.run_step(from_, [&] { step_.run(*s.context); });
    ended_ = s.output->rows() == 0;
    return std::move(s.output);
  }

  live_executor& executor_;
  const stage_index from_;
  const double taken_;  ///< rows that the stage has had
  const cpu_ops::phase& step_;
  const algorithms::text_copies texts_;  ///< makes none
  std::atomic<std::int64_t> read_{0};
  rows_ptr rest_;               ///< of what was yielded last; null: none
  std::int64_t handed_on_ = 0;  ///< rows of it
  bool ended_ = false;
  double text_bytes_ = 0;
};

/// Those of each source, one behind the other.
class live_executor::window_source::windows_in_turn final : public window_source {
 public:
  explicit windows_in_turn(std::vector<std::unique_ptr<window_source>> all)
      : all_(std::move(all)) {}

  rows_ptr read(std::int64_t rows_max) override {
    for (;;) {
      if (now().ended() && !is_last()) go_on();
      auto window = now().read(rows_max);
      read_ += window->rows();
      // That a source has ended may show only when there is nothing left.
      if (window->rows() > 0 || !now().ended() || is_last()) return window;
    }
  }
  double text_bytes() const override { return text_before_ + now().text_bytes(); }
  void limit_text(std::size_t bytes) override {
    text_bytes_max_ = bytes;
    now().limit_text(bytes);
  }
  bool ended() const override { return is_last() && now().ended(); }
  double part_read() const override {
    const auto before = static_cast<double>(at_.load(std::memory_order_relaxed));
    return (before + now().part_read()) / static_cast<double>(all_.size());
  }
  void leave_in(row_set& output, const rows_ptr& window) override {
    now().leave_in(output, window);
  }
  formats::reader::left_out not_read() const override {
    formats::reader::left_out all;
    for (const auto& one : all_) {
      const auto more = one->not_read();
      all.groups += more.groups;
      all.all_groups += more.all_groups;
      all.bytes += more.bytes;
    }
    return all;
  }
  std::size_t scratch_bytes() const override {
    std::size_t bytes = 0;
    for (const auto& one : all_) bytes = std::max(bytes, one->scratch_bytes());
    return bytes;
  }
  double rows_expected() const override {
    double rows = 0;
    for (const auto& one : all_) {
      const auto own = one->rows_expected();
      if (own < 0)
        return read_ == 0 ? -1 : static_cast<double>(read_) / std::max(part_read(), 1e-9);
      rows += own;
    }
    return rows;
  }

 private:
  window_source& now() const { return *all_[at_.load(std::memory_order_relaxed)]; }
  void go_on() {
    now().close();
    text_before_ += now().text_bytes();
    at_.fetch_add(1, std::memory_order_relaxed);
    now().limit_text(text_bytes_max_);
  }
  bool is_last() const { return at_.load(std::memory_order_relaxed) + 1 == all_.size(); }

  const std::vector<std::unique_ptr<window_source>> all_;
  std::atomic<std::size_t> at_{0};
  std::int64_t read_ = 0;
  double text_before_ = 0;  ///< of sources that have ended
  std::size_t text_bytes_max_ = SIZE_MAX;
};

void live_executor::window_source::add_in_turn(live_executor& executor, plan::stage_index from,
                                               const plan::stage* in_blocks,
                                               std::vector<std::unique_ptr<window_source>>& to) {
  const auto& stage = executor.plan_.stages[index(from)];
  const bool adds = stage.node->op->adds_its_inputs() && executor.parts(from) == nullptr;
  if (!adds || !(stage.passes_on || stage.in_parts))
    return to.push_back(make(executor, from, in_blocks));
  for (const auto input : stage.inputs) add_in_turn(executor, input, in_blocks, to);
}

std::unique_ptr<live_executor::window_source> live_executor::window_source::make(
    live_executor& executor, plan::stage_index from, const plan::stage* in_blocks) {
  const auto& stage = executor.plan_.stages[index(from)];
  const auto& node = *stage.node;
  if (executor.parts(from) != nullptr && stage.in_parts)
    return std::make_unique<windows_of_parts>(executor, from);
  if (!stage.passes_on && !stage.in_parts)
    return std::make_unique<windows_in_memory>(executor, from);
  if (node.op->adds_its_inputs()) {
    std::vector<std::unique_ptr<window_source>> all;
    add_in_turn(executor, from, in_blocks, all);
    return std::make_unique<windows_in_turn>(std::move(all));
  }
  if (node.op->file_of(node) != nullptr)
    return std::make_unique<file_windows>(executor, stage, in_blocks);
  return std::make_unique<yielded_windows>(executor, from);
}

}  // namespace pappus::run
