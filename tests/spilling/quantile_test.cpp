// Quantiles of files whose values don't fit in memory, and of their groups.
#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "spilling/map_groups_rows.h"
#include "support/raw_file.h"

namespace pappus::spilled_map_groups {
namespace {

using testing::raw_file;

double middle_of(std::vector<std::int64_t> rows) {
  std::ranges::sort(rows);
  return (static_cast<double>(rows[(rows.size() - 1) / 2]) +
          static_cast<double>(rows[rows.size() / 2])) /
         2;
}

constexpr struct {
  std::size_t memory;
  unsigned threads;
} quantile_budgets[] = {
    {10 * scaled_mib, 1}, {12 * scaled_mib, 2}, {16 * scaled_mib, 3}, {plenty, 2}};

TEST(spilled_quantiles, of_all_rows_are_exact) {
  const spill_folder folder;
  for (const shape which : {shape::random, shape::few, shape::sorted, shape::hot, shape::one_key}) {
    const std::int64_t n = 400'001;
    const auto items = items_of(which, n, 70'000);
    const raw_file<item> file(items);
    std::vector<std::int64_t> keys;
    for (const auto& one : items) keys.push_back(one.key);
    std::ranges::sort(keys);
    const std::array<double, 3> expected{static_cast<double>(keys[0]),
                                         static_cast<double>(keys[n / 4]),
                                         static_cast<double>(keys[n / 2])};
    for (const auto& [memory, threads] : quantile_budgets) {
      SCOPED_TRACE(::testing::Message() << static_cast<int>(which) << ", " << (memory >> 10)
                                        << " KiB, " << threads << " threads");
      session s(testing::settings(folder, memory, threads));
      const auto rows = s.raw<item>(file.path());
      EXPECT_EQ(rows.quantiles(std::array{0.0, 0.25, 0.5}, &item::key).get(), expected);
      EXPECT_EQ(rows.filter([](const item& one) { return one.row % 2 == 0; }).median(&item::row),
                static_cast<double>(n / 2));
      EXPECT_LE(s.host_memory_peak(), memory);
      EXPECT_EQ(s.host_memory_used(), 0u);
    }
  }
  EXPECT_TRUE(folder.empty());
}

TEST(spilled_quantiles, of_groups_are_exact) {
  const spill_folder folder;
  for (const shape which : {shape::random, shape::few, shape::hot, shape::one_key}) {
    const auto items = items_of(which, 37'500, 2'500);
    const raw_file<item> file(items);
    std::map<std::int64_t, std::vector<std::int64_t>> groups;
    for (const auto& one : items) groups[one.key].push_back(one.row);
    std::map<std::int64_t, double> expected;
    for (const auto& [key, rows] : groups) expected[key] = middle_of(rows);
    for (const auto& [memory, threads] : quantile_budgets) {
      SCOPED_TRACE(::testing::Message() << static_cast<int>(which) << ", " << (memory >> 10)
                                        << " KiB, " << threads << " threads");
      session s(testing::settings(folder, memory, threads));
      std::map<std::int64_t, double> got;
      s.raw<item>(file.path())
          .group_by(&item::key)
          .median(&item::row)
          .for_each_chunk([&](std::span<const keyed<std::int64_t, double>> some) {
            for (const auto& [key, value] : some) got[key] = value;
          });
      EXPECT_EQ(got, expected);
      EXPECT_LE(s.host_memory_peak(), memory);
    }
  }
  EXPECT_TRUE(folder.empty());
}

}  // namespace
}  // namespace pappus::spilled_map_groups
