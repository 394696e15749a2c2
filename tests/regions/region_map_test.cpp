#include "regions/region_map.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "regions/made_up.h"

namespace pappus::regions {
namespace {

std::string listed(const region_map<int>& map) {
  std::string result;
  for (const auto& [where, value] : map.entries())
    result += std::to_string(value) + ": " + text(where) + "; ";
  return result;
}

TEST(region_map, begins_with_one_value) {
  EXPECT_EQ(listed(region_map<int>(box({0, 0}, {4, 9}), 7)), "7: [0:3,0:8]; ");
  EXPECT_EQ(listed(region_map<int>(box(2), 7)), "");
  EXPECT_EQ(listed(region_map<int>(box(0), 7)), "7: []; ");
}

TEST(region_map, is_one_entry_again_after_pieces_got_the_same_value) {
  region_map<int> map(box({0, 0}, {4, 4}), 0);
  for (const auto& tile : {box({2, 0}, {4, 2}), box({0, 2}, {2, 4}), box({0, 0}, {2, 2})})
    map.assign(tile, 1);
  EXPECT_EQ(listed(map), "0: [2:3,2:3]; 1: [0:1,0:3], [2:3,0:1]; ");
  map.assign(box({2, 2}, {4, 4}), 1);
  EXPECT_EQ(listed(map), "1: [0:3,0:3]; ");
}

TEST(region_map, takes_a_value_of_its_own) {
  region_map<std::string> map(box({0}, {9}), std::string(40, 'a'));
  map.assign(box({3}, {5}), std::string(40, 'b'));
  map.assign(box({0}, {9}), map.entries().front().value);
  EXPECT_EQ(map.entries().size(), 1u);
  EXPECT_EQ(map.entries().front().value, std::string(40, 'a'));
}

TEST(region_map, agrees_with_an_array_of_values) {
  for (std::uint64_t seed = 1; seed <= 4'000; ++seed) {
    SCOPED_TRACE(seed);
    made_up from(seed);
    const std::size_t rank = seed % 5;
    const bitmap bits(rank);
    const box all = from.a_box(rank, few_along(rank));
    region_map<int> map(all, 0);
    std::vector<bitmap::bits> places{bits.of(all)};  // with each value
    for (int step = 1; step <= 8; ++step) {
      const int value = from.one_in(3) ? static_cast<int>(from.below(places.size())) : step;
      const box where = from.a_box(rank, few_along(rank));
      const auto assigned = bits.of(where) & bits.of(all);
      for (auto& one : places) one &= ~assigned;
      places.resize(std::max(places.size(), static_cast<std::size_t>(value) + 1));
      places[static_cast<std::size_t>(value)] |= assigned;
      map.assign(where, value);
    }
    std::size_t used = 0;
    for (std::size_t value = 0; value < places.size(); ++value) {
      used += places[value].any() ? 1 : 0;
      const auto has = [&](int v) { return v == static_cast<int>(value); };
      ASSERT_EQ(bits.of(map.where(has)), places[value]);
    }
    ASSERT_EQ(map.entries().size(), used);
    const box part = from.a_box(rank, few_along(rank));
    bitmap::bits seen;
    map.each(part, [&](const box& where, int value) {
      const auto here = bits.of(where);
      EXPECT_TRUE((seen & here).none() && here.any());
      EXPECT_EQ(places[static_cast<std::size_t>(value)] & here, here);
      seen |= here;
    });
    ASSERT_EQ(seen, bits.of(part) & bits.of(all));
  }
}

}  // namespace
}  // namespace pappus::regions
