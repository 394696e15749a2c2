// What threads, devices and disks did over time, in memory that doesn't grow with it.
//
// Time is cut into at most 1,024 slots. When a span ends beyond the last one, neighbouring slots
// become one, so that a slot is between a 512th and a 1,024th of all time: about a pixel of a
// picture. A slot knows for how long its track was busy and with what it was longest, about: of
// several labels that take turns in it, it keeps the one that is ahead.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trace/trace.h"

namespace pappus::trace {

/// Who has a track: a thread that runs a query, step by step; one that computes; a device; threads
/// that wait for a disk; threads that decompress.
enum class track_kind : std::uint8_t { query, worker, device, disk, decompression };

/// The memory of sessions at a time, in bytes.
struct memory_levels {
  double in_use = 0;   ///< of their budgets
  double held = 0;     ///< with what is warm
  double spilled = 0;  ///< written to spill files so far
};

class timeline {
 public:
  static constexpr std::size_t slots_max = 1024;
  // Beyond that spans are only counted, labels are "others".
  static constexpr std::size_t tracks_max = 256, labels_max = 500;
  static constexpr std::uint16_t no_label = 0xffff;

  struct slot {
    float busy_s = 0, of_label_s = 0;
    std::uint16_t label = no_label;
  };
  struct track {
    track_kind kind = track_kind::worker;
    std::string name;  ///< "thread 3", "opencl:0"
    std::vector<slot> slots{};
    std::int64_t spans = 0;
    double busy_s = 0;
  };
  struct label {
    std::string text;
    double seconds = 0;  ///< of all tracks that compute: workers and devices
  };
  /// What is known at a time.
  struct content {
    double slot_s = 0, seconds = 0;  ///< seconds: until now
    std::vector<track> tracks{};     ///< in the order of their first spans
    std::vector<label> labels{};
    std::vector<memory_levels> memory{};  ///< the most of each slot; -1: not looked at
    memory_levels most{};
    std::int64_t left_out = 0;  ///< spans of further tracks
  };

  explicit timeline(clock::time_point start = clock::now());

  // All may be called by any thread.
  /// Spans of one track that overlap count as one.
  void add(track_kind kind, std::string_view name, std::string_view label, clock::time_point begin,
           clock::time_point end);
  /// The same, of the calling thread.
  void add_own(track_kind kind, std::string_view label, clock::time_point begin,
               clock::time_point end);

  /// Who tells the levels of memory. Called beside computing threads, once a slot at most.
  void sample_by(std::function<memory_levels()> levels);
  void sample_if_due() {
    if (clock::now().time_since_epoch().count() >= due_.load(std::memory_order_relaxed)) sample();
  }
  void sample();

  content taken() const;

 private:
  double seconds_of(clock::time_point t) const;
  /// With mutex_ locked: makes slots longer until they reach that far.
  void reach(double seconds);
  std::uint16_t number_of(std::string_view label);
  static void add(std::vector<slot>& to, double slot_s, double begin, double end,
                  std::uint16_t label);

  const clock::time_point start_;
  std::atomic<clock::rep> due_;
  mutable std::mutex sampling_;  // guards levels_; taken before mutex_
  std::function<memory_levels()> levels_;
  mutable std::mutex mutex_;  // guards what follows
  content all_;
  std::map<std::pair<track_kind, std::string>, std::size_t, std::less<>> by_name_;
  std::map<std::string, std::uint16_t, std::less<>> by_label_;
};

}  // namespace pappus::trace
