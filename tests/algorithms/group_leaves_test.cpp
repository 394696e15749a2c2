#include "algorithms/group_leaves.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

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

/// About so many groups of `all` that come equally often are among records.
std::int64_t groups_among(double records, double all) {
  return std::llround(all * -std::expm1(-records / all));
}

TEST(unknown_key_leaves, know_how_many_groups_rows_of_several_records_have) {
  for (const double records : {2.0, 12.0, 300.0})
    for (const double groups : {5000.0, 50'000.0, 2e6}) {
      SCOPED_TRACE(std::to_string(records) + " a row, groups " + std::to_string(groups));
      unknown_key_leaves leaves(-1);
      leaves.glance(groups_among(records * 1024, groups));
      const auto found = groups_among(records * 8192, groups);
      leaves.learn(1, found);
      EXPECT_TRUE(leaves.many());
      EXPECT_NEAR(leaves.groups(), groups, groups / 20);
      EXPECT_GE(leaves.groups(), static_cast<double>(found));
      // And a row is as many records when more of them are known.
      leaves.learn(1, groups_among(records * ((1 << 20) - 8192), groups));
      EXPECT_NEAR(leaves.groups(), groups, groups / 20);
      expect_leaf(leaves.at(1 << 20), 2, 1 << 20, (1 << 20) + rows_of_group_leaf(groups, 262144));
    }
}

TEST(unknown_key_leaves, of_several_records_that_are_few_groups_are_early_ones) {
  unknown_key_leaves leaves(-1);
  leaves.glance(groups_among(12 * 1024, 3000));
  leaves.learn(1, 3000);
  EXPECT_FALSE(leaves.many());
  EXPECT_NEAR(leaves.groups(), 3000, 100);
}

TEST(unknown_key_leaves, of_several_records_whose_keys_all_differ_are_of_most_groups) {
  unknown_key_leaves leaves(-1);
  leaves.glance(3 * 1024);
  leaves.learn(1, 3 * 8192);
  EXPECT_TRUE(leaves.many());
  EXPECT_GE(leaves.groups(), 1e8);
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
