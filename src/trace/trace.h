// Spans and counters of what ran, as a file that Perfetto (https://ui.perfetto.dev) and
// chrome://tracing open.
//
// One track per thread; spans carry the stage's label. Events are written as they come, in the
// Trace Event Format ("Trace Event Format", Google 2016), to a partial file that gets its name when
// the last session that traces to it ends. So memory holds few of them, however long a program
// runs; the file holds as many as viewers open, and says how many there would have been.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/atomic_file.h"

namespace pappus::trace {

using clock = std::chrono::steady_clock;

/// Number of the calling thread in traces, from 0 in the order in which threads first ask.
unsigned thread_number() noexcept;

/// Writes events to a file. Thread-safe.
class sink {
 public:
  /// Events that a file holds: some 500 MB, about what Perfetto opens.
  static constexpr std::int64_t events_max = 4'000'000;

  /// \param most  events are written; the moment when there are more is marked in the trace, and
  ///              "dropped_events" of its "otherData" counts them.
  explicit sink(std::string path, std::int64_t most = events_max);
  ~sink();
  sink(const sink&) = delete;
  sink& operator=(const sink&) = delete;

  /// A span on the calling thread's track. `items` and `bytes` below 0 are left out.
  void span(std::string_view name, clock::time_point begin, clock::time_point end,
            std::int64_t items, double bytes);
  void counter(std::string_view name, double value);

  /// Gives the complete file its name; later events are lost. Throws format_error naming it when
  /// that, or writing an event before, failed. The destructor does the same but only warns on
  /// stderr.
  void write();

 private:
  bool has_room();
  void add(std::string_view event);
  void flush();
  double micros(clock::time_point t) const;

  const std::string path_;
  const std::int64_t most_;
  const clock::time_point start_ = clock::now();
  std::atomic<std::int64_t> events_{0};  // dropped ones, too
  std::mutex mutex_;                     // guards what follows
  std::optional<base::atomic_file> file_;
  std::string buffer_, problem_;  // events to write; why none can be written any more
  std::set<unsigned> threads_;
  bool written_ = false;
};

/// The sink for a path, shared by all sessions that trace to it.
std::shared_ptr<sink> open_sink(const std::string& path);

}  // namespace pappus::trace
