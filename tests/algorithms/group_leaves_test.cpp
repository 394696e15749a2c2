#include "algorithms/group_leaves.h"

#include <gtest/gtest.h>

#include <limits>

namespace pappus::algorithms {
namespace {

constexpr std::int64_t all_rows = std::numeric_limits<std::int64_t>::max();

void expect_leaf(const group_leaf& got, std::int64_t number, std::int64_t begin, std::int64_t end) {
  EXPECT_EQ(got.number, number);
  EXPECT_EQ(got.begin, begin);
  EXPECT_EQ(got.end, end);
}

TEST(unknown_key_leaves, of_few_groups_start_small_and_become_long) {
  unknown_key_leaves leaves(-1);
  expect_leaf(leaves.at(0), 0, 0, 8192);
  EXPECT_EQ(leaves.known_end(), 8192);
  leaves.learn(1, 100);
  EXPECT_FALSE(leaves.many());
  EXPECT_EQ(leaves.known_end(), 1 << 20);
  expect_leaf(leaves.at(8192), 1, 8192, 65536);
  expect_leaf(leaves.at(65536), 2, 65536, 131072);
  expect_leaf(leaves.at((1 << 20) - 1), 16, 15 * 65536, 1 << 20);
  leaves.learn(16, 1600);
  EXPECT_EQ(leaves.known_end(), all_rows);
  expect_leaf(leaves.at(1 << 20), 17, 1 << 20, (1 << 20) + 262144);
  expect_leaf(leaves.at((1 << 20) + 262144), 18, (1 << 20) + 262144, (1 << 20) + 524288);
}

TEST(unknown_key_leaves, of_many_groups_have_sixteen_rows_a_group) {
  unknown_key_leaves leaves(-1);
  leaves.learn(1, 6700);  // of 20,000, about
  EXPECT_TRUE(leaves.many());
  expect_leaf(leaves.at(8192), 1, 8192, 1 << 20);
  leaves.learn(1, 20'000);
  EXPECT_NEAR(leaves.groups(), 20'000, 1);
  expect_leaf(leaves.at(1 << 20), 2, 1 << 20, (1 << 20) + (1 << 19));
}

TEST(unknown_key_leaves, are_early_ones_up_to_as_many_groups_as_are_few) {
  unknown_key_leaves leaves(-1, 25'000);
  leaves.glance(998);  // of 20,000, about
  leaves.learn(1, 6700);
  EXPECT_FALSE(leaves.many());
  expect_leaf(leaves.at(8192), 1, 8192, 65536);
  leaves.learn(16, 16 * 19'240);
  EXPECT_FALSE(leaves.many());
  expect_leaf(leaves.at(1 << 20), 17, 1 << 20, (1 << 20) + (1 << 19));
  leaves.learn(8, 8 * 30'000);
  EXPECT_TRUE(leaves.many());
}

TEST(unknown_key_leaves, are_of_many_groups_where_more_rows_will_show_them) {
  // The first 8,192 rows tell of 15,000 groups. That the first 1,024 told of 5,000 tells of more.
  for (const bool glances : {false, true}) {
    unknown_key_leaves leaves(-1, 25'000);
    EXPECT_EQ(leaves.glanced_rows(), 1024);
    if (glances) leaves.glance(927);
    leaves.learn(1, 6310);
    EXPECT_EQ(leaves.many(), glances);
    expect_leaf(leaves.at(8192), 1, 8192, glances ? 1 << 20 : 65536);
  }
}

TEST(unknown_key_leaves, are_one_where_every_row_is_a_group) {
  unknown_key_leaves leaves(-1);
  leaves.learn(1, 8192);
  leaves.learn(1, (1 << 20) - 8192);
  const auto leaf = leaves.at(1 << 20);
  EXPECT_EQ(leaf.begin, 1 << 20);
  EXPECT_GE(leaf.end - leaf.begin, std::int64_t{1} << 33);
}

TEST(unknown_key_leaves, take_what_is_expected_for_the_number_of_groups) {
  const unknown_key_leaves many(40'000);
  EXPECT_TRUE(many.many());
  EXPECT_EQ(many.known_end(), all_rows);
  expect_leaf(many.at(0), 0, 0, 1 << 20);
  expect_leaf(many.at(1 << 20), 1, 1 << 20, 2 << 20);
  unknown_key_leaves few(10);
  few.learn(1, 8192);
  few.learn(1, 900'000);
  expect_leaf(few.at(1 << 20), 2, 1 << 20, (1 << 20) + 262144);
}

TEST(unknown_key_leaves, never_change_once_they_are_known) {
  unknown_key_leaves leaves(-1);
  leaves.learn(1, 10);
  leaves.learn(16, 160);
  leaves.learn(4, 4 * 200'000);
  EXPECT_TRUE(leaves.many());
  expect_leaf(leaves.at((1 << 20) + 3 * 262144), 20, (1 << 20) + 3 * 262144,
              (1 << 20) + 4 * 262144);
}

TEST(unknown_key_leaves, end_with_one_for_what_needs_none) {
  unknown_key_leaves leaves(-1);
  leaves.learn(1, 8000);
  leaves.end_with(1, 8192);
  expect_leaf(leaves.at(8192), 1, 8192, all_rows);
  expect_leaf(leaves.at(std::int64_t{1} << 40), 1, 8192, all_rows);
}

TEST(rows_of_group_leaf, are_a_power_of_two_and_no_fewer_than_asked_for) {
  EXPECT_EQ(rows_of_group_leaf(0, 32768), 32768);
  EXPECT_EQ(rows_of_group_leaf(2048, 32768), 32768);
  EXPECT_EQ(rows_of_group_leaf(2049, 32768), 65536);
  EXPECT_EQ(rows_of_group_leaf(1e6, 32768), 1 << 24);
  EXPECT_GT(rows_of_group_leaf(1e300, 32768), 0);
}

}  // namespace
}  // namespace pappus::algorithms
