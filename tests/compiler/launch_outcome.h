// Launches that are called while another one uses their array: what they make of it, and whether
// their call waits for that.
#pragma once

#include <atomic>
#include <chrono>
#include <thread>

#include "pappus/pappus.h"

namespace pappus::testing {

using numbers = array<double, 1>;

// Not captured: launches would be waited for.
inline std::atomic<bool> may_end{false}, gave_up{false};
inline std::atomic<int> patience_ms{0};

/// In a frame of its own, which overwrite_stack() takes the place of.
template <typename Launch>
[[gnu::noinline]] void call(const Launch& launch, session& s, const numbers& out) {
  launch(s, out);
}

[[gnu::noinline]] inline double overwrite_stack() {
  volatile double places[2048];
  for (auto& one : places) one = -1;
  return places[7];
}

struct outcome {
  double value = 0;     ///< of element 7
  bool waited = false;  ///< the call returned only when the launches before it had ended
};

/// Of launch(session, array), whose call finds the array in use.
/// \param patience  for so many milliseconds, or until the call returns
template <typename Launch>
outcome outcome_of(int patience, const Launch& launch) {
  may_end = gave_up = false;
  patience_ms = patience;
  session s({.threads = 2});
  const auto out = s.zeros<double>({100});
  s.for_each({1},
             annotated(
                 [](idx<1> i, updates<double> out) {
                   for (int ms = 0; ms < patience_ms && !may_end; ++ms)
                     std::this_thread::sleep_for(std::chrono::milliseconds(1));
                   gave_up = !may_end;
                   out[i] = 0;
                 },
                 "out: global i => readwrite out[:]"),
             out);
  call(launch, s, out);
  overwrite_stack();
  may_end = true;
  const double value = out.host()[7];
  return {value, gave_up};
}

/// Captured as a member of something else.
struct references {
  const double& x;
  double& y;
};

}  // namespace pappus::testing
