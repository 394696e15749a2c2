// What planning launches takes of memory.
#include <cstdint>

#include <gtest/gtest.h>

#include "support/counted_allocations.h"
#include "support/launches.h"

namespace pappus::testing {
namespace {

constexpr std::int64_t million = 1'000'000;

/// Bytes that are ever taken while launches are planned, with one index an item.
std::int64_t taken_by_planning(const launch_list& launches, std::int64_t items) {
  const auto before = bytes_taken.load();
  const auto p = launches.planned(1);
  const auto taken = bytes_taken.load() - before;
  for (const auto& s : p.stages) EXPECT_EQ(s.items.size(), items);
  return taken;
}

TEST(planning, of_a_million_items_takes_less_than_a_mebibyte) {
  if (!allocations_are_counted) GTEST_SKIP() << "sanitizers have an operator new of their own";
  launch_list alone, many;
  const auto a = planned_array({million}), b = planned_array({million});
  alone.add(a->all, {a, b}, "a, b: global i => read a[i], write b[i]");
  EXPECT_LE(taken_by_planning(alone, million), 1 << 20);
  for (int i = 0; i < 16; ++i)
    many.add(a->all, {i % 2 == 0 ? a : b, i % 2 == 0 ? b : a},
             "a, b: global i => read a[i-1:i+1], write b[i]");
  EXPECT_LE(taken_by_planning(many, million), 1 << 20);
}

TEST(planning, of_a_million_items_in_two_dimensions_takes_less_than_a_mebibyte) {
  if (!allocations_are_counted) GTEST_SKIP() << "sanitizers have an operator new of their own";
  launch_list launches;
  const auto a = planned_array({1000, 1000}), b = planned_array({1000, 1000});
  for (int i = 0; i < 4; ++i)
    launches.add(a->all, {i % 2 == 0 ? a : b, i % 2 == 0 ? b : a},
                 "a, b: global [i,j] => read a[i-1:i+1,j], write b[i,j]");
  EXPECT_LE(taken_by_planning(launches, million), 1 << 20);
}

TEST(planning, takes_as_much_for_a_million_items_as_for_ten) {
  if (!allocations_are_counted) GTEST_SKIP() << "sanitizers have an operator new of their own";
  const auto taken = [](std::int64_t n) {
    launch_list launches;
    const auto a = planned_array({n}), b = planned_array({n});
    launches.add(a->all, {a, b}, "a, b: global i => read a[i], write b[i]");
    return taken_by_planning(launches, n);
  };
  taken(10);  // what is made once
  EXPECT_EQ(taken(million), taken(10));
}

}  // namespace
}  // namespace pappus::testing
