// Parts of boxes: in order, all of them, once.
#include "regions/parts.h"

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pappus::regions {
namespace {

using ::testing::ElementsAre;

std::vector<box> parts_of(const box& all, const point& extents) {
  std::vector<box> result;
  each_part(all, extents, [&](const box& part) { result.push_back(part); });
  return result;
}

TEST(parts, come_along_the_last_dimension_first) {
  EXPECT_THAT(parts_of(box({-1, 5}, {2, 10}), {2, 3}),
              ElementsAre(box({-1, 5}, {1, 8}), box({-1, 8}, {1, 10}), box({1, 5}, {2, 8}),
                          box({1, 8}, {2, 10})));
  EXPECT_THAT(parts_of(box({0, 0, 0}, {2, 3, 4}), {1, 0, 4}),
              ElementsAre(box({0, 0, 0}, {1, 3, 4}), box({1, 0, 0}, {2, 3, 4})));
  EXPECT_THAT(parts_of(box({3}, {10}), {}), ElementsAre(box({3}, {10})));
}

TEST(parts, of_empty_boxes_are_none) {
  EXPECT_TRUE(parts_of(box({0, 4}, {3, 4}), {1, 1}).empty());
  EXPECT_TRUE(parts_of(box({2}, {1}), {}).empty());
}

TEST(parts, are_all_places_or_rows) {
  const box all({-2, 0, 7}, {1, 2, 12});
  std::int64_t number = 0;
  each_place(all, [&](const point& at) {
    EXPECT_EQ(((at[0] + 2) * 2 + at[1]) * 5 + at[2] - 7, number);
    EXPECT_EQ(number_in(all, at), number);
    EXPECT_EQ(place_in(all, number++), at);
  });
  EXPECT_EQ(number, all.volume());
  std::vector<box> rows;
  each_row(all, [&](const box& row) { rows.push_back(row); });
  ASSERT_EQ(rows.size(), 6);
  EXPECT_EQ(rows[3], box({-1, 1, 7}, {0, 2, 12}));
}

}  // namespace
}  // namespace pappus::regions
