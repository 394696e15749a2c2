#include "base/small_list.h"

#include <numeric>
#include <utility>

#include <gtest/gtest.h>

namespace pappus::base {
namespace {

using list = small_list<int, 4>;

list up_to(int n) {
  list result;
  for (int i = 0; i < n; ++i) result.push_back(i);
  return result;
}

TEST(small_list, keeps_items_in_order_while_short_and_when_long) {
  for (const int n : {0, 1, 4, 5, 6, 100}) {
    const list items = up_to(n);
    EXPECT_EQ(items.size(), static_cast<std::size_t>(n));
    EXPECT_EQ(items.empty(), n == 0);
    EXPECT_EQ(std::accumulate(items.begin(), items.end(), 0), n * (n - 1) / 2);
    for (int i = 0; i < n; ++i) EXPECT_EQ(items[static_cast<std::size_t>(i)], i);
  }
}

TEST(small_list, takes_an_item_of_its_own) {
  list items = up_to(4);
  for (int i = 0; i < 20; ++i) items.push_back(items[1]);
  EXPECT_EQ(items.size(), 24u);
  EXPECT_EQ(items.back(), 1);
}

TEST(small_list, can_be_cut_short_and_grow_again) {
  for (const int n : {3, 10}) {
    for (const std::size_t left : {0u, 2u}) {
      list items = up_to(n);
      items.truncate(left);
      EXPECT_EQ(items, up_to(static_cast<int>(left)));
      for (int i = static_cast<int>(left); i < 9; ++i) items.push_back(i);
      EXPECT_EQ(items, up_to(9));
    }
    list items = up_to(n);
    items.clear();
    EXPECT_TRUE(items.empty());
    items.append(up_to(7));
    EXPECT_EQ(items, up_to(7));
  }
}

TEST(small_list, is_copied_and_moved_whole) {
  for (const int n : {3, 10}) {
    list items = up_to(n);
    list copy = items;
    copy.push_back(7);
    EXPECT_EQ(items, up_to(n));
    const list moved = std::move(items);
    EXPECT_EQ(moved, up_to(n));
    items = up_to(2);
    EXPECT_EQ(items, up_to(2));
  }
}

TEST(small_list, differs_by_length_and_by_items) {
  EXPECT_NE(up_to(3), up_to(4));
  EXPECT_NE(up_to(4), up_to(5));
  list other = up_to(6);
  other[5] = 0;
  EXPECT_NE(other, up_to(6));
}

}  // namespace
}  // namespace pappus::base
