// Records of groups that are chosen, or returned in ranges, where memory is short.
#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "spilling/map_groups_rows.h"
#include "support/raw_file.h"

namespace pappus::spilled_map_groups {
namespace {

using testing::raw_file;

constexpr struct {
  std::size_t memory;
  unsigned threads;
} choice_budgets[] = {{12 * scaled_mib, 1},
                      {14 * scaled_mib, 2},
                      {24 * scaled_mib, 3},
                      {128 * scaled_mib, 2},
                      {plenty, 2}};

/// Every third record of a group; of most groups none.
struct every_third {
  std::vector<std::int64_t> operator()(std::int64_t key, std::span<const std::int64_t> rows) const {
    std::vector<std::int64_t> made;
    for (std::size_t i = 0; key % 64 == 7 && i < rows.size(); i += 3) made.push_back(rows[i]);
    return made;
  }
};

template <typename Query>
std::vector<std::int64_t> streamed(const Query& query) {
  std::vector<std::int64_t> rows;
  query.for_each_chunk([&](auto some) { rows.insert(rows.end(), some.begin(), some.end()); });
  return rows;
}

TEST(spilled_group_choices, are_those_of_a_sequential_program) {
  const spill_folder folder;
  for (const shape which : {shape::random, shape::few, shape::hot, shape::one_key}) {
    const auto items = items_of(which, 37'500, 6'250);
    const raw_file<item> file(items);
    std::map<std::int64_t, std::vector<std::int64_t>> groups;
    for (const auto& one : items) groups[one.key].push_back(one.row);
    std::vector<std::int64_t> thirds, last_two, last_twenty;
    for (const auto& [key, rows] : groups) {
      const auto made = every_third()(key, rows);
      thirds.insert(thirds.end(), made.begin(), made.end());
      const auto take_last = [&](std::int64_t n, auto& to) {
        to.insert(to.end(), rows.rbegin(), rows.rbegin() + std::min(n, std::ssize(rows)));
      };
      take_last(2, last_two);
      take_last(20, last_twenty);
    }
    for (const auto& [memory, threads] : choice_budgets) {
      SCOPED_TRACE(::testing::Message() << static_cast<int>(which) << ", " << (memory >> 10)
                                        << " KiB, " << threads << " threads");
      session s(testing::settings(folder, memory, threads));
      const auto by_key = s.raw<item>(file.path()).group_by(&item::key);
      EXPECT_EQ(streamed(by_key.flat_map_groups(every_third(), &item::row)), thirds);
      if (memory >= 128 * scaled_mib) {  // tables of wide states begin with so much
        EXPECT_EQ(streamed(by_key.top(2, &item::row).map(&item::row)), last_two);
      }
      EXPECT_EQ(streamed(by_key.top(20, &item::row).map(&item::row)), last_twenty);
      EXPECT_LE(s.host_memory_peak(), memory);
    }
  }
  EXPECT_TRUE(folder.empty());
}

}  // namespace
}  // namespace pappus::spilled_map_groups
