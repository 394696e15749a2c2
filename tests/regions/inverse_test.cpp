#include "regions/inverse.h"

#include <vector>

#include <gtest/gtest.h>

#include "regions/formulas.h"
#include "regions/made_up_access.h"

namespace pappus::regions {
namespace {

using values = std::vector<std::int64_t>;

TEST(inverse, of_what_is_not_linear_is_found_by_bisection) {
  const box array({0, 0}, {1000, 1000}), indices({0, 0}, {1'000'000, 4000});
  const access by{.slices = {{i / 1000, i / 1000}, {j / 8 * 2, j / 8 * 2 + 1}}};
  EXPECT_EQ(touching(by, box({3, 10}, {5, 12}), indices, {}, array), box({3000, 40}, {5000, 48}));
  EXPECT_EQ(touching(by, box({0, 0}, {1, 1}), indices, {}, array), box({0, 0}, {1000, 8}));
  EXPECT_EQ(touching(by, box({0, 999}, {1, 999}), indices, {}, array), box(2));
}

TEST(inverse, of_what_is_not_known_is_all_indices) {
  const access by{.slices = {{expression::symbol(0), expression::symbol(0)}}};
  EXPECT_EQ(touching(by, box({3}, {4}), box({0}, {9}), {}, box({0}, {9})), box({0}, {9}));
}

TEST(inverse, leaves_out_no_index_that_touches_elements) {
  for (std::uint64_t seed = 1; seed <= 10'000; ++seed) {
    SCOPED_TRACE(seed);
    made_up from(seed);
    const std::size_t rank = from.below(4), array_rank = from.below(4);
    const auto by = an_access(from, array_rank, rank, from.one_in(4));
    const values symbols{from.between(-2, 5), from.between(-2, 5)};
    const box array = an_array(from, array_rank), indices = from.a_box(rank, 5);
    const box elements = intersect(from.a_box(array_rank, 8), array);
    const box found = touching(by, elements, indices, symbols, array);
    ASSERT_TRUE(contains(indices, found));
    each_place(indices, [&](const point& p) {
      const auto here = named_at(by, p, symbols, array);
      if (here && overlap(*here, elements)) {
        ASSERT_TRUE(contains(found, p) && !found.empty());
      }
    });
  }
}

}  // namespace
}  // namespace pappus::regions
