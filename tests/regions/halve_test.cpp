// Halves of boxes: along the dimension that leaves the fewest bytes for each place.
#include <cmath>
#include <cstdint>
#include <limits>

#include <gtest/gtest.h>

#include "regions/halve.h"

namespace pappus::regions {
namespace {

constexpr unsigned all = ~0U;

grain of_any(std::size_t) { return {}; }
/// As many as rows and columns, as those of a block that is read and written transposed.
double rows_and_columns(const box& of) { return static_cast<double>(of.extent(0) + of.extent(1)); }

TEST(best_half, leaves_the_fewest_bytes_for_each_place) {
  EXPECT_EQ(best_half(box({0, 0}, {10, 40}), all, of_any, rows_and_columns), box({0, 0}, {10, 20}));
  EXPECT_EQ(best_half(box({5, 2}, {45, 12}), all, of_any, rows_and_columns), box({5, 2}, {25, 12}));
  // The first of those that leave as few.
  EXPECT_EQ(best_half(box({0, 0}, {8, 8}), all, of_any, rows_and_columns), box({0, 0}, {4, 8}));
}

TEST(best_half, is_the_longer_one_of_an_odd_number) {
  EXPECT_EQ(best_half(box({3}, {10}), all, of_any, [](const box&) { return 1; }), box({3}, {7}));
  EXPECT_EQ(best_half(box({3}, {5}), all, of_any, [](const box&) { return 1; }), box({3}, {4}));
}

TEST(best_half, is_cut_along_given_dimensions_only) {
  EXPECT_EQ(best_half(box({0, 0}, {10, 40}), 1U, of_any, rows_and_columns), box({0, 0}, {5, 40}));
  EXPECT_FALSE(best_half(box({0, 0}, {10, 40}), 0U, of_any, rows_and_columns));
}

TEST(best_half, has_whole_units_and_as_many_places_as_it_must) {
  const auto units = [](std::size_t) { return grain{.unit = 16}; };
  EXPECT_EQ(best_half(box({0}, {40}), all, units, [](const box&) { return 1; }), box({0}, {32}));
  EXPECT_EQ(best_half(box({0}, {17}), all, units, [](const box&) { return 1; }), box({0}, {16}));
  EXPECT_FALSE(best_half(box({0}, {16}), all, units, [](const box&) { return 1; }));
  const auto many = [](std::size_t) { return grain{.least = 8}; };
  EXPECT_EQ(best_half(box({0}, {16}), all, many, [](const box&) { return 1; }), box({0}, {8}));
  EXPECT_FALSE(best_half(box({0}, {15}), all, many, [](const box&) { return 1; }));
}

TEST(best_half, of_nothing_and_of_one_place_does_not_exist) {
  EXPECT_FALSE(best_half(box({0, 0}, {1, 1}), all, of_any, rows_and_columns));
  EXPECT_FALSE(best_half(box(), all, of_any, [](const box&) { return 1; }));
}

TEST(best_half, is_none_that_nobody_wants) {
  const auto long_rows = [](const box& of) { return of.extent(1) < 40 ? HUGE_VAL : 1.0; };
  EXPECT_EQ(best_half(box({0, 0}, {10, 40}), all, of_any, long_rows), box({0, 0}, {5, 40}));
  EXPECT_FALSE(best_half(box({0, 0}, {10, 40}), all, of_any, [](const box&) { return HUGE_VAL; }));
}

TEST(best_half, of_all_numbers_is_found) {
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(best_half(box({0}, {most}), all, of_any, [](const box&) { return 1; }),
            box({0}, {most / 2 + 1}));
}

}  // namespace
}  // namespace pappus::regions
