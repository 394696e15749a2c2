#include "cost/work.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cost/machine.h"

namespace pappus::cost {
namespace {

TEST(work, of_a_row_grows_with_the_sides_that_its_loops_go_through) {
  const row_work nearest{.terms = {{.each = {.simple = 5}}, {.sides = {1}, .each = {.simple = 3}}}};
  EXPECT_EQ(nearest.of_row({7, 100}).simple, 5 + 100 * 3);
  EXPECT_EQ(nearest.of_row({7, 0}).simple, 5);
}

TEST(work, of_nested_loops_grows_with_both_sides) {
  const row_work pairs{.terms = {{.sides = {0, 0}, .each = {.maths = 1}}}};
  EXPECT_EQ(pairs.of_row({10}).maths, 100);
}

TEST(work, in_vectors_is_done_sooner) {
  const work scalar{.simple = 8}, wide{.wide = 8};
  EXPECT_EQ(scalar.total(), 4 * wide.total());
}

TEST(work, of_maths_in_vectors_is_less_than_one_at_a_time) {
  const work scalar{.maths = 10}, vector{.vector_maths = 10}, sums{.simple = 10};
  EXPECT_GT(scalar.total(), 2 * vector.total());
  EXPECT_GT(vector.total(), sums.total());
  EXPECT_EQ((sums * 3).total(), 3 * sums.total());
}

TEST(work, of_a_graphics_card_is_done_faster_than_a_processors) {
  EXPECT_GE(guessed_rates(false, 20).gops_per_s, 10 * guessed_rates(true, 20).gops_per_s);
  EXPECT_EQ(guessed_rates(true, 4).gops_per_s, 4 * machine().core_gops);
}

TEST(trust, in_a_sum_is_that_in_its_worst_part) {
  EXPECT_EQ(worse(trust::measured, trust::guessed), trust::guessed);
  EXPECT_EQ(worse(trust::at_least, trust::counted), trust::at_least);
}

}  // namespace
}  // namespace pappus::cost
