// options::launch and PAPPUS_LAUNCH, from the environment to the calls of a launched function.
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "pappus/pappus.h"

namespace pappus {
namespace {

/// A session that was made with this in its environment, and hasn't launched anything yet.
session session_under(const char* setting) {
  ::setenv("PAPPUS_LAUNCH", setting, 1);
  struct restored {
    ~restored() { ::unsetenv("PAPPUS_LAUNCH"); }
  } after;
  return session({.threads = 2});
}

// Not on the stack: launches that refer to that are waited for.
std::atomic<int> indices_run{0};

TEST(launch_setting, eager_runs_each_launch_before_for_each_returns) {
  session s = session_under("eager");
  const auto a = s.zeros<int>({1000});
  for (int round = 1; round <= 3; ++round) {
    s.for_each({1000},
               annotated(
                   [](idx<1> i, updates<int> to) {
                     ++to[i];
                     ++indices_run;
                   },
                   "a: global i => readwrite a[i]"),
               a);
    EXPECT_EQ(indices_run, 1000 * round);
    EXPECT_EQ(a.explain(), "") << "none waits";
  }
}

TEST(launch_setting, lazy_runs_nothing_before_somebody_waits) {
  indices_run = 0;
  const auto count = annotated(
      [](idx<1> i, updates<int> to) {
        ++to[i];
        ++indices_run;
      },
      "a: global i => readwrite a[i]");
  session s(options{.threads = 2, .launch = "lazy"});
  const auto a = s.zeros<int>({1000});
  for (int round = 0; round < 3; ++round) s.for_each({1000}, count, a);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(indices_run, 0);
  EXPECT_NE(a.explain(), "");
  EXPECT_EQ(a.to_vector(), std::vector<int>(1000, 3));
  EXPECT_EQ(indices_run, 3000);
  EXPECT_EQ(a.explain(), "");
  session other = session_under("lazy");
  other.for_each({1000}, count, other.zeros<int>({1000}));
  other.wait();
  EXPECT_EQ(indices_run, 4000);
}

TEST(launch_setting, is_eager_or_lazy_or_not_set) {
  session_under("");
  try {
    session_under("eagre");
    ADD_FAILURE() << "expected usage_error";
  } catch (const usage_error& e) {
    EXPECT_STREQ(e.what(),
                 "PAPPUS_LAUNCH or options::launch: expected eager or lazy, got \"eagre\"");
  }
}

}  // namespace
}  // namespace pappus
