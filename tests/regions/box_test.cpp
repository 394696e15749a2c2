#include "regions/box.h"

#include <gtest/gtest.h>

#include "regions/formulas.h"
#include "regions/made_up.h"

namespace pappus::regions {
namespace {

TEST(box, is_the_places_between_its_corners) {
  const box tile({0, 2}, {3, 4});
  EXPECT_EQ(tile.volume(), 6);
  EXPECT_TRUE(contains(tile, point{2, 3}));
  EXPECT_FALSE(contains(tile, point{3, 3}));
  EXPECT_FALSE(contains(tile, point{0, 1}));
}

TEST(box, without_dimensions_is_one_place) {
  const box one(0);
  EXPECT_FALSE(one.empty());
  EXPECT_EQ(one.volume(), 1);
  EXPECT_TRUE(overlap(one, one));
  EXPECT_TRUE(subtract(one, one).empty());
  EXPECT_EQ(intersect(one, one), one);
  EXPECT_EQ(text(one), "[]");
}

TEST(box, is_equal_where_it_has_the_same_places) {
  EXPECT_EQ(box({5, 0}, {5, 9}), box({1, 7}, {2, 3}));
  EXPECT_EQ(box({5, 0}, {5, 9}), box(2));
  EXPECT_NE(box(2), box(1));
  EXPECT_NE(box({0}, {1}), box({0}, {2}));
}

TEST(box, counts_no_more_than_64_bits_hold) {
  EXPECT_EQ(box({lowest}, {highest}).volume(), highest);
  EXPECT_EQ(box({0, 0}, {highest, 2}).volume(), highest);
  EXPECT_EQ(box({0, 0}, {std::int64_t{1} << 31, std::int64_t{1} << 31}).volume(),
            std::int64_t{1} << 62);
  EXPECT_EQ(box({lowest, 3}, {highest, 3}).volume(), 0);
  EXPECT_EQ(box({highest - 1}, {highest}).volume(), 1);
}

TEST(box, is_written_with_inclusive_bounds) {
  EXPECT_EQ(text(box({0, -5, 7}, {10, 0, 8})), "[0:9,-5:-1,7]");
  EXPECT_EQ(text(box({lowest}, {highest})), "[-9223372036854775808:9223372036854775806]");
  EXPECT_EQ(text(box(3)), "nothing");
}

TEST(box, leaves_pieces_that_are_long_along_the_last_dimension) {
  const auto pieces = subtract(box({0, 0}, {9, 9}), box({3, 3}, {6, 6}));
  ASSERT_EQ(pieces.size(), 4u);
  EXPECT_EQ(pieces[0], box({0, 0}, {3, 9}));
  EXPECT_EQ(pieces[1], box({6, 0}, {9, 9}));
  EXPECT_EQ(pieces[2], box({3, 0}, {6, 3}));
  EXPECT_EQ(pieces[3], box({3, 6}, {6, 9}));
}

TEST(box, agrees_with_bitmaps) {
  for (std::uint64_t seed = 1; seed <= 50'000; ++seed) {
    SCOPED_TRACE(seed);
    made_up from(seed);
    const std::size_t rank = seed % 5;
    const bitmap map(rank);
    const auto size = few_along(rank);
    const box a = from.a_box(rank, size), b = from.a_box(rank, size);
    const auto bits = map.of(a), other = map.of(b);
    ASSERT_EQ(static_cast<std::size_t>(a.volume()), bits.count());
    ASSERT_EQ(map.of(intersect(a, b)), bits & other);
    ASSERT_EQ(overlap(a, b), (bits & other).any());
    ASSERT_EQ(contains(a, b), (other & ~bits).none());
    ASSERT_EQ(a == b, bits == other);
    const box around = hull(a, b);
    ASSERT_EQ(map.of(around) & (bits | other), bits | other);
    for (std::size_t d = 0; d < rank && !around.empty(); ++d) {
      ASSERT_TRUE((!a.empty() && around.low[d] == a.low[d]) ||
                  (!b.empty() && around.low[d] == b.low[d]));
      ASSERT_TRUE((!a.empty() && around.high[d] == a.high[d]) ||
                  (!b.empty() && around.high[d] == b.high[d]));
    }
    bitmap::bits together;
    for (const auto& piece : subtract(a, b)) {
      ASSERT_FALSE(piece.empty());
      ASSERT_TRUE((together & map.of(piece)).none());
      together |= map.of(piece);
    }
    ASSERT_EQ(together, bits & ~other);
  }
}

}  // namespace
}  // namespace pappus::regions
