// Steps must be those that the elements take, index by index.
#include <cstdint>
#include <optional>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "regions/parts.h"
#include "regions/steps.h"

namespace pappus::regions {
namespace {

const expression i = expression::index(0), j = expression::index(1);

access of(std::vector<expression> elements) {
  access result{.array = 0, .mode = access_mode::reduce, .slices = {}};
  for (const auto& one : elements) result.slices.push_back({one, one});
  return result;
}

TEST(steps, are_found_for_quotients_and_shifts) {
  const box indices({0, 0}, {40, 50}), later({3, 100}, {40, 150});
  EXPECT_EQ(steps_along(of({i, j / 8}), 1, indices, {}), (steps{1, 8, 0}));
  EXPECT_EQ(steps_along(of({j / 8, i}), 1, indices, {}), (steps{0, 8, 0}));
  EXPECT_EQ(steps_along(of({i / 4, j / 8}), 0, indices, {}), (steps{0, 4, 0}));
  EXPECT_EQ(steps_along(of({i, (j - 100) / 7}), 1, later, {}), (steps{1, 7, 2}));
  EXPECT_EQ(steps_along(of({i, (j + 3) / 7}), 1, indices, {}), (steps{1, 7, 4}));
  const auto n = expression::symbol(0), w = expression::symbol(1);
  const std::vector<std::int64_t> values{4, 100};
  EXPECT_EQ(steps_along(of({i, (j - w) / (2 * n - 1)}), 1, later, values), (steps{1, 7, 2}));
  const auto shifted = expression::of(operation::shift_right, j, 3);
  EXPECT_EQ(steps_along(of({i, shifted}), 1, indices, {}), (steps{1, 8, 0}));
}

TEST(steps, arent_found_for_anything_else) {
  const box indices({0, 0}, {40, 50}), negative({-5, -5}, {40, 50});
  for (const auto& one :
       {of({i, j}), of({i, j / 1}), of({i, j / -8}), of({i, j / 0}), of({i, 2 * j / 8}),
        of({i, (i + j) / 8}), of({j / 8, j / 8}), of({i, j / 8 + 1}), of({i, j % 8}),
        of({i, i / j}), of({i, (0 - j) / 8}), of({i, j / i})})
    EXPECT_EQ(steps_along(one, 1, indices, {}), std::nullopt);
  // Towards 0: -7 to 7 are one element.
  EXPECT_EQ(steps_along(of({i, j / 8}), 1, negative, {}), std::nullopt);
  EXPECT_EQ(steps_along(of({i, j / 8}), 1, box({0, 0}, {0, 5}), {}), std::nullopt);
  access several{.array = 0, .mode = access_mode::reduce, .slices = {{i, i}, {j / 8, j / 8 + 1}}};
  EXPECT_EQ(steps_along(several, 1, indices, {}), std::nullopt);
  EXPECT_EQ(steps_along(access{.array = 0, .slices = {}}, 1, indices, {}), std::nullopt);
}

TEST(steps, are_those_of_the_elements) {
  std::mt19937 random(7);
  const auto from = [&](std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(random()) % (high - low + 1);
  };
  for (int n = 0; n < 2000; ++n) {
    const auto low = from(-30, 30), constant = from(-40, 40), length = from(1, 12);
    const box indices({0, low}, {3, low + from(1, 60)});
    const auto one = of({i, (j + constant) / length});
    const auto found = steps_along(one, 1, indices, {});
    EXPECT_EQ(found.has_value(), low + constant >= 0 && length > 1);
    if (!found) continue;
    for (auto at = indices.low[1] + 1; at < indices.high[1]; ++at) {
      const auto before = only_element(one, box({1, at - 1}, {2, at}), {});
      const auto now = only_element(one, box({1, at}, {2, at + 1}), {});
      ASSERT_TRUE(before && now);
      const bool goes_on = (at - found->first) % found->length == 0;
      ASSERT_EQ((*now)[1] - (*before)[1], goes_on ? 1 : 0) << at;
    }
  }
}

TEST(steps, only_one_element_is_told) {
  EXPECT_EQ(only_element(of({i, j / 8}), box({3, 16}, {4, 24}), {}), (point{3, 2}));
  EXPECT_EQ(only_element(of({i, j / 8}), box({3, 16}, {4, 25}), {}), std::nullopt);
  EXPECT_EQ(only_element(of({i, j / 8}), box({3, 16}, {5, 17}), {}), std::nullopt);
  EXPECT_EQ(only_element(of({5, 6}), box({3, 16}, {5, 17}), {}), (point{5, 6}));
}

}  // namespace
}  // namespace pappus::regions
