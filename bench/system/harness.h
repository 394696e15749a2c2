// Timing of benchmark versions.
//
// A machine shared with others slows down for seconds at a time. So versions are not timed one
// after the other but in rounds, each round running every version once, and each round starts with
// another one: a disturbance then hits all of them alike, and the median drops it.
//
// Not here: inputs, checksums, the command line.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace pappus::bench {

struct timing {
  double median_s = 0;
  double min_s = 0;
};

/// One line of a benchmark's report. `floor_s` is the time that the unavoidable bytes take at triad
/// bandwidth. A version that can't run has no times, and `skipped` says why.
struct result {
  std::string name;
  std::string version;
  std::string device;
  std::int64_t n = 0;
  std::uint64_t seed = 0;
  int threads = 0;
  double median_s = 0;
  double min_s = 0;
  std::string checksum;
  double floor_s = 0;
  std::string skipped{};
  std::size_t budget_bytes = 0;  ///< of memory, where versions differ by it; 0: no limit
};

inline double seconds_of(const std::function<void()>& version) {
  const auto start = std::chrono::steady_clock::now();
  version();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Runs each version once to warm up, then `repeat` times (at least 3) in alternation; one timing
/// per version, in order.
/// \param before  called before each timed run, beside the clock
inline std::vector<timing> measure(std::span<const std::function<void()>> versions, int repeat,
                                   const std::function<void()>& before = {}) {
  repeat = std::max(repeat, 3);
  for (const auto& version : versions) version();
  std::vector<std::vector<double>> seconds(versions.size());
  for (int round = 0; round < repeat; ++round) {
    for (std::size_t turn = 0; turn < versions.size(); ++turn) {
      const std::size_t which = (static_cast<std::size_t>(round) + turn) % versions.size();
      if (before) before();
      seconds[which].push_back(seconds_of(versions[which]));
    }
  }
  std::vector<timing> timings;
  for (std::vector<double>& series : seconds) {
    std::sort(series.begin(), series.end());
    const std::size_t half = series.size() / 2;
    const double median = series.size() % 2 ? series[half] : (series[half - 1] + series[half]) / 2;
    timings.push_back({median, series.front()});
  }
  return timings;
}

/// The same for one version.
inline timing measure(const std::function<void()>& version, int repeat) {
  return measure(std::span(&version, 1), repeat).front();
}

}  // namespace pappus::bench
