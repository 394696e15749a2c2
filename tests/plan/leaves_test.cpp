// Which launches reduce leaf by leaf, where their indices are cut, and who waits for them.
#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plan/batch.h"
#include "support/launches.h"

namespace pappus::plan {
namespace {

using regions::box;
using regions::cuts;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::launch_list;
using testing::planned_array;

/// How one launch is planned, which lasts as long as the launches do.
stage stage_of(launch_list& launches, const box& indices,
               const std::vector<testing::part_of_array>& on, const char* text) {
  launches.nodes.clear();
  launches.add(indices, on, text);
  return launches.planned().stages.front();
}

std::int64_t leaf_count(const box& indices, const std::vector<testing::part_of_array>& on,
                        const char* text) {
  launch_list launches;
  const auto s = stage_of(launches, indices, on, text);
  return s.leaves.rank() == 0 ? 0 : s.leaves.size();
}

TEST(leaves, have_64_to_65536_indices) {
  const auto a = planned_array({1});
  const auto count = [&](std::int64_t n) {
    return leaf_count(box({0}, {n}), {a}, "a: global i => reduce a[0]");
  };
  EXPECT_EQ(count(1), 0);
  EXPECT_EQ(count(127), 0);
  EXPECT_EQ(count(128), 2);
  EXPECT_EQ(count(192), 3);
  EXPECT_EQ(count(4096), 64);
  EXPECT_EQ(count(4097), 65);
  EXPECT_EQ(count(4160), 33);  // of 128
  EXPECT_EQ(count(64 * 65536), 64);
  EXPECT_EQ(count(640 * 65536), 640);
}

TEST(leaves, are_cut_by_numbers_of_indices_alone) {
  const auto a = planned_array({1});
  launch_list launches;
  const auto s = stage_of(launches, box({-5}, {995}), {a}, "a: global i => reduce a[0]");
  EXPECT_TRUE(s.leaves.dimension(0) == cuts::even(-5, 995, 64));
  EXPECT_THAT(s.partial, ElementsAre(0));
  EXPECT_FALSE(s.independent);
  EXPECT_THAT(s.notes, ElementsAre("reduces in 16 leaves of 64 indices, each into 4 B of its "
                                   "own, merged in a fixed order"));
  for (const std::int64_t size : {1, 7, 64, 65, 300, 5000}) {
    const auto p = launches.planned(size);
    EXPECT_TRUE(p.stages[0].leaves.dimension(0) == cuts::even(-5, 995, 64));
    const auto& items = p.stages[0].items.dimension(0);
    for (std::int64_t i = 0; i < items.size(); ++i) EXPECT_EQ((items.position(i) + 5) % 64, 0);
    verify_batch(p);
  }
}

TEST(leaves, are_the_greater_the_more_elements_they_reduce_into) {
  const auto a = planned_array({100}), b = planned_array({20});
  EXPECT_EQ(leaf_count(box({0}, {20'000}), {a}, "a: global i => reduce a"), 10);
  EXPECT_EQ(leaf_count(box({0}, {20'000}), {a, b}, "a, b: global i => reduce a, reduce b"), 10);
  EXPECT_EQ(leaf_count(box({0}, {900}), {a}, "a: global i => reduce a"), 0);
  EXPECT_EQ(leaf_count(box({0}, {900}), {a}, "a: global i => reduce a[0:9]"), 4);
}

TEST(leaves, arent_needed_where_indices_are_cut_apart) {
  const auto a = planned_array({64, 100}), c = planned_array({64, 8});
  launch_list launches;
  const auto s = stage_of(launches, box({0, 0, 0}, {64, 50, 8}), {a, c},
                          "a, c: global [i,k,j] => read a[i,k], reduce c[i,j]");
  EXPECT_EQ(s.leaves.rank(), 0);
  EXPECT_THAT(s.partial, IsEmpty());
  EXPECT_EQ(s.cut_along & 7U, 5U);
  EXPECT_TRUE(s.independent);
  for (const std::int64_t size : {1, 100, 5000}) {
    const auto p = launches.planned(size);
    EXPECT_EQ(p.stages[0].items.dimension(1).size(), 1);
  }
  EXPECT_EQ(launches.planned(1).stages[0].items.size(), 64);
  EXPECT_EQ(leaf_count(box({0, 0, 0}, {7, 1000, 8}), {a, c},
                       "a, c: global [i,k,j] => read a[i,k], reduce c[i,j]"),
            7 * 8);
}

TEST(leaves, that_are_apart_reduce_straight) {
  const auto a = planned_array({16}), b = planned_array({1});
  launch_list launches;
  const auto s = stage_of(launches, box({0, 0}, {16, 1000}), {a, b},
                          "a, b: global [i,j] => reduce a[i], reduce b[0]");
  EXPECT_TRUE(s.leaves.dimension(0) == cuts::even(0, 16, 1));
  EXPECT_TRUE(s.leaves.dimension(1) == cuts::even(0, 1000, 512));
  EXPECT_THAT(s.partial, ElementsAre(0, 1));
  const auto wide = planned_array({32});
  const auto t = stage_of(launches, box({0, 0}, {32, 128}), {wide, b},
                          "a, b: global [i,j] => reduce a[i], reduce b[0]");
  EXPECT_EQ(t.leaves.dimension(1).size(), 1);
  EXPECT_THAT(t.partial, ElementsAre(1));
  for (const auto& p : {launches.planned(0), launches.planned(1), launches.planned(300)})
    verify_batch(p);
}

/// The plan of a launch that reduces into a[i/step,(j-low)/step], from column `low` on.
plan of_divided(std::int64_t n, std::int64_t step, std::int64_t low = 0) {
  const auto a = planned_array({n / step + 1, n / step + 1});
  launch_list launches;
  const auto text = fmt::format("a: global [i,j] => reduce a[i/{},(j-{})/{}]", step, low, step);
  launches.add(box({0, low}, {n, low + n}), {a}, text).takes_steps = true;
  auto p = launches.planned(1);
  verify_batch(p);
  return p;
}

TEST(leaves, of_divided_indices_are_apart_where_they_begin_with_an_element) {
  const auto aligned = of_divided(128, 8);
  EXPECT_TRUE(aligned.stages[0].leaves.dimension(0) == cuts::even(0, 128, 32));
  EXPECT_THAT(aligned.stages[0].partial, IsEmpty());
  EXPECT_FALSE(aligned.stages[0].independent);
  const auto odd = of_divided(128, 12);
  EXPECT_TRUE(odd.stages[0].leaves.dimension(0) == cuts::even(0, 128, 16));
  EXPECT_THAT(odd.stages[0].partial, ElementsAre(0));
}

TEST(leaves, of_divided_indices_take_steps_along_rows) {
  const auto of = [](const plan& p) { return p.stages[0]; };
  const auto aligned = of(of_divided(128, 8)), odd = of(of_divided(128, 12, 100));
  ASSERT_TRUE(aligned.in_registers && odd.in_registers);
  EXPECT_EQ(aligned.in_registers->access, 0U);
  EXPECT_EQ(aligned.in_registers->steps, (regions::steps{1, 8, 0}));
  EXPECT_EQ(aligned.in_registers->along, std::nullopt);  // these states don't commute
  EXPECT_EQ(odd.in_registers->steps, (regions::steps{1, 12, 4}));
  EXPECT_FALSE(of(of_divided(16, 1)).in_registers);
}

TEST(leaves, of_blocks_whose_states_commute_are_run_several_rows_at_once) {
  const auto a = planned_array({20, 20});
  launch_list launches;
  auto& one = launches.add(box({0, 0}, {100, 100}), {a}, "a: global [i,j] => reduce a[i/5,j/8]");
  one.takes_steps = true;
  one.arguments[0].reduction.commutative = true;
  const auto s = launches.planned(1).stages.front();
  ASSERT_TRUE(s.in_registers);
  EXPECT_EQ(s.in_registers->along, 0U);
  EXPECT_EQ(s.in_registers->along_steps, (regions::steps{0, 5, 0}));
}

TEST(leaves, of_several_arrays_run_several_rows_at_once_where_they_have_the_same_elements) {
  const auto a = planned_array({20}), b = planned_array({20}), c = planned_array({30});
  const auto along = [&](const char* text) {
    launch_list launches;
    launches.add(box({0, 0}, {20, 20}), {a, b, c}, text).takes_steps = true;
    const auto s = launches.planned(1).stages.front();
    return s.in_registers ? s.in_registers->along : std::nullopt;
  };
  EXPECT_EQ(along("a, b, c: global [i,j] => reduce a[j], reduce b[j], reduce c[j]"), 0U);
  EXPECT_EQ(along("a, b, c: global [i,j] => reduce a[j], reduce b[j], reduce c[j+1]"),
            std::nullopt);
  EXPECT_EQ(along("a, b, c: global [i,j] => reduce a[j], reduce b[j], reduce c[i]"), std::nullopt);
  EXPECT_EQ(along("a, b, c: global [i,j] => reduce a[j], reduce b[j], write c[j]"), std::nullopt);
}

TEST(leaves, of_rows_that_share_their_elements_run_several_at_once) {
  const auto a = planned_array({20, 20}), b = planned_array({20});
  const auto along = [&](const box& indices, const testing::part_of_array& on, const char* text) {
    launch_list launches;
    launches.add(indices, {on}, text).takes_steps = true;
    const auto s = launches.planned(1).stages.front();
    return s.in_registers ? s.in_registers->along : std::nullopt;
  };
  const box plane({0, 0}, {20, 20}), space({0, 0, 0}, {20, 20, 20});
  EXPECT_EQ(along(plane, b, "b: global [i,j] => reduce b[j]"), 0U);
  EXPECT_EQ(along(space, a, "a: global [i,k,j] => reduce a[i,j]"), 1U);
  EXPECT_EQ(along(space, a, "a: global [k,i,j] => reduce a[i,j]"), 0U);
  EXPECT_EQ(along(space, b, "b: global [i,k,j] => reduce b[j]"), 1U);  // the later one
  EXPECT_EQ(along(plane, a, "a: global [i,j] => reduce a[i,j]"), std::nullopt);
  EXPECT_EQ(along(plane, b, "b: global [i,j] => reduce b[19-j]"), std::nullopt);
  EXPECT_EQ(along(plane, a, "a: global [i,j] => reduce a[j,0]"), std::nullopt);
  EXPECT_EQ(along(box({0, 0}, {3, 20}), b, "b: global [i,j] => reduce b[j]"), std::nullopt);
  EXPECT_EQ(along(box({0, 0}, {20, 4}), b, "b: global [i,j] => reduce b[j]"), std::nullopt);
}

TEST(leaves, of_two_accesses_that_meet_are_partial) {
  const auto a = planned_array({12});
  launch_list launches;
  const auto s = stage_of(launches, box({0, 0}, {10, 1000}), {a},
                          "a: global [i,j] => reduce a[i], reduce a[i+1]");
  EXPECT_THAT(s.partial, ElementsAre(0));
  EXPECT_FALSE(s.independent);
  const auto b = planned_array({2000});
  EXPECT_EQ(leaf_count(box({0}, {1000}), {b}, "a: global i => reduce a[2*i], reduce a[2*i+1]"), 0);
}

TEST(leaves, of_assumed_launches_have_whole_arrays_as_states) {
  const auto a = planned_array({30});
  launch_list launches;
  launches.add(box({0}, {10'000}), {a}, "a: global i => reduce a").known =
      arrays::launch::knowledge::assumed;
  const auto p = launches.planned();
  EXPECT_EQ(p.stages[0].leaves.size(), 20);
  EXPECT_THAT(p.stages[0].notes, ::testing::Contains(HasSubstr("each into 120 B of its own")));
}

// Among others.

TEST(leaves, make_others_wait_for_all_items_and_wait_for_all_users) {
  const auto a = planned_array({1000}), t = planned_array({10});
  launch_list launches;
  launches.add(box({0}, {10}), {t}, "t: global i => write t[i]");
  launches.add(box({0, 0}, {10, 1000}), {t}, "t: global [i,j] => reduce t[i]");
  launches.add(box({0}, {10}), {t, a}, "t, a: global i => read t[i], write a[i]");
  launches.add(box({0, 0}, {10, 1000}), {t}, "t: global [i,j] => reduce t[i]");
  for (const std::int64_t size : {1, 4, 1000}) {
    const auto p = launches.planned(size, true);
    verify_batch(p);
    EXPECT_THAT(p.stages[1].partial, ElementsAre(0));
    for (const std::size_t stage : {1, 2, 3})
      for (const auto& need : p.stages[stage].needs) {
        if (stage == 2 && index(need.before) == 0) continue;
        for (std::int64_t i = 0; i < p.stages[stage].items.size(); ++i)
          EXPECT_TRUE(items_before(p, p.stages[stage], need, p.stages[stage].items.cell(i)) ==
                      p.stages[index(need.before)].items.shape())
              << stage << " after " << index(need.before);
      }
    EXPECT_EQ(p.stages[2].needs[0].why, need::conflict::read_after_write);
  }
}

TEST(leaves, dont_take_turns) {
  const auto a = planned_array({1000, 10}), t = planned_array({1000}), b = planned_array({1});
  const auto turns = [&](const char* text, const testing::part_of_array& into) {
    launch_list launches;
    launches.add(a->all, {a}, "a: global [i,j] => readwrite a[i,j]");
    launches.add(a->all, {a, into}, text);
    launches.add(a->all, {a, into}, text);
    const auto p = launches.planned(100, true);
    std::vector<std::size_t> result;
    for (const auto& turn : p.order) result.push_back(turn.stages);
    return result;
  };
  EXPECT_THAT(turns("a, b: global [i,j] => read a[i,j], reduce b[0]", b), ElementsAre(1, 1, 1));
  EXPECT_THAT(turns("a, t: global [i,j] => read a[i,j], reduce t[j]", t), ElementsAre(1, 1, 1));
  // Bands are apart.
  EXPECT_THAT(turns("a, t: global [i,j] => read a[i,j], reduce t[i]", t), ElementsAre(3));
}

TEST(verify_batch, accepts_random_batches_that_reduce) {
  int partial = 0, straight = 0;
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    std::mt19937_64 random(seed);
    const auto launches = testing::random_launches(random, true);
    const auto p =
        launches.planned(20 + static_cast<std::int64_t>(random() % 100), random() % 2 == 0);
    EXPECT_NO_THROW(verify_batch(p)) << "seed " << seed << "\n" << p.print();
    for (const auto& s : p.stages) {
      const auto& of = arrays::launch_of(*s.node);
      if (!std::ranges::any_of(of.accesses, &arrays::access::reduces)) continue;
      ++(s.partial.empty() ? straight : partial);
    }
  }
  EXPECT_GT(partial, 25);
  EXPECT_GT(straight, 40);
}

TEST(verify_batch, misses_needs_of_partial_stages) {
  const auto a = planned_array({400}), t = planned_array({1});
  launch_list launches;
  launches.add(a->all, {a, t}, "a, t: global i => read a[i], reduce t[0]");
  launches.add(box({0}, {1}), {t, a}, "t, a: global i => read t[i], write a[i]");
  auto p = launches.planned(64);
  verify_batch(p);
  std::erase_if(p.stages[1].needs,
                [](const need& n) { return n.why == need::conflict::read_after_write; });
  EXPECT_EQ(p.stages[1].needs.size(), 1);
  EXPECT_THROW(verify_batch(p), std::logic_error);
}

}  // namespace
}  // namespace pappus::plan
