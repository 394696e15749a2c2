#include "regions/linear_access.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "regions/formulas.h"
#include "regions/made_up_access.h"
#include "regions/region.h"

namespace pappus::regions {
namespace {

using values = std::vector<std::int64_t>;

const box line({0}, {100}), square({0, 0}, {40, 50});

access writing(std::vector<slice> slices) {
  return {.mode = access_mode::write, .slices = std::move(slices)};
}

spread spread_over(const box& indices, std::vector<slice> slices, const box& array) {
  return spread_of(*linear(writing(std::move(slices)), indices, {}, array), indices);
}

TEST(linear_access, tiles_where_each_index_has_a_dimension_of_its_own) {
  EXPECT_EQ(spread_over(line, {{i, i}}, line), spread::tiles);
  EXPECT_EQ(spread_over(line, {{99 - i, 99 - i}}, line), spread::tiles);
  EXPECT_EQ(spread_over(line, {{2 * i, 2 * i + 1}}, line), spread::tiles);
  EXPECT_EQ(spread_over(line, {{i, i}, {}}, square), spread::tiles);
  EXPECT_EQ(spread_over(square, {{j, j}, {i, i}}, square), spread::tiles);
}

TEST(linear_access, is_apart_where_elements_are_left_out) {
  EXPECT_EQ(spread_over(line, {{2 * i, 2 * i}}, line), spread::apart);
  EXPECT_EQ(spread_over(line, {{i, i}, {i, i}}, square), spread::apart);
  EXPECT_EQ(spread_over(square, {{i, i}, {3 * j, 3 * j + 1}}, square), spread::apart);
}

TEST(linear_access, is_mixed_where_two_indices_may_meet) {
  EXPECT_EQ(spread_over(line, {{0, 0}}, line), spread::mixed);
  EXPECT_EQ(spread_over(line, {{i, i + 1}}, line), spread::mixed);
  EXPECT_EQ(spread_over(line, {{0, i}}, line), spread::mixed);
  EXPECT_EQ(spread_over(square, {{i, i}}, line), spread::mixed);
  EXPECT_EQ(spread_over(square, {{i + j, i + j}}, line), spread::mixed);
  EXPECT_EQ(spread_over(line, {}, line), spread::mixed);
}

TEST(linear_access, leaves_variables_with_one_value_out_of_account) {
  EXPECT_EQ(spread_over(box({0, 7}, {9, 8}), {{i, i}}, line), spread::tiles);
  EXPECT_EQ(spread_over(box({3}, {4}), {}, line), spread::tiles);
  EXPECT_EQ(spread_over(box({3, 0}, {4, 9}), {{i + j, 2 * i + j - 3}}, line), spread::tiles);
}

TEST(linear_access, is_none_where_a_slice_is_not_linear) {
  EXPECT_FALSE(linear(writing({{i * i, i * i}}), line, {}, line));
  EXPECT_FALSE(linear(writing({{i, i}}), box(1), {}, line));
  EXPECT_TRUE(linear(writing({{i / 7, i / 7}}), box({3}, {4}), {}, line));
}

TEST(linear_access, tells_which_indices_touch_elements) {
  const auto stencil = *linear(writing({{i - 2, i + 1}}), line, {}, line);
  EXPECT_EQ(touching(stencil, box({50}, {60}), line), box({49}, {62}));
  EXPECT_EQ(touching(stencil, box({0}, {1}), line), box({0}, {3}));
  EXPECT_EQ(touching(stencil, box(1), line), box(1));
  const auto pairs = *linear(writing({{2 * i, 2 * i + 1}}), line, {}, line);
  EXPECT_EQ(touching(pairs, box({7}, {10}), line), box({3}, {5}));
  const auto turned = *linear(writing({{99 - i, 99 - i}}), line, {}, line);
  EXPECT_EQ(touching(turned, box({90}, {95}), line), box({5}, {10}));
  const auto column = *linear(writing({{j, j}}), square, {}, line);
  EXPECT_EQ(touching(column, box({3}, {4}), square), box({0, 3}, {40, 4}));
  EXPECT_EQ(touching(column, box({70}, {80}), square), box(2));
}

TEST(linear_access, at_the_ends_of_64_bits_bounds_what_it_can) {
  constexpr auto least = interval::least, most = interval::most;
  const box all({least}, {most});
  const auto same = *linear(writing({{i, i}}), all, {}, all);
  EXPECT_EQ(touching(same, box({least}, {least + 3}), all), box({least}, {least + 3}));
  EXPECT_EQ(touching(same, box({most - 3}, {most}), all), box({most - 3}, {most}));
  const auto steep = *linear(writing({{i * most, i * most}}), all, {}, all);
  EXPECT_EQ(touching(steep, box({-5}, {5}), all), box({0}, {1}));
  EXPECT_EQ(distances(same, same)[0], interval::of(0));
}

TEST(linear_access, tells_how_far_apart_indices_touch_the_same) {
  const auto written = *linear(writing({{i, i}, {j, j}}), square, {}, square);
  const auto read = *linear(writing({{i - 1, i + 1}, {j, j + 2}}), square, {}, square);
  const auto apart = distances(written, read);
  EXPECT_EQ(apart[0], interval(-1, 1));
  EXPECT_EQ(apart[1], interval(-2, 0));
  const auto row = *linear(writing({{i, i}, {}}), square, {}, square);
  EXPECT_EQ(distances(written, row)[0], interval::of(0));
  EXPECT_EQ(distances(written, row)[1], interval::everything());
  const auto third = *linear(writing({{2 * i, 2 * i}, {3, 3}}), square, {}, square);
  EXPECT_EQ(distances(third, third)[0], interval::of(0));
  const auto fourth = *linear(writing({{2 * i, 2 * i}, {4, 4}}), square, {}, square);
  EXPECT_TRUE(distances(third, fourth)[0].empty());
  const auto odd = *linear(writing({{2 * i + 1, 2 * i + 1}, {3, 3}}), square, {}, square);
  EXPECT_TRUE(distances(third, odd)[0].empty());
}

struct launch_case {
  std::size_t rank, array_rank;
  values symbols;
  box array, indices;
  access by;
  explicit launch_case(made_up& from)
      : rank(1 + from.below(3)),
        array_rank(from.below(4)),
        symbols{from.between(-2, 3), from.between(-2, 3)},
        array(an_array(from, array_rank)),
        indices(from.a_box(rank, 5)),
        by(an_access(from, array_rank, rank, true)) {}

