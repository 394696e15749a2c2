#include "regions/evaluate.h"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "regions/formulas.h"
#include "regions/made_up.h"

namespace pappus::regions {
namespace {

using values = std::vector<std::int64_t>;

/// Over 0 <= i < 10, 5 <= j < 8.
interval here(const expression& formula, const values& symbols = {}) {
  return over(formula, box({0, 5}, {10, 8}), symbols);
}

TEST(evaluate, is_exact_for_what_is_linear_however_it_is_written) {
  EXPECT_EQ(here(i - i), interval::of(0));
  EXPECT_EQ(here((i + 1) * n - 1 - i * n, {1000}), interval::of(999));
  EXPECT_EQ(here(n - i - 1 + 2 * (j - i), {100}), interval(82, 113));
  EXPECT_EQ(here(n / 2 * i, {9}), interval(0, 36));
}

TEST(evaluate, is_exact_for_what_the_plugin_finds_in_stencils) {
  EXPECT_EQ(here(greatest(i, 1) - 1), interval(0, 8));
  EXPECT_EQ(here(least(i + 1, n - 1), {10}), interval(1, 9));
  EXPECT_EQ(here(i / 2 + 1), interval(1, 5));
  EXPECT_EQ(here(least(i, i + (n - 1) * w), {5, -3}), interval(-12, -3));
  EXPECT_EQ(here(greatest(i, i + (n - 1) * w), {5, -3}), interval(0, 9));
  EXPECT_EQ(over((i - w) / n, box({-10}, {11}), values{4, 1}), interval(-2, 2));
}

TEST(evaluate, knows_remainders_within_a_period) {
  EXPECT_EQ(over(i % 8 - i, box({8}, {16}), {}), interval::of(-8));
  EXPECT_EQ(over(i % 8, box({7}, {9}), {}), interval(0, 7));
  EXPECT_EQ(over(i % 8, box({-16}, {-8}), {}), interval(-7, 0));
  EXPECT_EQ(linear(i % 8, box({8}, {16}), {}), (affine{-8, {1}}));
  EXPECT_EQ(linear(i % 8, box({8}, {17}), {}), std::nullopt);
}

TEST(evaluate, knows_quotients_that_are_linear) {
  const box from_3({3}, {40}), up_to_2({-40}, {3}), both({-40}, {40});
  EXPECT_EQ(linear(i / 1, both, {}), (affine{0, {1}}));
  EXPECT_EQ(linear((6 * i - 9) / 3, both, {}), (affine{-3, {2}}));
  EXPECT_EQ(linear((2 * i + 1) / 2, from_3, {}), (affine{0, {1}}));
  EXPECT_EQ(linear((2 * i - 5) / 2, from_3, {}), (affine{-3, {1}}));
  EXPECT_EQ(linear((2 * i - 5) / 2, up_to_2, {}), (affine{-2, {1}}));
  EXPECT_EQ(linear((2 * i - 4 + 1) / n, up_to_2, values{2}), std::nullopt);  // from -83 to 1
  EXPECT_EQ(linear((5 - 2 * i) / 2, from_3, {}), (affine{3, {-1}}));
  EXPECT_EQ(linear((2 * i + 1) / 2, both, {}), std::nullopt);
  EXPECT_EQ(linear((2 * i + j) / 2, box({0, 0}, {9, 9}), {}), std::nullopt);
  EXPECT_EQ(linear(2 * i / -2, both, {}), std::nullopt);
}

TEST(evaluate, of_no_indices_is_nothing) {
  EXPECT_EQ(over(i + 3, box({4}, {4}), {}), interval::nothing());
  EXPECT_EQ(over(3, box({4}, {4}), {}), interval::nothing());
  EXPECT_EQ(over(3, box(0), {}), interval::of(3));
  EXPECT_EQ(linear(i, box({4}, {4}), {}), std::nullopt);
}

TEST(evaluate, of_what_is_not_known_is_everything) {
  EXPECT_EQ(here(n), everything);
  EXPECT_EQ(here(i + w, {5}), everything);
  EXPECT_EQ(here(expression::index(2)), everything);
  EXPECT_EQ(here(n * 0 + i), interval(0, 9));
  EXPECT_EQ(here(i % (j - 6)), everything);
}

TEST(evaluate, never_wraps_around) {
  const std::int64_t big = std::int64_t{1} << 62;
  EXPECT_EQ(here(i * big), everything);
  EXPECT_EQ(here((i + 1) * big), everything);
  EXPECT_EQ(here(i * big * 4 / 8), everything);
  EXPECT_EQ(here(i + interval::most), everything);
  EXPECT_EQ(here(i + (interval::most - 10)), interval(interval::most - 10, interval::most - 1));
  EXPECT_EQ(here(i * n - i * n, {big}), interval::of(0));
  EXPECT_EQ(over(i * i, box({0}, {big}), {}), everything);
  EXPECT_EQ(over(i * 2, box({interval::least}, {interval::most}), {}), everything);
  EXPECT_EQ(over(i, box({interval::least}, {interval::most}), {}),
            interval(interval::least, interval::most - 1));
  EXPECT_EQ(over(0 - i, box({interval::least}, {0}), {}), everything);
  EXPECT_EQ(here(least((i + 1) * big * 2, 7)), interval(interval::least, 7));
}

/// All values, one index after the other; none: one isn't defined.
std::optional<interval> by_trying(const expression& formula, const box& indices,
                                  const values& symbols) {
  interval seen = interval::nothing();
  bool defined = true;
  each_place(indices, [&](const point& p) {
    const auto value = value_at(formula, p, symbols);
    defined &= value.has_value();
    if (value) seen = {std::min(seen.low, *value), std::max(seen.high, *value)};
  });
  return defined ? std::optional(seen) : std::nullopt;
}

TEST(evaluate, leaves_no_value_out) {
  for (std::uint64_t seed = 1; seed <= 40'000; ++seed) {
    made_up from(seed);
    const std::size_t rank = seed % 5;
    const auto formula = from.a_formula(rank, 1 + static_cast<int>(seed % 4));
    const box indices = from.a_box(rank, 4);
    const values symbols{from.a_constant(), from.a_constant()};
    const auto result = over(formula, indices, symbols);
    const auto function = linear(formula, indices, symbols);
    each_place(indices, [&](const point& p) {
      const auto value = value_at(formula, p, symbols);
      if (!value) return;
      ASSERT_TRUE(result.holds(*value)) << "seed " << seed << ": " << formula.code();
      if (!function) return;
      wide sum = function->constant;
      for (std::size_t d = 0; d < rank; ++d) sum += wide{function->factors[d]} * p[d];
      ASSERT_TRUE(sum == *value) << "seed " << seed << ": " << formula.code();
    });
  }
}

TEST(evaluate, is_exact_for_linear_formulas_and_what_keeps_their_order) {
  for (std::uint64_t seed = 1; seed <= 20'000; ++seed) {
    made_up from(seed);
    const std::size_t rank = seed % 5;
    const values symbols{from.between(-3, 3), from.between(-3, 3)};
    auto formula = from.a_linear_formula(rank, 4);
    const box indices = from.a_box(rank, 4);
    ASSERT_EQ(over(formula, indices, symbols), by_trying(formula, indices, symbols))
        << "seed " << seed << ": " << formula.code();
    for (auto steps = from.below(3) + 1; steps-- > 0;) {
      const auto what = std::array{operation::add, operation::divide, operation::least,
                                   operation::greatest, operation::shift_right}[from.below(5)];
      formula = expression::of(what, formula, from.between(1, 5));
    }
    ASSERT_EQ(over(formula, indices, symbols), by_trying(formula, indices, symbols))
        << "seed " << seed << ": " << formula.code();
  }
}

}  // namespace
}  // namespace pappus::regions
