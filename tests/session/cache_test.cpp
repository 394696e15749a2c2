// What cache() keeps, for whom, and until when.
#include <atomic>
#include <optional>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pappus/pappus.h"

namespace pappus {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(cache, is_used_and_filled_only_by_queries_over_its_own_handle) {
  session s;
  std::atomic<int> calls = 0;
  const auto rows = s.range(0, 1000).map([&](int x) { return ++calls, x; }).materialise();
  std::optional kept = rows.cache();
  EXPECT_EQ(rows.count().get(), 1000);
  EXPECT_EQ(calls.exchange(0), 1000);
  EXPECT_EQ(s.host_memory_used(), 0u) << "other queries don't fill it";
  EXPECT_EQ(kept->sum().get(), 499'500);
  EXPECT_EQ(kept->max().get(), 999);
  EXPECT_EQ(calls.exchange(0), 1000) << "once for both";
  EXPECT_GE(s.host_memory_used(), 4000u);
  EXPECT_EQ(rows.count().get(), 1000);
  EXPECT_EQ(calls, 1000) << "other queries don't use it";
  kept.reset();
  EXPECT_EQ(s.host_memory_used(), 0u) << "though rows is still there";
}

TEST(cache, of_a_cached_collection_is_another_one_of_the_same_rows) {
  session s;
  const auto kept = s.range(0, 1000).map([](int x) { return 2 * x; }).cache();
  EXPECT_EQ(kept.count().get(), 1000);
  const auto used = s.host_memory_used();
  EXPECT_EQ(kept.cache().sum().get(), 999'000);
  EXPECT_EQ(s.host_memory_used(), used);
}

TEST(cache, of_a_partitioned_collection_stays_partitioned) {
  session s;
  const auto by = hash_by([](int x) { return x % 10; }, 4);
  const auto parts = s.range(0, 1000).partition(by).cache();
  const auto sizes = parts.apply(
      [](std::span<const int> part) { return std::vector{static_cast<int>(part.size())}; }, by);
  EXPECT_THAT(sizes.explain(), HasSubstr("already partitioned"));
  EXPECT_EQ(sizes.sum().get(), 1000);
}

}  // namespace
}  // namespace pappus
