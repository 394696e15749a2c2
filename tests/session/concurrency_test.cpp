// Queries from several threads, inside each other, cancelled, and interrupted by exceptions.
#include <array>
#include <atomic>
#include <functional>
#include <optional>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "pappus/pappus.h"

namespace pappus {
namespace {

TEST(queries, run_from_several_threads_at_once) {
  session s(options{.threads = 3});
  const auto shared = s.range(0, 10'000).map([](int x) { return 2 * x; }).cache();
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 25; ++i) {
        const int n = 50'000 + 1000 * t + i;
        if (s.range(0, n).map([](int x) { return x; }).sum().get() != std::int64_t{n} * (n - 1) / 2)
          ++wrong;
        if (shared.sum().get() != 99'990'000) ++wrong;
        if (s.range(0, n).filter([](int x) { return x % 3 == 0; }).collect().size() !=
            static_cast<std::size_t>((n + 2) / 3))
          ++wrong;
      }
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(wrong.load(), 0);
}

class queries_with : public ::testing::TestWithParam<unsigned> {
 protected:
  session s{options{.threads = GetParam()}};
};
INSTANTIATE_TEST_SUITE_P(threads, queries_with, ::testing::Values(1u, 2u, 8u));

TEST_P(queries_with, run_inside_lambdas) {
  std::int64_t expected = 0;
  for (std::int64_t i = 0; i < 40; ++i) {
    const std::int64_t n = 70'000 + i;
    expected += n * (n - 1) / 2;
  }
  const auto sums = s.range(0, 40).map([&](int i) { return s.range(0, 70'000 + i).sum().get(); });
  EXPECT_EQ(sums.sum().get(), expected);
  EXPECT_EQ(sums.materialise().sum().get(), expected);
}

struct unlucky {
  std::int64_t row;
};

TEST_P(queries_with, hand_the_exception_of_the_first_row_that_throws_to_the_caller) {
  const auto rows = s.range(std::int64_t{0}, 400'000).map([](std::int64_t row) {
    if (row >= 150'001) throw unlucky{row};
    return row;
  });
  const auto thrown = [](auto query) -> std::int64_t {
    try {
      query();
    } catch (const unlucky& e) {
      return e.row;
    }
    return -1;
  };
  EXPECT_EQ(thrown([&] { rows.sum().get(); }), 150'001);
  EXPECT_EQ(thrown([&] { rows.collect(); }), 150'001);
  EXPECT_EQ(thrown([&] { rows.filter([](std::int64_t) { return true; }).collect(); }), 150'001);
  EXPECT_EQ(
      thrown([&] { rows.flat_map([](std::int64_t x) { return std::array{x, x}; }).collect(); }),
      150'001);
  EXPECT_EQ(thrown([&] { rows.reduce(std::int64_t{0}, std::plus<>()).get(); }), 150'001);
  EXPECT_EQ(s.host_memory_used(), 0u);
  EXPECT_EQ(s.range(0, 10).sum().get(), 45);  // and the session goes on
}

TEST_P(queries_with, pass_exceptions_of_nested_queries_on) {
  const auto rows = s.range(0, 20).map([&](int i) {
    return s.range(0, 100'000)
        .map([i](int x) {
          if (x == 90'000) throw unlucky{i};
          return x;
        })
        .sum()
        .get();
  });
  EXPECT_THROW(rows.sum().get(), unlucky);
  EXPECT_EQ(s.host_memory_used(), 0u);
}

/// Some hundred nanoseconds of work: the queries below would take a quarter of an hour.
std::uint64_t slow(std::uint64_t x) {
  for (int i = 0; i < 100; ++i) x = x * 6364136223846793005u + 1442695040888963407u;
  return x;
}
constexpr std::uint64_t many_rows = std::uint64_t{1} << 33;

TEST_P(queries_with, stop_when_another_thread_cancels) {
  std::atomic<bool> running{false};
  const auto rows = s.range(std::uint64_t{0}, many_rows).map([&running](std::uint64_t x) {
    running.store(true, std::memory_order_relaxed);
    return slow(x);
  });
  const auto odd = rows.filter([](std::uint64_t x) { return x % 2 == 1; });
  const auto expect_cancelled = [&](auto query) {
    running = false;
    std::thread canceller([&] {
      while (!running) std::this_thread::yield();
      s.cancel();
    });
    try {
      query();
      ADD_FAILURE() << "not cancelled";
    } catch (const cancelled& e) {
      EXPECT_STREQ(e.what(), "the query was cancelled");
    }
    canceller.join();
    EXPECT_EQ(s.host_memory_used(), 0u);
  };
  expect_cancelled([&] { rows.sum().get(); });
  expect_cancelled([&] { odd.collect(); });
  expect_cancelled([&] { odd.count().get(); });
  expect_cancelled([&] {  // a nested query, too
    s.range(0, 100).map([&](int) { return rows.sum().get(); }).sum().get();
  });
  EXPECT_EQ(s.range(0, 10).sum().get(), 45);  // queries that begin later run
}

TEST(session, that_ends_stops_its_queries) {
  std::optional<session> s(options{.threads = 2});
  std::atomic<bool> running{false};
  const auto total = s->range(std::uint64_t{0}, many_rows)
                         .map([&running](std::uint64_t x) {
                           running.store(true, std::memory_order_relaxed);
                           return slow(x);
                         })
                         .sum();
  std::thread ending([&] {
    while (!running) std::this_thread::yield();
    s.reset();
  });
  EXPECT_THROW(total.get(), cancelled);
  ending.join();
}

}  // namespace
}  // namespace pappus
