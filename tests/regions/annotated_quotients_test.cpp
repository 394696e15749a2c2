// Annotations with quotients: regions against all indices, one by one.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "pappus/error.h"
#include "regions/annotation.h"
#include "regions/made_up_access.h"
#include "regions/steps.h"

namespace pappus::regions {
namespace {

/// Over an array a of two dimensions, x of one, with values k and m.
launch_signature dividing_launch(std::size_t rank, std::vector<std::int64_t> numbers) {
  return {.rank = rank,
          .arrays = {{"a", 2}, {"x", 1}},
          .values = {"k", "m"},
          .numbers = std::move(numbers)};
}

access dividing_access(std::string_view annotated, std::size_t rank,
                       const std::vector<std::int64_t>& numbers) {
  const auto parsed = parse_annotation(annotated, dividing_launch(rank, numbers));
  return parsed.touches.with(numbers).accesses.at(0);
}

TEST(annotated_quotients, have_blocks_of_indices_as_regions) {
  const box view({0, 0}, {100, 100});
  const auto by = dividing_access("global [i, j] => reduce a[(i-2000)/8, (j-3000)/8]", 2, {0, 0});
  EXPECT_EQ(touched(by, box({2000, 3000}, {2800, 3800}), {}, view).elements, view);
  EXPECT_EQ(touched(by, box({2007, 3008}, {2009, 3016}), {}, view).elements, box({0, 1}, {2, 2}));
  EXPECT_EQ(steps_along(by, 1, box({2000, 3000}, {2800, 3800}), {}), (steps{1, 8, 0}));
  const auto named =
      dividing_access("global [i, j] => reduce a[(i-m)/k, (j-m+1)/(2*k)]", 2, {4, 9});
  EXPECT_EQ(touched(named, box({17, 9}, {22, 26}), {}, view).elements, box({2, 0}, {4, 3}));
  EXPECT_EQ(steps_along(named, 1, box({17, 9}, {22, 26}), {}), (steps{1, 8, 0}));
}

TEST(annotated_quotients, may_be_bounds_of_slices_and_parts_of_formulas) {
  const box line({0}, {100});
  const auto over = [&](std::string_view annotated, const box& indices) {
    return touched(dividing_access(annotated, 1, {3, 5}), indices, {}, line).elements;
  };
  EXPECT_EQ(over("global i => read x[i/2:i/2+1]", box({3}, {8})), box({1}, {5}));
  EXPECT_EQ(over("global i => read x[i/k-1:(i+m)/k]", box({6}, {9})), box({1}, {5}));
  EXPECT_EQ(over("global i => read x[64-i/2]", box({0}, {5})), box({62}, {65}));
  EXPECT_EQ(over("global i => read x[4*(i/4):4*(i/4)+3]", box({5}, {9})), box({4}, {12}));
  EXPECT_EQ(over("global i => read x[i/2/k]", box({12}, {19})), box({2}, {4}));
  EXPECT_EQ(over("global i => read x[i/-(1-m)]", box({8}, {9})), box({2}, {3}));
}

TEST(annotated_quotients, round_towards_zero) {
  const box line({-9}, {10});
  const auto by = dividing_access("global i => read x[(i-7)/4]", 1, {0, 0});
  EXPECT_EQ(touched(by, box({4}, {11}), {}, line).elements, box({0}, {1}));  // -3/4 to 3/4
  EXPECT_EQ(touched(by, box({3}, {12}), {}, line).elements, box({-1}, {2}));
  EXPECT_EQ(steps_along(by, 0, box({3}, {30}), {}), std::nullopt);
}

/// A quotient of something linear, or one of that; then as many again added to it as are asked for.
expression a_quotient(made_up& from, std::size_t rank, std::size_t more) {
  const auto divisor = [&] {
    return from.one_in(3) ? expression::symbol(from.below(2)) : expression(from.between(1, 6));
  };
  auto result = from.a_linear_formula(rank, 2) / divisor();
  if (from.one_in(4)) result = (result + from.between(-2, 2)) / divisor();
  if (from.one_in(2)) result = result + from.between(-3, 3);
  if (more == 0) return result;
  if (from.one_in(2)) result = result * from.between(-2, 2);
  return from.one_in(2) ? result + a_quotient(from, rank, more - 1)
                        : a_quotient(from, rank, more - 1) - result;
}

/// Of a, printed and read again.
access read_back(const access& by, std::size_t rank, const std::vector<std::int64_t>& numbers) {
  static const std::vector<std::string> all{"i", "j", "l"}, arrays{"a", "x"};
  const std::vector<std::string> indices(all.begin(), all.begin() + static_cast<int>(rank));
  const auto launch = dividing_launch(rank, numbers);
  std::string bound;
  for (const auto& name : indices) bound += (bound.empty() ? "" : ", ") + name;
  const auto printed = "global [" + bound + "] => " + text(by, {{indices, launch.values}, arrays});
  SCOPED_TRACE(printed);
  return parse_annotation(printed, launch).touches.with(numbers).accesses.at(0);
}

/// The smallest box around what all indices name, as far as the array has it.
box named_together(const access& by, const box& indices, const std::vector<std::int64_t>& numbers,
                   const box& array) {
  std::optional<box> around;
  each_place(indices, [&](const point& p) {
    const auto here = *named_at(by, p, numbers, array);
    if (!around) around = here;
    for (std::size_t d = 0; d < array.rank; ++d) {
      around->low[d] = std::min(around->low[d], here.low[d]);
      around->high[d] = std::max(around->high[d], here.high[d]);
    }
  });
  const auto inside = around ? intersect(*around, array) : box(array.rank);
  return inside.empty() ? box(array.rank) : inside;
}

TEST(annotated_quotients, have_regions_with_all_that_indices_name_and_no_more) {
  const box array({-6, -6}, {9, 9});
  int stepping = 0, tight = 0;
  for (std::uint64_t seed = 1; seed <= 20'000; ++seed) {
    SCOPED_TRACE(seed);
    made_up from(seed);
    const auto rank = 1 + from.below(3);
    const std::vector<std::int64_t> numbers{from.between(1, 5), from.between(1, 5)};
    const auto more = from.below(3);  // a sum of quotients has an index several times
    access by{.array = 0, .mode = access_mode::read, .slices = {}};
    for (std::size_t d = 0; d < array.rank; ++d) {
      const auto first = a_quotient(from, rank, more);
      by.slices.push_back({first, from.one_in(2) ? first : a_quotient(from, rank, more)});
    }
    const auto back = read_back(by, rank, numbers);
    const box indices = from.a_box(rank, 8);
    const auto found = touched(back, indices, {}, array).elements;
    const auto together = named_together(by, indices, numbers, array);
    ASSERT_TRUE(together.empty() || contains(found, together));
    if (more == 0) {
      ASSERT_EQ(found, together);
      tight += together.empty() ? 0 : 1;
    }
    each_place(indices, [&](const point& p) {
      box alone(rank);
      for (std::size_t d = 0; d < rank; ++d) alone.high[d] = (alone.low[d] = p[d]) + 1;
      ASSERT_EQ(touched(back, alone, {}, array).elements,
                named_together(by, alone, numbers, array));
    });
    stepping += steps_along(back, rank - 1, indices, {}) ? 1 : 0;
  }
  EXPECT_GT(tight, 2'000);
  EXPECT_GT(stepping, 50);
}

std::string refusal_of(std::string_view annotated, std::vector<std::int64_t> numbers) {
  try {
    parse_annotation(annotated, dividing_launch(1, std::move(numbers)));
  } catch (const usage_error& e) {
    return std::string("\n") + e.what();
  }
  return "nothing";
}

TEST(annotated_quotients, are_by_numbers_of_at_least_1) {
  EXPECT_EQ(refusal_of("global i => read x[i/0]", {}), "nothing");  // values aren't known yet
  EXPECT_EQ(refusal_of("global i => read x[i/k]", {1, 0}), "nothing");
  EXPECT_EQ(refusal_of("global i => read x[i/0]", {1, 0}), R"t(
annotation, line 1: expected a divisor of at least 1, got 0
    global i => read x[i/0]
                         ^)t");
  EXPECT_EQ(refusal_of("global i => read x[i/-8]", {1, 0}), R"t(
annotation, line 1: expected a divisor of at least 1, got -8
    global i => read x[i/-8]
                         ^)t");
  EXPECT_EQ(refusal_of("global i => read x[i/k]", {0, 0}), R"t(
annotation, line 1: expected a divisor of at least 1, got k, which is 0
    global i => read x[i/k]
                         ^)t");
  EXPECT_EQ(refusal_of("global i => read x[i/(m - 2*k)+1]", {3, 5}), R"t(
annotation, line 1: expected a divisor of at least 1, got m-2*k, which is -1
    global i => read x[i/(m - 2*k)+1]
                         ^)t");
  EXPECT_EQ(refusal_of("global i => read x[i+m%k]", {0, 5}), R"t(
annotation, line 1: expected a divisor of at least 1, got k, which is 0
    global i => read x[i+m%k]
                           ^)t");
  EXPECT_EQ(refusal_of("global i => read x[i/(k*k)]", {std::int64_t{1} << 40, 0}), R"t(
annotation, line 1: expected a divisor of at least 1, got k*k, which is a number beyond 64 bits
    global i => read x[i/(k*k)]
                         ^)t");
}

TEST(annotated_quotients, are_by_numbers_that_dont_depend_on_the_index) {
  EXPECT_EQ(refusal_of("global i => read x[m/(i+1)]", {1, 1}), R"t(
annotation, line 1: expected a divisor without an index, or ":" for all, got one that has one
    global i => read x[m/(i+1)]
                         ^)t");
  EXPECT_EQ(refusal_of("global i, block b => read x[i/b]", {1, 1}), R"t(
annotation, line 1: expected a divisor without an index, or ":" for all, got one that has one
    global i, block b => read x[i/b]
                                  ^)t");
  EXPECT_EQ(refusal_of("global i => read x[i/2*i]", {1, 1}), R"t(
annotation, line 1: expected an index linear in i, or ":" for all, got a product of two
    global i => read x[i/2*i]
                          ^)t");
  EXPECT_EQ(refusal_of("global i => read x[i/2%2]", {1, 1}), R"t(
annotation, line 1: expected an index linear in i, or ":" for all, got a remainder
    global i => read x[i/2%2]
                          ^)t");
}

}  // namespace
}  // namespace pappus::regions
