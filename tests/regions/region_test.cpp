#include "regions/region.h"

#include <algorithm>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "regions/made_up.h"

namespace pappus::regions {
namespace {

region made_of(made_up& from, std::size_t rank) {
  region result(rank);
  for (auto n = from.below(5); n-- > 0;) {
    const region one(from.a_box(rank, few_along(rank)));
    result = from.one_in(4) ? result - one : result | one;
  }
  return result;
}

box only(const point& place, std::size_t rank) {
  box result(rank);
  for (std::size_t d = 0; d < rank; ++d) result.low[d] = place[d], result.high[d] = place[d] + 1;
  return result;
}

TEST(region, of_a_stencil_around_a_tile_is_four_boxes) {
  const box tile({4, 4}, {8, 8});
  const region cross = region(box({3, 4}, {9, 8})) | region(box({4, 3}, {8, 9}));
  EXPECT_EQ(text(cross - region(tile)), "[3,4:7], [4:7,3], [4:7,8], [8,4:7]");
  EXPECT_EQ(text(cross), "[3,4:7], [4:7,3:8], [8,4:7]");
  EXPECT_EQ(cross.hull(), box({3, 3}, {9, 9}));
  EXPECT_EQ(cross.volume(), 4 * 6 + 2 * 4);
}

TEST(region, is_as_long_as_it_can_be_along_the_last_dimension) {
  region rows(2);
  for (std::int64_t i = 0; i < 10; ++i)
    for (std::int64_t j = 9; j >= 0; --j) rows = rows | region(box({i, j}, {i + 1, j + 1}));
  EXPECT_EQ(text(rows), "[0:9,0:9]");
  EXPECT_EQ(text(rows - region(box({2, 3}, {4, 5}))), "[0:1,0:9], [2:3,0:2], [2:3,5:9], [4:9,0:9]");
}

TEST(region, without_dimensions_is_one_place_or_none) {
  const region none(0), one = box(0);
  EXPECT_TRUE(none.empty());
  EXPECT_EQ(one.volume(), 1);
  EXPECT_EQ(one | none, one);
  EXPECT_EQ(one - one, none);
  EXPECT_EQ(one & one, one);
  EXPECT_TRUE(one.covers(none));
  EXPECT_FALSE(none.covers(one));
}

TEST(region, may_reach_the_ends_of_64_bits) {
  constexpr auto least = std::numeric_limits<std::int64_t>::min();
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  const region all = box({least, least}, {most, most});
  const region hole = all - region(box({-1, 0}, {1, 5}));
  EXPECT_EQ(hole.volume(), most);
  EXPECT_EQ(hole.boxes().size(), 4u);
  EXPECT_EQ(hole | region(box({-1, 0}, {1, 5})), all);
}

TEST(region, agrees_with_bitmaps) {
  for (std::uint64_t seed = 1; seed <= 30'000; ++seed) {
    SCOPED_TRACE(seed);
    made_up from(seed);
    const std::size_t rank = seed % 5;
    const bitmap map(rank);
    const region a = made_of(from, rank), b = made_of(from, rank);
    const auto bits = map.of(a), other = map.of(b);
    ASSERT_EQ(static_cast<std::size_t>(a.volume()), bits.count());  // so boxes don't overlap
    ASSERT_EQ(a.empty(), bits.none());
    ASSERT_EQ(map.of(a | b), bits | other);
    ASSERT_EQ(map.of(a & b), bits & other);
    ASSERT_EQ(map.of(a - b), bits & ~other);
    ASSERT_EQ(a.covers(b), (other & ~bits).none());
    ASSERT_EQ(a == b, bits == other);
    const box one = from.a_box(rank, few_along(rank));
    ASSERT_EQ(a.overlaps(one), (bits & map.of(one)).any());
    ASSERT_EQ(a.contains(one.low), a.overlaps(only(one.low, rank)));
    ASSERT_EQ(map.of(a.hull()) & bits, bits);
  }
}

TEST(region, has_the_same_boxes_whatever_it_was_made_of) {
  for (std::uint64_t seed = 1; seed <= 10'000; ++seed) {
    SCOPED_TRACE(seed);
    made_up from(seed);
    const std::size_t rank = seed % 5;
    std::vector<box> boxes;
    for (auto n = from.below(6); n-- > 0;) boxes.push_back(from.a_box(rank, few_along(rank)));
    const region at_once(rank, boxes);
    for (std::size_t i = boxes.size(); i > 1; --i) std::swap(boxes[i - 1], boxes[from.below(i)]);
    region one_by_one(rank);
    for (const auto& one : boxes) one_by_one = one_by_one | region(one);
    ASSERT_EQ(one_by_one, at_once);
    std::vector<box> places;
    each_place(at_once.hull(), [&](const point& p) {
      if (at_once.contains(p)) places.push_back(only(p, rank));
    });
    if (places.size() < 60) {
      ASSERT_EQ(region(rank, places), at_once);
    }
    const auto by_corner = [](const box& a, const box& b) { return a.low < b.low; };
    ASSERT_TRUE(std::is_sorted(at_once.boxes().begin(), at_once.boxes().end(), by_corner));
  }
}

}  // namespace
}  // namespace pappus::regions
