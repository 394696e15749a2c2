// The page: one HTML file that needs nothing else, and is well-formed XML, too.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "report/facts.h"
#include "trace/timeline.h"

namespace pappus::report {

/// All that a page tells.
struct page_content {
  machine_facts machine{};
  std::int64_t sessions = 0;
  clock::time_point start{};              ///< of the first session
  double seconds = 0;                     ///< since then
  double peak = 0;                        ///< bytes, the most that one session held
  double spilled = 0, read_back = 0;      ///< bytes, of all sessions
  std::vector<query_facts> queries{};     ///< different ones, in the order of their first runs
  std::int64_t runs = 0, other_runs = 0;  ///< of queries; of those that weren't kept
  double runs_s = 0, other_runs_s = 0;    ///< seconds
  std::int64_t failures = 0;              ///< queries that threw
  std::string last_failure{};
  std::vector<recomputed_facts> recomputed{};
  std::vector<launches_facts> launches{};  ///< those that took longest first
  std::int64_t batches = 0;
  double batches_s = 0;
  std::vector<std::string> device_faults{};
  trace::timeline::content over_time{};
};

std::string page_text(const page_content& of);

}  // namespace pappus::report
