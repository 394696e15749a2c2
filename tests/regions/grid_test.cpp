#include "regions/grid.h"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pappus/error.h"
#include "regions/formulas.h"
#include "regions/made_up.h"

namespace pappus::regions {
namespace {

using ::testing::ElementsAre;

cuts some_cuts(made_up& from) {
  const auto low = from.between(-3, 2);
  if (from.one_in(2)) return cuts::even(low, low + from.between(0, 9), from.between(1, 4));
  std::vector<std::int64_t> positions{low};
  for (auto n = from.below(4) + 1; n-- > 0;)
    positions.push_back(positions.back() + from.between(1, 3));
  return cuts::at(positions);
}

template <typename Call>
std::string refusal(Call call) {
  try {
    call();
  } catch (const usage_error& e) {
    return e.what();
  }
  return "nothing";
}

TEST(grid, has_even_cells_of_which_the_last_may_be_short) {
  const grid bands({cuts::even(0, 10, 4), cuts::even(0, 6, 6)});
  EXPECT_EQ(bands.size(), 3);
  EXPECT_EQ(bands.cell(0), box({0, 0}, {4, 6}));
  EXPECT_EQ(bands.cell(2), box({8, 0}, {10, 6}));
  EXPECT_EQ(bands.cells(box({3, 2}, {9, 3})), box({0, 0}, {3, 1}));
  EXPECT_EQ(text(bands), "3x1 cells of [0:9,0:5]");
}

TEST(grid, has_cells_between_chosen_positions) {
  const grid uneven({cuts::at({0, 100, 250, 1000})});
  EXPECT_EQ(uneven.size(), 3);
  EXPECT_EQ(uneven.cell(1), box({100}, {250}));
  EXPECT_EQ(uneven.cells(box({99}, {101})), box({0}, {2}));
  EXPECT_EQ(uneven.cells(box({250}, {251})), box({2}, {3}));
  EXPECT_EQ(uneven.cells(box({5000}, {6000})), box(1));
}

TEST(grid, without_dimensions_is_one_cell) {
  const grid one;
  EXPECT_EQ(one.size(), 1);
  EXPECT_EQ(one.cell(0), box(0));
  EXPECT_EQ(one.cells(box(0)), box(0));
  EXPECT_EQ(text(one), "1 cell");
}

TEST(grid, is_as_quick_with_many_cells) {
  const grid huge({cuts::even(lowest, highest, 1), cuts::even(0, 3, 2)});
  EXPECT_EQ(huge.size(), highest);
  EXPECT_EQ(cuts::even(lowest, highest, std::int64_t{1} << 32).size(), std::int64_t{1} << 32);
  const grid rows({cuts::even(lowest, highest, std::int64_t{1} << 40)});
  EXPECT_EQ(rows.size(), std::int64_t{1} << 24);
  EXPECT_EQ(rows.cell(rows.size() - 1), box({highest - ((std::int64_t{1} << 40) - 1)}, {highest}));
  EXPECT_EQ(rows.cells(box({0}, {1})), box({std::int64_t{1} << 23}, {(std::int64_t{1} << 23) + 1}));
}

TEST(grid, refuses_cuts_that_are_none) {
  EXPECT_EQ(refusal([] { cuts::even(0, 9, 0); }),
            "grid: expected cells of at least 1 index, got 0");
  EXPECT_EQ(refusal([] { cuts::at({0, 5, 5}); }),
            "grid: expected positions that ascend, got 5 after 5");
  EXPECT_EQ(refusal([] { cuts::at({0}); }), "grid: expected at least 2 positions, got 1");
  EXPECT_EQ(refusal([] { grid(std::vector<cuts>(5, cuts::even(0, 1, 1))); }),
            "grid: expected at most 4 dimensions, got 5");
}

TEST(grid, covers_its_box_cell_by_cell) {
  for (std::uint64_t seed = 1; seed <= 3'000; ++seed) {
    SCOPED_TRACE(seed);
    made_up from(seed);
    std::vector<cuts> dimensions;
    for (auto rank = seed % 5; rank-- > 0;) dimensions.push_back(some_cuts(from));
    const grid cells(dimensions);
    const box touched = from.a_box(cells.rank(), few_along(cells.rank()));
    const box found = cells.cells(touched);
    std::int64_t places = 0, number = 0;
    each_place(cells.shape(), [&](const point& at) {
      const box cell = cells.cell(at);
      ASSERT_EQ(cells.coordinates(number), at);
      ASSERT_EQ(cells.number(at), number);
      ASSERT_EQ(cells.cell(number++), cell);
      ASSERT_FALSE(cell.empty());
      ASSERT_TRUE(contains(cells.all(), cell));
      ASSERT_EQ(contains(found, at), overlap(cell, touched));
      places += cell.volume();
    });
    ASSERT_EQ(number, cells.size());
    ASSERT_EQ(places, cells.all().volume());  // with that, none overlap
  }
}

}  // namespace
}  // namespace pappus::regions
