#include "trace/recorder.h"

#include <algorithm>
#include <cstdio>

#include <fmt/format.h>

#include "base/text.h"

namespace pappus::trace {

using namespace std::chrono_literals;

recorder::~recorder() {
  if (drawn_) std::fputs("\r\x1b[K", stderr);
  if (at_end_) at_end_(std::chrono::duration<double>(clock::now() - start_).count());
}

void recorder::begin_step(std::string label, double bytes) {
  const auto now = clock::now();
  if (history_) history_->sample_if_due();
  std::lock_guard lock(mutex_);
  if (!open_.empty()) note_alone(now);
  open_.push_back({std::move(label), bytes, now});
  begin_items(0);
}

void recorder::note_alone(clock::time_point now) {
  if (history_)
    history_->add_own(track_kind::query, open_.back().label, open_.back().alone_since, now);
}

void recorder::device_worked(std::string_view name, clock::time_point begin) {
  if (!history_) return;
  const std::lock_guard lock(mutex_);
  if (!open_.empty())
    history_->add(track_kind::device, name, open_.back().label, begin, clock::now());
}

std::size_t recorder::end_step() {
  const auto now = clock::now();
  if (history_) history_->sample_if_due();
  std::lock_guard lock(mutex_);
  note_alone(now);
  const auto done = std::move(open_.back());
  open_.pop_back();
  if (!open_.empty()) open_.back().alone_since = now;
  done_bytes_ += done.bytes;
  if (!open_.empty()) open_.back().threads.insert(done.threads.begin(), done.threads.end());
  if (tracer_ != nullptr) tracer_->span(done.label, done.begin, now, -1, done.bytes);
  return done.threads.size();
}

void recorder::follow(std::function<double()> part) {
  const std::lock_guard lock(mutex_);
  open_.back().part = std::move(part);
}

/// Of the steps that are done, and the open ones' parts. The items are the innermost one's.
double recorder::done_so_far() const {
  double bytes = done_bytes_;
  for (const auto& step : open_)
    if (step.part) bytes += std::min(1.0, step.part()) * step.bytes;
  if (open_.empty() || open_.back().part) return bytes;
  const auto items = std::max<std::size_t>(items_.load(std::memory_order_relaxed), 1);
  const auto done = static_cast<double>(done_.load(std::memory_order_relaxed));
  return bytes + std::min(1.0, done / static_cast<double>(items)) * open_.back().bytes;
}

void recorder::took_part(clock::time_point begin, clock::time_point end, std::size_t items) {
  if (items == 0) return;
  std::string label;
  {
    std::lock_guard lock(mutex_);
    if (!open_.empty()) {
      label = open_.back().label;
      open_.back().threads.insert(thread_number());
    }
  }
  if (history_) history_->add_own(track_kind::worker, label, begin, end);
  if (tracer_ != nullptr) tracer_->span(label, begin, end, static_cast<std::int64_t>(items), -1);
}

void recorder::draw_if_due() {
  const auto now = clock::now();
  if (now - start_ < 1s) return;
  std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock || (drawn_ && now - last_drawn_ < 100ms)) return;
  last_drawn_ = now;
  drawn_ = true;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  const auto line =
      progress_line(open_.empty() ? "" : open_.back().label, done_so_far(), total_, seconds);
  std::fprintf(stderr, "\r\x1b[K%s", line.c_str());
  std::fflush(stderr);
}

std::string progress_line(std::string_view label, double done_bytes, double total_bytes,
                          double seconds) {
  if (total_bytes <= 0)
    return fmt::format("{}  {}  {}", label, base::bytes_text(done_bytes), base::time_text(seconds));
  constexpr int width = 30;
  const double part = std::clamp(done_bytes / total_bytes, 0.0, 1.0);
  const int filled = static_cast<int>(part * width);
  std::string line = fmt::format("[{:=<{}}{:<{}}] {:3.0f} %  {}  {} of {}", "", filled,
                                 filled < width ? ">" : "", width - filled, part * 100, label,
                                 base::bytes_text(done_bytes), base::bytes_text(total_bytes));
  if (part > 0.01) line += fmt::format("  {} left", base::time_text(seconds * (1 - part) / part));
  return line;
}

}  // namespace pappus::trace
