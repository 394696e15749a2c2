// What one query tells about itself while it runs: spans for the trace, and a progress bar for
// whoever waits at a terminal.
//
// The bar appears once the query has run for a second. It is drawn by the workers themselves
// between two items, at most ten times a second, so there is no extra thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "trace/timeline.h"
#include "trace/trace.h"

namespace pappus::trace {

class recorder {
 public:
  /// \param tracer       null: no trace.
  /// \param bar          draw a progress bar on stderr.
  /// \param total_bytes  predicted traffic of the whole query; 0 when unknown.
  /// \param history      null: nobody wants to know what threads did over time.
  recorder(std::shared_ptr<sink> tracer, bool bar, double total_bytes,
           std::shared_ptr<timeline> history = nullptr)
      : tracer_(std::move(tracer)), history_(std::move(history)), bar_(bar), total_(total_bytes) {}
  ~recorder();

  /// One task of the plan begins, ends; tasks may be nested. Called by the query's own thread. The
  /// end tells how many threads took part in its parallel runs.
  void begin_step(std::string label, double bytes);
  std::size_t end_step();
  /// The progress of the innermost step is what part() returns, from 0 to 1, not the part of its
  /// items that are done. Workers call part() until the step ends.
  void follow(std::function<double()> part);

  /// A parallel run of `items` items begins within the step.
  void begin_items(std::size_t items) {
    items_.store(items, std::memory_order_relaxed);
    done_.store(0, std::memory_order_relaxed);
  }
  /// An item of the run shares out what is left of it as `items` more items.
  void add_items(std::size_t items) { items_.fetch_add(items, std::memory_order_relaxed); }
  /// Called by workers after each item.
  void item_done() {
    done_.fetch_add(1, std::memory_order_relaxed);
    if (bar_) draw_if_due();
    if (history_) history_->sample_if_due();
  }
  /// A worker did `items` items of the run between two times.
  void took_part(clock::time_point begin, clock::time_point end, std::size_t items);

  /// Calls done(seconds) when the recorder ends; it must not throw.
  void at_end(std::function<void(double)> done) { at_end_ = std::move(done); }
  /// A device worked for the innermost step since a time.
  void device_worked(std::string_view name, clock::time_point begin);

  /// How far the query is: bytes of the predicted total. From any thread.
  double done_bytes() const {
    const std::lock_guard lock(mutex_);
    return done_so_far();
  }

  bool tracing() const noexcept { return tracer_ != nullptr; }
  void memory(double bytes) { count("memory in use", bytes); }
  void count(std::string_view what, double value) {
    if (tracer_ != nullptr) tracer_->counter(what, value);
  }

 private:
  void draw_if_due();
  double done_so_far() const;  // with mutex_ held
  /// Until now the innermost step went on by itself.
  void note_alone(clock::time_point now);  // with mutex_ held

  const std::shared_ptr<sink> tracer_;
  const std::shared_ptr<timeline> history_;
  std::function<void(double)> at_end_;
  const bool bar_;
  const double total_;
  const clock::time_point start_ = clock::now();
  mutable std::mutex mutex_;  // guards what follows, but for the atomics
  struct step {
    std::string label;
    double bytes;
    clock::time_point begin;
    std::function<double()> part{};
    std::set<unsigned> threads{};
    clock::time_point alone_since = begin;  ///< no step inside of it is open
  };
  std::vector<step> open_;  // innermost last: a loop is a step that runs others
  double done_bytes_ = 0;
  clock::time_point last_drawn_ = start_;
  bool drawn_ = false;
  std::atomic<std::size_t> items_{0}, done_{0};
};

/// The bar's text, one line without control characters:
/// "[=====>    ]  52 %  sort  1.2 GiB of 2.3 GiB  0.8 s left".
std::string progress_line(std::string_view label, double done_bytes, double total_bytes,
                          double seconds);

}  // namespace pappus::trace
