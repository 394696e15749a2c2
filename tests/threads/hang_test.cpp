// The tests' own: one that hangs tells where its threads are (support/hang.cpp).
#include <unistd.h>

#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <mutex>
#include <thread>

#include <gtest/gtest.h>

namespace {

[[gnu::noinline]] void wait_for_nothing() {
  std::mutex mutex;
  std::condition_variable never;
  std::unique_lock lock(mutex);
  never.wait(lock, [] { return false; });
}

TEST(hangs, tell_where_threads_are) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto hang = [] {
    std::thread(wait_for_nothing).detach();
    ::usleep(50'000);
    ::raise(SIGALRM);  // as if time were up
    std::_Exit(0);
  };
  EXPECT_EXIT(hang(), ::testing::ExitedWithCode(0), "Its threads:(.|\n)*pthread_cond");
}

}  // namespace
