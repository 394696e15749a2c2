#include "base/small_map.h"

#include <gtest/gtest.h>

namespace pappus::base {
namespace {

TEST(small_map, keeps_the_first_value_of_a_key_while_small_and_when_large) {
  for (const int n : {0, 1, 15, 16, 17, 1000}) {
    small_map<int, int> map;
    for (int i = 0; i < n; ++i) {
      const auto [value, is_new] = map.emplace(i, 10 * i);
      EXPECT_TRUE(is_new);
      EXPECT_EQ(*value, 10 * i);
    }
    for (int i = 0; i < n; ++i) {
      const auto [value, is_new] = map.emplace(i, -1);
      EXPECT_FALSE(is_new);
      EXPECT_EQ(*value, 10 * i);
      ASSERT_NE(map.find(i), nullptr);
      EXPECT_EQ(*map.find(i), 10 * i);
    }
    EXPECT_EQ(map.find(n), nullptr);
    EXPECT_EQ(map.find(-1), nullptr);
  }
}

TEST(small_map, values_change_where_they_are) {
  small_map<int, int> map;
  for (int i = 0; i < 40; ++i) {
    map.emplace(i, 0);
    ++*map.find(i / 2);
  }
  EXPECT_EQ(*map.find(3), 2);
  EXPECT_EQ(*map.find(39), 0);
}

}  // namespace
}  // namespace pappus::base
