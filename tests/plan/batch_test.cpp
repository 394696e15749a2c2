// Plans of launches, asked without running anything: who waits for which items of whom, and what
// takes turns.
#include "plan/batch.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <random>
#include <stdexcept>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plan/turn.h"
#include "support/launches.h"

namespace pappus::plan {
namespace {

using regions::box;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::launch_list;
using testing::made_up_machine;
using testing::planned_array;
using ::testing::ThrowsMessage;

/// Launches that each stage waits for.
std::vector<std::size_t> before(const plan& p, std::size_t stage) {
  std::vector<std::size_t> result;
  for (const auto& n : p.stages[stage].needs)
    if (std::ranges::find(result, index(n.before)) == result.end())
      result.push_back(index(n.before));
  std::ranges::sort(result);
  return result;
}

/// Items of one dimension that an item waits for, of the launch before it.
box items_before(const plan& p, std::size_t stage, std::int64_t item) {
  box all(p.stages[stage].items.rank());
  const auto& s = p.stages[stage];
  for (const auto& n : s.needs) {
    const auto some = items_before(p, s, n, s.items.cell(item));
    if (!some.empty()) all = all.empty() ? some : regions::hull(all, some);
  }
  return all;
}

TEST(batch_plan, lets_an_item_wait_for_those_that_write_what_it_reads) {
  const auto a = planned_array({100}), b = planned_array({100}), c = planned_array({100});
  launch_list launches;
  launches.add(a->all, {a, b}, "a, b: global i => read a[i], write b[i]");
  launches.add(a->all, {b, c}, "b, c: global i => read b[i-1:i+1], write c[i]");
  const auto p = launches.planned(10);
  EXPECT_EQ(p.stages[1].items.size(), 10);
  EXPECT_EQ(items_before(p, 1, 0), box({0}, {2}));
  EXPECT_EQ(items_before(p, 1, 4), box({3}, {6}));
  EXPECT_EQ(items_before(p, 1, 9), box({8}, {10}));
}

TEST(batch_plan, lets_an_item_wait_for_those_that_read_what_it_writes) {
  const auto a = planned_array({100}), b = planned_array({100});
  launch_list launches;
  launches.add(a->all, {a, b}, "a, b: global i => read a[99-i], write b[i]");
  launches.add(a->all, {a}, "a: global i => write a[i]");
  const auto p = launches.planned(10);
  ASSERT_EQ(p.stages[1].needs.size(), 1);
  EXPECT_EQ(p.stages[1].needs[0].why, need::conflict::write_after_read);
  EXPECT_EQ(items_before(p, 1, 0), box({9}, {10}));
  EXPECT_EQ(items_before(p, 1, 9), box({0}, {1}));
}

TEST(batch_plan, numbers_elements_of_parts_as_the_array_does) {
  const auto a = planned_array({100}), b = planned_array({100});
  launch_list launches;
  launches.add(box({0}, {50}), {{a, box({50}, {100})}}, "a: global i => write a[i]");
  launches.add(box({0}, {60}), {{a, box({40}, {100})}, b},
               "a, b: global i => read a[i], write b[i]");
  const auto p = launches.planned(10);
  EXPECT_EQ(items_before(p, 1, 0), box({0}, {0}));  // elements that nobody writes
  EXPECT_EQ(items_before(p, 1, 1), box({0}, {1}));
  EXPECT_EQ(items_before(p, 1, 5), box({4}, {5}));
}

TEST(batch_plan, lets_assumed_launches_wait_for_all_items) {
  const auto a = planned_array({100});
  launch_list launches;
  launches.add(a->all, {a}, "a: global i => write a[i]");
  launches.add(a->all, {a}, "a: global i => readwrite a[i]").known =
      arrays::launch::knowledge::assumed;
  launches.add(a->all, {a}, "a: global i => readwrite a[i]");
  const auto p = launches.planned(10);
  EXPECT_EQ(items_before(p, 1, 4), box({0}, {10}));
  EXPECT_EQ(items_before(p, 2, 4), box({0}, {10}));
  EXPECT_THAT(before(p, 2), ElementsAre(0, 1));
}

TEST(batch_plan, forgets_who_came_before_a_launch_that_writes_all) {
  const auto a = planned_array({100}), b = planned_array({100});
  launch_list launches;
  launches.add(a->all, {a}, "a: global i => write a[i]");
  launches.add(a->all, {a, b}, "a, b: global i => read a[i], write b[i]");
  launches.add(a->all, {a}, "a: global i => write a[i]");
  launches.add(a->all, {a}, "a: global i => readwrite a[i]");
  const auto p = launches.planned(10);
  EXPECT_THAT(before(p, 2), ElementsAre(0, 1));
  EXPECT_THAT(before(p, 3), ElementsAre(2));
}

TEST(batch_plan, remembers_who_came_before_a_launch_that_leaves_gaps) {
  const auto a = planned_array({100});
  launch_list launches;
  launches.add(a->all, {a}, "a: global i => write a[i]");
  launches.add(box({0}, {50}), {a}, "a: global i => write a[2*i]");
  launches.add(a->all, {a}, "a: global i => readwrite a[i]");
  const auto p = launches.planned(10);
  ASSERT_EQ(p.stages[1].needs.size(), 1);
  // What it leaves is as good as read: the failure of who wrote it counts.
  EXPECT_EQ(p.stages[1].needs[0].why, need::conflict::read_after_write);
  EXPECT_THAT(before(p, 2), ElementsAre(0, 1));
}

TEST(batch_plan, remembers_who_came_before_beside_what_is_written) {
  const auto a = planned_array({100}), b = planned_array({100});
  launch_list launches;
  launches.add(a->all, {a}, "a: global i => write a[i]");
  launches.add(box({30}, {60}), {a}, "a: global i => write a[i]");
  launches.add(box({0}, {20}), {a, b}, "a, b: global i => read a[i], write b[i]");
  launches.add(box({30}, {60}), {a, b}, "a, b: global i => read a[i], write b[i]");
  const auto p = launches.planned(10);
  EXPECT_THAT(before(p, 2), ElementsAre(0));
  EXPECT_THAT(before(p, 3), ElementsAre(1));
}

TEST(batch_plan, knows_that_different_elements_need_no_order) {
  const auto a = planned_array({100}), b = planned_array({100});
  launch_list launches;
  launches.add(box({0}, {50}), {a}, "a: global i => write a[i]");
  launches.add(box({50}, {100}), {a}, "a: global i => write a[i]");
  launches.add(a->all, {b}, "b: global i => write b[i]");
  const auto p = launches.planned();
  EXPECT_THAT(before(p, 1), IsEmpty());
  EXPECT_THAT(before(p, 2), IsEmpty());
}

TEST(batch_turns, take_a_band_through_all_element_wise_launches) {
  const auto a = planned_array({1000}), b = planned_array({1000});
  launch_list launches;
  for (int i = 0; i < 4; ++i)
    launches.add(a->all, {a, b}, "a, b: global i => read a[i], readwrite b[i]");
  const auto p = launches.planned(100, true);
  ASSERT_EQ(p.order.size(), 1);
  EXPECT_EQ(p.order[0].stages, 4);
  EXPECT_EQ(p.order[0].tile, 0);
  EXPECT_EQ(p.stages[3].items.size(), 10);
  verify_batch(p);
}

TEST(batch_turns, run_stencils_behind_each_other) {
  const auto a = planned_array({1000}), b = planned_array({1000});
  launch_list launches;
  for (int i = 0; i < 6; ++i)
    launches.add(a->all, {i % 2 == 0 ? a : b, i % 2 == 0 ? b : a},
                 "a, b: global i => read a[i-2:i+2], write b[i]");
  const auto p = launches.planned(100, true);
  ASSERT_EQ(p.order.size(), 1);
  EXPECT_EQ(p.order[0].stages, 6);
  EXPECT_EQ(p.order[0].tile, 10);  // too few bands for two tiles
  verify_batch(p);
  // Bands are at least as wide as what is read of the next one.
  const auto narrow = launches.planned(1, true);
  EXPECT_EQ(narrow.stages[0].items.size(), 500);
  EXPECT_EQ(narrow.order[0].tile, 31);  // four for each of four threads
  EXPECT_EQ(launches.planned(1000, true).order[0].tile, 1);
}

TEST(batch_turns, are_tiles_and_the_wedges_between) {
  const turn three{0, 3, 5};
  const turn_parts parts(three, 17);  // 5, 5 and 7 bands
  ASSERT_EQ(parts.count(), 5);
  std::vector<std::vector<int>> part(3, std::vector<int>(17, -1));
  for (int p = 0; p < parts.count(); ++p)
    parts.each_item(p, [&](auto stage, auto band) {
      auto& cell = part[static_cast<std::size_t>(stage)][static_cast<std::size_t>(band)];
      EXPECT_EQ(std::exchange(cell, p), -1);
    });
  EXPECT_THAT(part[0], ElementsAre(0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2));
  EXPECT_THAT(part[1], ElementsAre(0, 0, 0, 0, 3, 3, 1, 1, 1, 4, 4, 2, 2, 2, 2, 2, 2));
  EXPECT_THAT(part[2], ElementsAre(0, 0, 0, 3, 3, 3, 3, 1, 4, 4, 4, 4, 2, 2, 2, 2, 2));
  EXPECT_EQ(turn_parts({0, 3, 0}, 17).count(), 17);
  EXPECT_EQ(turn_parts({0, 3, 9}, 9).count(), 1);
  EXPECT_EQ(turn_parts(three, 0).count(), 0);
}

TEST(batch_turns, dont_reach_behind_themselves) {
  const auto a = planned_array({1000}), b = planned_array({1000}), c = planned_array({1000});
  launch_list launches;
  launches.add(a->all, {a, b}, "a, b: global i => read a[i], write b[i]");
  launches.add(a->all, {b, c}, "b, c: global i => read b[i-7], write c[i]");
  const auto p = launches.planned(10, true);
  ASSERT_EQ(p.order.size(), 1);
  EXPECT_EQ(p.order[0].tile, 0);  // what is read is done by then
  verify_batch(p);
}

TEST(batch_turns, wait_for_no_band_that_touches_what_lies_between) {
  const auto a = planned_array({1000}), b = planned_array({1000});
  launch_list launches;
  launches.add(box({0}, {400}), {a}, "a: global i => write a[2*i+1]");
  launches.add(box({0}, {400}), {{a, box({100}, {1000})}}, "a: global i => write a[2*i]");
  const auto p = launches.planned(10, true);
  ASSERT_EQ(p.order.size(), 1);
  EXPECT_EQ(items_before(p, 1, 3), box(1));
  verify_batch(p);
}

TEST(batch_turns, end_where_elements_are_read_from_far_away) {
  const auto a = planned_array({1000}), b = planned_array({1000});
  launch_list launches;
  launches.add(a->all, {a, b}, "a, b: global i => read a[i], write b[i]");
  launches.add(a->all, {b, a}, "b, a: global i => read b[999-i], write a[i]");
  launches.add(a->all, {a, b}, "a, b: global i => read a[i], write b[i]");
  const auto p = launches.planned(10, true);
  EXPECT_EQ(p.order.size(), 3);
  verify_batch(p);
}

TEST(batch_turns, end_at_other_indices_and_at_assumed_launches) {
  const auto a = planned_array({1000});
  launch_list launches;
  launches.add(a->all, {a}, "a: global i => readwrite a[i]");
  launches.add(box({0}, {999}), {a}, "a: global i => readwrite a[i]");
  launches.add(box({0}, {999}), {a}, "a: global i => readwrite a[i]").known =
      arrays::launch::knowledge::assumed;
  const auto p = launches.planned(10, true);
  EXPECT_EQ(p.order.size(), 3);
}

TEST(batch_turns, are_taken_where_they_save_traffic) {
  const auto turns = [](std::int64_t elements, int count) {
    const auto a = planned_array({elements});
    launch_list launches;
    for (int i = 0; i < count; ++i) launches.add(a->all, {a}, "a: global i => readwrite a[i]");
    return launches.planned().order.size();
  };
  EXPECT_EQ(turns(100'000'000, 3), 1);
  EXPECT_EQ(turns(100'000, 3), 3);  // all of it stays in the cache anyway
  EXPECT_EQ(turns(100'000'000, 1), 1);
}

TEST(batch_turns, are_taken_by_as_many_as_pay) {
  // Of so wide rows the cache has one of each of some 30 launches.
  const auto a = planned_array({8192, 8192}), b = planned_array({8192, 8192});
  launch_list launches;
  for (int i = 0; i < 64; ++i)
    launches.add(a->all, {i % 2 == 0 ? a : b, i % 2 == 0 ? b : a},
                 "a, b: global [i,j] => read a[i-1:i+1,j], write b[i,j]");
  const auto p = launches.planned();
  EXPECT_LE(p.order.size(), 4);
  for (const auto& one : p.order) {
    EXPECT_GT(one.stages, 1) << "from stage " << one.first;
    EXPECT_GT(one.tile, 0);
  }
}

TEST(batch_turns, begin_behind_launches_that_fit_the_cache) {
  const auto small = planned_array({1000}), large = planned_array({100'000'000});
  launch_list launches;
  for (const auto& of : {small, large})
    for (int i = 0; i < 3; ++i) launches.add(of->all, {of}, "a: global i => readwrite a[i]");
  const auto p = launches.planned();
  ASSERT_EQ(p.order.size(), 4);
  EXPECT_EQ(p.order[3].first, 3);
  EXPECT_EQ(p.order[3].stages, 3);
}

TEST(batch_plan, lets_large_results_go_past_the_caches_where_nobody_takes_them_from_there) {
  const auto first = [](std::int64_t elements, int count) {
    const auto a = planned_array({elements}), b = planned_array({elements});
    launch_list launches;
    for (int i = 0; i < count; ++i)
      launches.add(a->all, {a, b}, "a, b: global i => read a[i], write b[i]");
    return launches.planned().stages[0].past_caches;
  };
  EXPECT_TRUE(first(100'000'000, 1));
  EXPECT_FALSE(first(100'000, 1));
  EXPECT_FALSE(first(100'000'000, 3));  // in turns
}

TEST(batch_turns, of_stencils_need_as_many_tiles_as_threads) {
  const auto turns = [&](std::int64_t rows, std::int64_t columns, int count) {
    const auto a = planned_array({rows, columns}), b = planned_array({rows, columns});
    launch_list launches;
    for (int i = 0; i < count; ++i)
      launches.add(a->all, {i % 2 == 0 ? a : b, i % 2 == 0 ? b : a},
                   "a, b: global [i,j] => read a[i-1:i+1,j-1:j+1], write b[i,j]");
    return launches.planned().order.size();
  };
  EXPECT_EQ(turns(100'000, 1000, 8), 1);
  EXPECT_EQ(turns(100'000, 1000, 2), 1);
  EXPECT_EQ(turns(100, 1'000'000, 8), 8);   // three tiles at most for four threads
  EXPECT_EQ(turns(1000, 1'000'000, 8), 8);  // what a tile has at work is too much for caches
}

TEST(batch_turns, of_stencils_end_where_all_before_is_read) {
  const auto a = planned_array({1000}), b = planned_array({1000}), c = planned_array({1000});
  launch_list launches;
  launches.add(a->all, {a, b}, "a, b: global i => read a[i], write b[i]");
  launches.add(a->all, {b, c}, "b, c: global i => read b[i-1:i+1], write c[i]");
  launches.add(a->all, {c, a}, "c, a: global i => read c[:i], write a[i]");
  const auto p = launches.planned(10, true);
  ASSERT_EQ(p.order.size(), 2);
  EXPECT_EQ(p.order[0].stages, 2);
  verify_batch(p);
}

TEST(verify_batch, accepts_random_batches) {
  int turns = 0, needs = 0;
  for (std::uint64_t seed = 0; seed < 2500; ++seed) {
    std::mt19937_64 random(seed);
    const auto launches = testing::random_launches(random);
    const auto size = static_cast<std::int64_t>(random() % 12);
    const auto p = launches.planned(size, random() % 2 == 0);
    EXPECT_NO_THROW(verify_batch(p)) << "seed " << seed << "\n" << p.print();
    for (const auto& turn : p.order) turns += turn.stages > 1;
    for (const auto& s : p.stages) needs += !s.needs.empty();
  }
  EXPECT_GT(turns, 300);
  EXPECT_GT(needs, 3000);
}

TEST(verify_batch, accepts_random_sweeps) {
  int sweeps = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    std::mt19937_64 random(seed);
    const auto launches = testing::random_stencils(random);
    const auto p = launches.planned(static_cast<std::int64_t>(1 + random() % 4), true);
    EXPECT_NO_THROW(verify_batch(p)) << "seed " << seed << "\n" << p.print();
    for (const auto& turn : p.order)
      sweeps += turn.tile > 0 && turn_parts(turn, p.stages[turn.first].items.size()).count() > 1;
  }
  EXPECT_GT(sweeps, 100);
}

TEST(verify_batch, misses_needs_that_are_dropped) {
  int missed = 0, apart = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    std::mt19937_64 random(seed);
    const auto launches = testing::random_launches(random);
    auto p = launches.planned(4);
    const auto s =
        std::ranges::find_if(p.stages, [](const stage& one) { return one.needs.size() == 1; });
    if (s == p.stages.end()) continue;
    // Whether its items touch what the other's do, or at least the boxes around it.
    const auto items = s->items.size();
    bool any = false;
    for (std::int64_t i = 0; i < items; ++i)
      any |= !items_before(p, *s, s->needs[0], s->items.cell(i)).empty();
    s->needs.clear();
    if (!any) continue;
    try {
      verify_batch(p);
      ++apart;
    } catch (const std::logic_error& e) {
      ++missed;
      EXPECT_THAT(e.what(), HasSubstr("touch the same elements in no order")) << "seed " << seed;
    }
  }
  EXPECT_GT(missed, 50);
  EXPECT_LT(apart, missed / 10);  // such as a[2*i] and a[2*i+1]
}

TEST(verify_batch, rejects_turns_that_come_too_early) {
  const auto a = planned_array({40}), b = planned_array({40});
  launch_list launches;
  launches.add(a->all, {a, b}, "a, b: global i => read a[i], write b[i]");
  launches.add(a->all, {b, a}, "b, a: global i => read b[i-1:i+1], write a[i]");
  auto p = launches.planned(1, true);
  const auto tile = std::exchange(p.order[0].tile, 0);
  ASSERT_GT(tile, 0);
  EXPECT_THAT([&] { verify_batch(p); },
              ThrowsMessage<std::logic_error>(HasSubstr("waits for a later one")));
  p.order[0].tile = 1;  // wedges that reach into each other
  EXPECT_THAT([&] { verify_batch(p); }, ThrowsMessage<std::logic_error>(HasSubstr("batch: ")));
  p.order = {{0, 1, 0}};
  EXPECT_THAT([&] { verify_batch(p); },
              ThrowsMessage<std::logic_error>(HasSubstr("left out of the order")));
}

TEST(batch_plan, of_a_million_items_is_as_small_as_one_of_ten) {
  const auto size = [](std::int64_t indices, std::int64_t item_indices) {
    const auto a = planned_array({indices}), b = planned_array({indices});
    launch_list launches;
    for (int i = 0; i < 8; ++i)
      launches.add(a->all, {i % 2 == 0 ? a : b, i % 2 == 0 ? b : a},
                   "a, b: global i => read a[i-1:i+1], write b[i]");
    const auto p = launches.planned(item_indices);
    std::int64_t items = 0;
    std::size_t entries = p.order.size();
    for (const auto& s : p.stages) {
      items += s.items.size();
      entries += s.needs.size() + s.items.rank();
      EXPECT_EQ(s.items.dimension(0), regions::cuts::even(0, indices, item_indices));
    }
    return std::pair(items, entries);
  };
  const auto [few, small] = size(80, 8);
  const auto [many, big] = size(1'000'000, 8);
  EXPECT_EQ(few, 80);
  EXPECT_EQ(many, 1'000'000);
  EXPECT_EQ(small, big);
}

}  // namespace
}  // namespace pappus::plan