  box at(const access& of, const point& index) const {
    return *named_at(of, index, symbols, array);
  }
};

TEST(linear_access, never_says_apart_of_indices_that_meet_nor_tiles_of_holes) {
  int found[3] = {};
  for (std::uint64_t seed = 1; seed <= 10'000; ++seed) {
    SCOPED_TRACE(seed);
    made_up from(seed);
    const launch_case c(from);
    const auto closed = linear(c.by, c.indices, c.symbols, c.array);
    ASSERT_EQ(closed.has_value(), !c.indices.empty());
    if (!closed) continue;
    const auto spread = spread_of(*closed, c.indices);
    ++found[static_cast<int>(spread)];
    if (spread == spread::mixed) continue;
    std::vector<box> all;
    box around(c.array_rank);
    bool one_is_empty = false;
    each_place(c.indices, [&](const point& p) {
      const box here = c.at(c.by, p);
      for (const auto& other : all) ASSERT_FALSE(overlap(here, other));
      one_is_empty |= here.empty();
      around = all.empty() ? here : hull(around, here);
      all.push_back(here);
    });
    if (spread != spread::tiles) continue;
    std::int64_t volume = 0;
    for (const auto& one : all) volume += one.volume();
    ASSERT_EQ(volume, around.volume());
    if (c.array_rank > 0 && !one_is_empty) {
      ASSERT_EQ(region(c.array_rank, all), region(around));
    }
  }
  EXPECT_GT(std::min({found[0], found[1], found[2]}), 500);
}

TEST(spread_of_formulas, is_apart_between_linear_bounds) {
  const auto over_blocks = [](const expression& last, std::int64_t first = 0) {
    return spread_of(writing({{8 * i, last}}), box({first}, {first + 13}), values{100}, line);
  };
  EXPECT_EQ(over_blocks(8 * i + least(n - 8 * i, 8) - 1), spread::apart);
  EXPECT_EQ(over_blocks(8 * i + least(8, n - 8 * i) - 1), spread::apart);
  EXPECT_EQ(over_blocks(least(8 * i + 8, n) - 1), spread::apart);
  EXPECT_EQ(over_blocks(least(8 * i + 8, n) - 1, 20), spread::apart);  // none has any
  EXPECT_EQ(over_blocks(least(8 * i + 9, n) - 1), spread::mixed);
  EXPECT_EQ(over_blocks(greatest(8 * i + 8, n) - 1), spread::mixed);
  const auto from = [](const expression& first) {
    return spread_of(writing({{first, 8 * i}}), box({0}, {13}), values{100}, line);
  };
  EXPECT_EQ(from(greatest(8 * i - 7, 0)), spread::apart);
  EXPECT_EQ(from(greatest(8 * i - 8, 0)), spread::mixed);
  EXPECT_EQ(spread_of(writing({}), line, {}, line), spread::mixed);
}

TEST(spread_of_formulas, never_says_apart_of_indices_that_meet) {
  int found = 0;
  for (std::uint64_t seed = 1; seed <= 40'000; ++seed) {
    SCOPED_TRACE(seed);
    made_up from(seed);
    launch_case c(from);
    c.by = an_access(from, c.array_rank, c.rank, false);
    for (auto& [low, high] : c.by.slices)
      if (low && high && from.one_in(2)) {
        const auto other = from.a_linear_formula(c.rank, 2);
        high = from.one_in(2) ? least(*high, other) : least(other, *high);
      }
    if (spread_of(c.by, c.indices, c.symbols, c.array) == spread::mixed) continue;
    std::vector<box> all;
    each_place(c.indices, [&](const point& p) {
      const auto here = named_at(c.by, p, c.symbols, c.array);
      if (!here) return;
      for (const auto& other : all) ASSERT_FALSE(overlap(*here, other));
      all.push_back(*here);
    });
    found += all.size() > 1;
  }
  EXPECT_GT(found, 100);
}

TEST(linear_access, leaves_out_no_index_that_touches_elements) {
  int exact = 0;
  for (std::uint64_t seed = 1; seed <= 20'000; ++seed) {
    SCOPED_TRACE(seed);
    made_up from(seed);
    const launch_case c(from);
    const auto closed = linear(c.by, c.indices, c.symbols, c.array);
    if (!closed) continue;
    const box elements = from.a_box(c.array_rank, 8);
    const box found = touching(*closed, elements, c.indices);
    box around(c.rank);
    each_place(c.indices, [&](const point& p) {
      if (!overlap(c.at(c.by, p), elements)) return;
      ASSERT_TRUE(contains(found, p));
      box here(c.rank);
      for (std::size_t d = 0; d < c.rank; ++d) here.low[d] = p[d], here.high[d] = p[d] + 1;
      around = hull(around, here);
    });
    if (spread_of(*closed, c.indices) != spread::tiles) continue;
    if (c.at(c.by, c.indices.low).empty()) continue;  // no index touches any
    ASSERT_EQ(found, around);
    ++exact;
  }
  EXPECT_GT(exact, 500);
}

TEST(linear_access, has_every_distance_between_indices_that_meet) {
  int bounded = 0;
  for (std::uint64_t seed = 1; seed <= 10'000; ++seed) {
    SCOPED_TRACE(seed);
    made_up from(seed);
    const launch_case c(from);
    access other = an_access(from, c.array_rank, c.rank, true);
    for (std::size_t d = 0; d < c.array_rank; ++d)
      if (from.one_in(2) && c.by.slices[d].low && c.by.slices[d].high)
        other.slices[d] = {*c.by.slices[d].low + from.between(-2, 2),
                           *c.by.slices[d].high + from.between(-2, 2)};
    const auto a = linear(c.by, c.indices, c.symbols, c.array);
    const auto b = linear(other, c.indices, c.symbols, c.array);
    if (!a || !b) continue;
    const auto apart = distances(*a, *b);
    for (std::size_t d = 0; d < c.rank; ++d) bounded += apart[d].bounded() ? 1 : 0;
    each_place(c.indices, [&](const point& p) {
      const box first = c.at(c.by, p);
      each_place(c.indices, [&](const point& q) {
        if (!overlap(first, c.at(other, q))) return;
        for (std::size_t d = 0; d < c.rank; ++d) ASSERT_TRUE(apart[d].holds(q[d] - p[d]));
      });
    });
  }
  EXPECT_GT(bounded, 500);
}

}  // namespace
}  // namespace pappus::regions
