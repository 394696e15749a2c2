#include "regions/footprint.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "regions/formulas.h"
#include "regions/made_up_access.h"

namespace pappus::regions {
namespace {

using values = std::vector<std::int64_t>;
using place = touch::place;

access reading(std::vector<slice> slices) { return {.slices = std::move(slices)}; }

TEST(footprint, of_a_stencil_reaches_beyond_the_indices) {
  const auto stencil = reading({{i - w, i + w}});
  const box array({0}, {1000});
  const auto middle = touched(stencil, box({100}, {200}), values{0, 2}, array);
  EXPECT_EQ(middle.elements, box({98}, {202}));
  EXPECT_EQ(middle.where, place::inside);
  const auto first = touched(stencil, box({0}, {200}), values{0, 2}, array);
  EXPECT_EQ(first.elements, box({0}, {202}));
  EXPECT_EQ(first.where, place::partly_outside);
  const auto beyond = touched(stencil, box({1002}, {1003}), values{0, 2}, array);
  EXPECT_EQ(beyond.elements, box(1));
  EXPECT_EQ(beyond.where, place::outside);
}

TEST(footprint, of_a_matrix_product_is_rows_and_columns) {
  const box array({0, 0}, {50, 60}), indices({10, 20}, {12, 23});
  EXPECT_EQ(touched(reading({{i, i}, {}}), indices, {}, array).elements, box({10, 0}, {12, 60}));
  EXPECT_EQ(touched(reading({{}, {j, j}}), indices, {}, array).elements, box({0, 20}, {50, 23}));
  EXPECT_EQ(touched(reading({}), indices, {}, array).elements, array);
  EXPECT_EQ(touched(reading({{{}, i}, {j, {}}}), indices, {}, array).elements,
            box({0, 20}, {12, 60}));
}

TEST(footprint, of_a_scalar_is_all_of_it) {
  const auto sum = touched(reading({}), box({0}, {9}), {}, box(0));
  EXPECT_EQ(sum.elements, box(0));
  EXPECT_EQ(sum.where, place::inside);
  EXPECT_EQ(touched(reading({}), box(0), {}, box({0}, {7})).elements, box({0}, {7}));
}

TEST(footprint, that_names_nothing_is_inside) {
  const box array({0}, {9});
  for (const auto& [by, indices] :
       {std::pair(reading({{i, i}}), box({3}, {3})), std::pair(reading({}), box({3}, {3})),
        std::pair(reading({{i + 20, i + 10}}), box({0}, {9}))}) {
    const auto nothing = touched(by, indices, {}, array);
    EXPECT_EQ(nothing.elements, box(1));
    EXPECT_EQ(nothing.where, place::inside);
  }
  EXPECT_EQ(touched(reading({{}}), box({0}, {9}), {}, box(1)).where, place::inside);
  EXPECT_EQ(touched(reading({{i, i}}), box({0}, {9}), {}, box(1)).where, place::outside);
}

TEST(footprint, that_is_not_known_is_the_whole_array) {
  const box array({0}, {9});
  const auto by_data = touched(reading({{i / (i - 2), i / (i - 2)}}), box({0}, {9}), {}, array);
  EXPECT_EQ(by_data.elements, array);
  EXPECT_EQ(by_data.where, place::unknown);
  const auto bounded = touched(reading({{i, n}}), box({3}, {5}), {}, array);
  EXPECT_EQ(bounded.elements, box({3}, {9}));
  EXPECT_EQ(bounded.where, place::unknown);
}

TEST(footprint, at_the_ends_of_64_bits_is_clipped) {
  const box array({0}, {interval::most});
  const auto last = touched(reading({{i, i}}), array, {}, array);
  EXPECT_EQ(last.elements, array);
  EXPECT_EQ(last.where, place::inside);
  EXPECT_EQ(touched(reading({{i, i + 1}}), array, {}, array).elements, array);
}

TEST(footprint, is_written_as_in_an_annotation) {
  const std::vector<std::string> indices{"i", "j"}, symbols{"n", "w"}, arrays{"in", "out"};
  const access_names names{{indices, symbols}, arrays};
  const access out{.array = 1, .mode = access_mode::write, .slices = {{i, i}, {{}, j}, {}}};
  const access sum{.array = 2, .mode = access_mode::reduce, .by = reduction::minimum, .slices = {}};
  EXPECT_EQ(text(footprint{{reading({{i - w, i + w}}), out, sum}}, names),
            "read in[i-w:i+w], write out[i,:j,:], reduce(min) a2");
  EXPECT_EQ(text(footprint{}, names), "nothing");
  EXPECT_EQ(text(footprint{{out}}.with(values{7, 5}), names), "write out[i,:j,:]");
  EXPECT_EQ(text(footprint{{reading({{i - w, n}})}}.with(values{7, 5}), names), "read in[i-5:7]");
}

TEST(footprint, leaves_no_element_out) {
  for (std::uint64_t seed = 1; seed <= 20'000; ++seed) {
    SCOPED_TRACE(seed);
    made_up from(seed);
    const std::size_t rank = from.below(4), array_rank = from.below(4);
    const bool is_linear = from.one_in(2);
    const auto by = an_access(from, array_rank, rank, is_linear);
    const values symbols{from.between(-2, 5), from.between(-2, 5)};
    const box array = an_array(from, array_rank), indices = from.a_box(rank, 4);
    const auto found = touched(by, indices, symbols, array);
    box around(array_rank);
    bool named = false, any_outside = false, all_defined = true, may_be_empty = false;
    each_place(indices, [&](const point& p) {
      const auto here = named_at(by, p, symbols, array);
      all_defined &= here.has_value();
      if (!here) return;
      may_be_empty |= here->empty();
      named |= !here->empty();
      any_outside |= !contains(array, *here);
      around = named ? hull(around, *here) : around;
      ASSERT_TRUE(contains(found.elements, intersect(*here, array)));
    });
    if (array_rank == 0 && !named) continue;
    ASSERT_TRUE(contains(array, found.elements) || found.elements.empty());
    if (found.where == place::inside && all_defined) {
      ASSERT_FALSE(any_outside);
    }
    if (found.where == place::outside) {
      ASSERT_TRUE(found.elements.empty());
    }
    if (!is_linear || !all_defined || may_be_empty || !named) continue;
    ASSERT_NE(found.where, place::unknown);
    ASSERT_EQ(found.where == place::inside, contains(array, around));
    ASSERT_EQ(found.elements, intersect(around, array));
  }
}

}  // namespace
}  // namespace pappus::regions
