// Cancels queries of a session at one moment after the other.
#pragma once

#include <chrono>
#include <thread>

#include <gtest/gtest.h>

#include "pappus/pappus.h"

namespace pappus::testing {

/// Calls query(), which checks its result itself, again and again, and cancels it one step, two
/// ... after it began. Expects that some are cancelled before they end, and that nothing of any
/// stays in memory.
template <typename Query>
void expect_cancellable_at_any_time(session& s, int last_us, int step_us, Query&& query) {
  int cancels = 0;
  for (int us = step_us; us <= last_us; us += step_us) {
    std::thread canceller([&] {
      std::this_thread::sleep_for(std::chrono::microseconds(us));
      s.cancel();
    });
    try {
      query();
    } catch (const cancelled&) {
      ++cancels;
    }
    canceller.join();
    EXPECT_EQ(s.host_memory_used(), 0u) << us;
  }
  EXPECT_GT(cancels, 0);
}

}  // namespace pappus::testing
