// Cancels queries of a session at one moment after the other.
#pragma once

#include <chrono>
#include <thread>

#include <gtest/gtest.h>

#include "pappus/pappus.h"

namespace pappus::testing {

/// Calls query(), which checks its result itself, again and again, and cancels it 1 ms, 1 + step,
/// ... after it began. Expects that some are cancelled before they end, and that nothing of any
/// stays in memory.
template <typename Query>
void expect_cancellable_at_any_time(session& s, int last_ms, int step_ms, Query&& query) {
  int cancels = 0;
  for (int ms = 1; ms < last_ms; ms += step_ms) {
    std::thread canceller([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(ms));
      s.cancel();
    });
    try {
      query();
    } catch (const cancelled&) {
      ++cancels;
    }
    canceller.join();
    EXPECT_EQ(s.host_memory_used(), 0u) << ms;
  }
  EXPECT_GT(cancels, 0);
}

}  // namespace pappus::testing
