// Spans and counters of what ran, as a file that Perfetto (https://ui.perfetto.dev) and
// chrome://tracing open.
//
// One track per thread; spans carry the stage's label. Events are kept in memory and written when
// the last session that traces to the file ends, in the Trace Event Format ("Trace Event Format",
// Google 2016).
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace pappus::trace {

using clock = std::chrono::steady_clock;

/// Number of the calling thread in traces, from 0 in the order in which threads first ask.
unsigned thread_number() noexcept;

/// Collects events and writes them to a file. Thread-safe.
class sink {
 public:
  explicit sink(std::string path);
  ~sink();
  sink(const sink&) = delete;
  sink& operator=(const sink&) = delete;

  /// A span on the calling thread's track. `items` and `bytes` below 0 are left out.
  void span(std::string_view name, clock::time_point begin, clock::time_point end,
            std::int64_t items, double bytes);
  void counter(std::string_view name, double value);

  /// Writes the file. Throws format_error naming it when that fails. The destructor does the same
  /// but only warns on stderr.
  void write();

 private:
  struct event {
    std::string name;
    clock::time_point begin, end;
    unsigned thread;
    std::int64_t items;
    double value;  // bytes of a span, value of a counter
    bool is_counter;
  };

  const std::string path_;
  const clock::time_point start_ = clock::now();
  std::mutex mutex_;
  std::vector<event> events_;
  bool written_ = false;
};

/// The sink for a path, shared by all sessions that trace to it.
std::shared_ptr<sink> open_sink(const std::string& path);

}  // namespace pappus::trace
