// States of leaves that are finished in any order, against a tree that has all of them at once.
#include "run/partials.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "support/launches.h"

namespace pappus::run {
namespace {

using testing::launch_list;

/// A text that lists leaves: merging isn't symmetric, and shows its tree.
struct listing {
  char text[256] = {};
  void merge(const listing& other) {
    if (other.text[0] == '!') throw std::runtime_error("can't be merged");
    std::string all = text;
    if (other.text[0] != '\0') all = "(" + all + other.text + ")";
    if (all.size() >= sizeof text) all.resize(sizeof text - 1);
    std::memcpy(text, all.c_str(), all.size() + 1);
  }
};

/// States of one argument that a leaf may touch, in the array's numbers.
std::uint32_t* state(partials& of, std::size_t n, const regions::point& at) {
  std::int64_t place = 0;
  const auto& where = of[n].elements;
  for (std::size_t d = 0; d < where.rank; ++d)
    place = place * where.extent(d) + at[d] - where.low[d];
  return reinterpret_cast<std::uint32_t*>(of[n].memory.data()) + place;
}

/// Floats in the place of numbers, so that sums tell in which order they were made.
void sum_floats(arrays::launch& of) {
  using sums = detail::partial_states<float>;
  for (auto& argument : of.arguments)
    if (argument.reduction.start != nullptr) argument.reduction = {&sums::start, &sums::merge, "+"};
}

float number_of(std::int64_t leaf, std::int64_t place) {
  return 1.0F / static_cast<float>(3 + leaf * 7 + place % 11) * static_cast<float>(1 << leaf % 20);
}

/// What leaves add to elements of an array, all in states as large as the array.
std::vector<float> merged(const arrays::launch& of, const plan::stage& s, std::size_t argument,
                          std::vector<float> held) {
  const auto& all = of.arguments[argument].array->all;
  std::vector<std::vector<float>> level;
  for (std::int64_t leaf = 0; leaf < s.leaves.size(); ++leaf) {
    level.emplace_back(held.size(), -0.0F);
    testing::each_element(touched(of, argument, s.leaves.cell(leaf)), [&](const auto& at) {
      std::int64_t place = 0;
      for (std::size_t d = 0; d < all.rank; ++d) place = place * all.extent(d) + at[d];
      level.back()[static_cast<std::size_t>(place)] = number_of(leaf, place);
    });
  }
  const auto add = [](std::vector<float>& to, const std::vector<float>& from) {
    for (std::size_t i = 0; i < to.size(); ++i) to[i] += from[i];
  };
  while (level.size() > 1) {
    std::vector<std::vector<float>> above;
    for (std::size_t i = 0; i < level.size(); ++i)
      if (i % 8 == 0)
        above.push_back(level[i]);
      else
        add(above.back(), level[i]);
    level = std::move(above);
  }
  add(held, level.front());
  return held;
}

std::vector<float> floats_of(const arrays::argument& of) {
  std::vector<float> result(static_cast<std::size_t>(of.array->all.volume()));
  std::memcpy(result.data(), of.elements->data, result.size() * sizeof(float));
  return result;
}

/// Fills the states of a leaf.
partials made(leaf_results& results, const arrays::launch& of, const plan::stage& s,
              std::int64_t leaf) {
  auto states = results.start(leaf);
  for (std::size_t n = 0; n < states.size(); ++n) {
    const auto& all = of.arguments[s.partial[n]].array->all;
    testing::each_element(states[n].elements, [&](const auto& at) {
      std::int64_t place = 0;
      for (std::size_t d = 0; d < all.rank; ++d) place = place * all.extent(d) + at[d];
      const float x = number_of(leaf, place);
      std::memcpy(state(states, n, at), &x, sizeof x);
    });
  }
  return states;
}

struct sample {
  regions::box indices;
  std::vector<testing::part_of_array> on;
  std::string_view text;
};

std::vector<sample> samples() {
  const auto line = testing::numbered_array({90}), grid = testing::numbered_array({12, 40});
  return {
      {regions::box({0}, {5000}), {line}, "a: global i => reduce a[3]"},
      {regions::box({-7}, {20000}), {{line, regions::box({50}, {90})}}, "a: global i => reduce a"},
      // Boxes that overlap their neighbours', and grow.
      {regions::box({0, 0}, {80, 400}), {line}, "a: global [i,j] => reduce a[i:i+3]"},
      {regions::box({0, 0}, {12, 9000}),
       {{grid, regions::box({0, 5}, {12, 40})}, line},
       "a, b: global [i,j] => reduce a[11-i,i:i+2], reduce a[0,0], reduce b[40-i], reduce b[i+3]"},
      // Some leaves touch nothing of it.
      {regions::box({0, 0}, {13, 20000}),
       {grid},
       "a: global [i,j] => reduce a[i,2*i], reduce a[i,7]"},
  };
}

TEST(leaf_results, are_merged_by_number_whatever_the_order_they_come_in) {
  for (const auto& [indices, on, text] : samples()) {
    launch_list launches;
    auto& launch = launches.add(indices, on, text);
    const auto p = launches.planned();
    const auto& s = p.stages.front();
    sum_floats(launch);
    ASSERT_GE(s.leaves.size(), 8) << text;
    ASSERT_FALSE(s.partial.empty()) << text;
    const auto start = testing::elements_of(launches);
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      std::vector<std::vector<float>> expected;
      for (const auto a : s.partial)
        expected.push_back(merged(launch, s, a, floats_of(launch.arguments[a])));
      std::vector<std::int64_t> order(static_cast<std::size_t>(s.leaves.size()));
      std::iota(order.begin(), order.end(), 0);
      std::shuffle(order.begin(), order.end(), std::mt19937_64(seed));
      leaf_results results(launch, s);
      std::vector<std::thread> threads;
      for (std::size_t t = 0; t < 1 + seed % 3; ++t)
        threads.emplace_back([&, t] {
          for (std::size_t i = t; i < order.size(); i += 1 + seed % 3)
            results.finish(order[i], made(results, launch, s, order[i]));
        });
      for (auto& thread : threads) thread.join();
      for (std::size_t n = 0; n < s.partial.size(); ++n) {
        const auto got = floats_of(launch.arguments[s.partial[n]]);
        EXPECT_EQ(std::memcmp(got.data(), expected[n].data(), got.size() * sizeof(float)), 0)
            << text << ", seed " << seed;
      }
      testing::set_elements(launches, start);
    }
  }
}

TEST(leaf_results, change_nothing_before_the_last_leaf) {
  const auto a = testing::numbered_array({4});
  launch_list launches;
  auto& launch = launches.add(regions::box({0}, {1000}), {a}, "a: global i => reduce a[1:2]");
  const auto p = launches.planned();
  const auto& s = p.stages.front();
  const auto start = testing::elements_of(launches);
  leaf_results results(launch, s);
  for (auto leaf = s.leaves.size(); leaf-- > 1;) results.finish(leaf, results.start(leaf));
  EXPECT_EQ(testing::elements_of(launches), start);
  auto last = results.start(0);
  EXPECT_EQ(last[0].elements, regions::box({1}, {3}));
  *state(last, 0, {1}) = 5;
  results.finish(0, std::move(last));
  EXPECT_EQ(testing::elements_of(launches), (std::vector<std::uint32_t>{0, 6, 2, 3}));
}

TEST(leaf_results, stand_where_views_look_for_elements) {
  const auto a = testing::numbered_array({20, 30});
  const regions::box part({10, 5}, {20, 25});
  launch_list launches;
  auto& launch = launches.add(regions::box({0, 0}, {10, 500}), {{a, part}},
                              "a: global [i,j] => reduce a[i,3:6], reduce a[5,4]");
  const auto p = launches.planned();
  const auto& s = p.stages.front();
  leaf_results results(launch, s);
  for (std::int64_t leaf = 0; leaf < s.leaves.size(); ++leaf) {
    auto states = results.start(leaf);
    detail::view_place place = place_of(*a, *launch.arguments[0].elements, part);
    results.place(states, {&place, 1});
    EXPECT_EQ(place.extents[0], 10);
    testing::each_element(states[0].elements, [&](const auto& at) {
      EXPECT_EQ(testing::element(launch, 0, &place, at), state(states, 0, at));
    });
  }
}

TEST(leaf_results, give_their_memory_back_after_merging_has_thrown) {
  static const auto memory = std::make_shared<testing::test_memory>();
  const auto a =
      arrays::make_image(detail::record_type_of<listing>(), regions::box({0}, {1}), {memory}, {});
  a->parts.assign(a->all, {arrays::content::written, 0});
  new (a->elements->data) listing();
  launch_list launches;
  auto& launch = launches.add(regions::box({0}, {1000}), {a}, "a: global i => reduce a[0]");
  using states = detail::partial_states<listing>;
  launch.arguments[0].reduction = {&states::start, &states::merge, ""};
  const auto p = launches.planned();
  const auto& s = p.stages.front();
  const auto add = [&](leaf_results& to, std::int64_t leaf, bool odd) {
    auto all = to.start(leaf);
    all[0].memory.as<listing>()->text[0] = odd ? '!' : static_cast<char>('a' + leaf);
    to.finish(leaf, std::move(all));
  };
  const auto before = memory->used_bytes();
  {
    leaf_results results(launch, s);
    ASSERT_EQ(s.leaves.size(), 16);
    for (std::int64_t leaf = 0; leaf < 3; ++leaf) add(results, leaf, false);
    EXPECT_THROW(add(results, 3, true), std::runtime_error);
    for (std::int64_t leaf = 4; leaf < 16; ++leaf) add(results, leaf, false);
    EXPECT_EQ(std::string_view(reinterpret_cast<listing*>(a->elements->data)->text), "");
  }
  EXPECT_EQ(memory->used_bytes(), before);
  leaf_results results(launch, s);
  for (std::int64_t leaf = 0; leaf < 16; ++leaf) add(results, leaf, false);
  EXPECT_EQ(std::string_view(reinterpret_cast<listing*>(a->elements->data)->text),
            "(("
            "(((((((ab)c)d)e)f)g)h)"
            "(((((((ij)k)l)m)n)o)p)"
            "))");
}

}  // namespace
}  // namespace pappus::run
