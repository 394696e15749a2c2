#include "run/dry.h"

#include <gtest/gtest.h>

#include "support/planning.h"

namespace pappus::run {
namespace {

using testing::plan_of;

template <typename... Roots>
prediction predict(const Roots&... roots) {
  const auto p = plan_of(roots...);
  return dry_run(p, testing::tasks_of(p));
}

TEST(dry_run, adds_up_time_and_traffic_of_all_stages) {
  session s(options{.threads = 1});
  const auto rows = s.from(std::vector<double>(1'000'000));
  const auto copy = rows.map([](double x) { return x; }).materialise();
  const auto again = copy.map([](double x) { return x; }).materialise();
  const auto predicted = predict(again);
  EXPECT_EQ(predicted.moved_bytes, 32e6);
  EXPECT_DOUBLE_EQ(predicted.seconds, 2 * 5e-6 + 32e6 / 10e9);
  EXPECT_TRUE(predicted.exact);
}

TEST(dry_run, counts_results_that_are_alive_at_the_same_time) {
  session s(options{.threads = 1});
  const auto first = s.range(0, 1'000'000).map([](int x) { return 1.0 * x; }).materialise();
  const auto second = first.map([](double x) { return x; }).materialise();
  const auto third = second.map([](double x) { return x; }).materialise();
  EXPECT_EQ(predict(first).peak_bytes, 8e6);
  EXPECT_EQ(predict(second).peak_bytes, 16e6);
  EXPECT_EQ(predict(third).peak_bytes, 16e6);  // the first is gone by then
}

TEST(dry_run, keeps_counting_rows_that_a_view_shows_a_part_of) {
  session s(options{.threads = 1});
  const auto rows = s.range(0, 1'000'000).map([](int x) { return 1.0 * x; }).materialise();
  const auto wide = rows.take(1).flat_map([](double x) { return std::array{x}; });
  const auto other = s.range(0, 500'000).map([](int x) { return 1.0 * x; }).materialise();
  EXPECT_EQ(predict(rows.take(1), other).peak_bytes, 12e6);
  EXPECT_GE(predict(wide.materialise()).peak_bytes, 8e6);
}

TEST(dry_run, knows_when_sizes_are_only_bounds) {
  session s(options{.threads = 1});
  const auto even = s.range(0, 1000).filter([](int x) { return x % 2 == 0; });
  EXPECT_FALSE(predict(even.materialise()).exact);
  EXPECT_TRUE(predict(s.range(0, 1000).sum()).exact);
}

TEST(dry_run, touches_no_data) {
  session s(options{.threads = 1});
  int calls = 0;
  const auto rows = s.range(0, 1000).map([&calls](int x) {
    ++calls;
    return x;
  });
  predict(rows.sum());
  EXPECT_EQ(calls, 0);
  EXPECT_EQ(s.host_memory_used(), 0u);
}

}  // namespace
}  // namespace pappus::run
