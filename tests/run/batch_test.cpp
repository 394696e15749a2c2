// Batches of launches, run by several threads in the order of their plans.
#include "run/batch.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <random>
#include <stdexcept>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "support/launches.h"

namespace pappus::run {
namespace {

using testing::launch_list;

std::vector<std::unique_ptr<threads::team>> teams_of_all_sizes() {
  std::vector<std::unique_ptr<threads::team>> teams;
  for (const unsigned n : {8, 3, 2, 1}) teams.push_back(threads::make_team(n));
  return teams;
}

void run_and_compare(const launch_list& launches, plan::plan p, threads::team& team) {
  const threads::cancel_count cancels{0};
  const auto expected = testing::in_sequence(launches);
  const auto text = p.print();
  batch all(launches.nodes, std::move(p), cancels, testing::none_failed);
  all.take_part(team, [] { return false; });
  EXPECT_TRUE(all.finished());
  ASSERT_EQ(testing::elements_of(launches), expected) << text;
}

TEST(batch, gives_what_launches_give_one_after_another) {
  const auto teams = teams_of_all_sizes();
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    std::mt19937_64 random(seed);
    const auto launches = testing::random_launches(random);
    if (launches.nodes.empty()) continue;
    const auto size = static_cast<std::int64_t>(random() % 12);
    run_and_compare(launches, launches.planned(size, random() % 2 == 0),
                    *teams[seed % teams.size()]);
    if (HasFatalFailure()) FAIL() << "seed " << seed;
  }
}

TEST(batch, gives_the_same_where_threads_take_tiles_of_a_sweep) {
  const auto teams = teams_of_all_sizes();
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    std::mt19937_64 random(seed);
    const auto launches = testing::random_stencils(random);
    const auto size = static_cast<std::int64_t>(1 + random() % 4);
    run_and_compare(launches, launches.planned(size, true), *teams[seed % teams.size()]);
    if (HasFatalFailure()) FAIL() << "seed " << seed;
  }
}

TEST(batch, adds_to_elements_what_launches_reduce_one_after_another) {
  const threads::cancel_count cancels{0};
  const auto teams = teams_of_all_sizes();
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    std::mt19937_64 random(seed);
    const auto launches = testing::random_launches(random, true);
    if (launches.nodes.empty()) continue;
    const auto expected = testing::in_sequence(launches);
    auto p = launches.planned(static_cast<std::int64_t>(random() % 150), random() % 2 == 0);
    const auto text = p.print();
    batch all(launches.nodes, std::move(p), cancels, testing::none_failed);
    all.take_part(*teams[seed % teams.size()], [] { return false; });
    ASSERT_EQ(testing::elements_of(launches), expected) << "seed " << seed << "\n" << text;
  }
}

TEST(batch, may_end_before_leaves_are_merged) {
  const auto a = testing::numbered_array({8});
  launch_list launches;
  launches.add(regions::box({0}, {2000}), {a}, "a: global i => reduce a");
  launches.add(a->all, {a}, "a: global i => readwrite a[i]");
  const auto start = testing::elements_of(launches);
  const threads::cancel_count cancels{0};
  const auto team = threads::make_team(2);
  {
    const batch never_run(launches.nodes, launches.planned(64), cancels, testing::none_failed);
  }
  EXPECT_EQ(testing::elements_of(launches), start);
  {
    std::atomic<int> asked{0};
    batch left(launches.nodes, launches.planned(64), cancels, testing::none_failed);
    left.take_part(*team, [&] { return ++asked > 10; });
    EXPECT_FALSE(left.finished());
  }
  EXPECT_EQ(testing::elements_of(launches), start);
  const threads::cancel_count moved{1};
  batch cancelled(launches.nodes, launches.planned(64), moved, testing::none_failed);
  cancelled.take_part(*team, [] { return false; });
  EXPECT_NE(cancelled.failure(0), nullptr);
  EXPECT_EQ(testing::elements_of(launches), start);
}

TEST(batch, gives_states_of_a_failed_launch_back_when_its_items_are_done) {
  const auto memory = std::make_shared<testing::test_memory>();
  const auto a = arrays::make_image(detail::record_type_of<std::uint32_t>(),
                                    regions::box({0}, {100}), {memory}, {});
  a->parts.assign(a->all, {arrays::content::written, 0});
  launch_list launches;
  launches.add(regions::box({0}, {16000}), {a}, "a: global i => reduce a").loop =
      [](const void*, const detail::launch_args& args) {
        if (args.indices.low[0] == 6144) throw std::runtime_error("odd");
      };
  const threads::cancel_count cancels{0};
  const auto team = threads::make_team(1);
  const auto before = memory->used_bytes();
  auto p = launches.planned(1);
  ASSERT_EQ(p.stages[0].leaves.size(), 8);
  p.order = {{0, 1, 0}};
  batch all(launches.nodes, std::move(p), cancels, testing::none_failed);
  all.take_part(*team, [] { return false; });
  EXPECT_NE(all.failure(0), nullptr);
  EXPECT_EQ(memory->used_bytes(), before);
}

TEST(batch, is_run_by_threads_that_come_and_go) {
  const threads::cancel_count cancels{0};
  const auto team = threads::make_team(3);
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    std::mt19937_64 random(seed);
    const auto launches = testing::random_launches(random);
    if (launches.nodes.empty()) continue;
    const auto expected = testing::in_sequence(launches);
    auto p = launches.planned(1 + static_cast<std::int64_t>(random() % 3), random() % 2 == 0);
    batch all(launches.nodes, std::move(p), cancels, testing::none_failed);
    const auto wanted = random() % launches.nodes.size();
    std::thread leaving([&] {
      all.take_part(*team, [&] { return all.settled(wanted); });
      EXPECT_TRUE(all.settled(wanted));
    });
    std::thread staying([&] { all.take_part(*team, [] { return false; }); });
    leaving.join();
    staying.join();
    EXPECT_TRUE(all.finished());
    ASSERT_EQ(testing::elements_of(launches), expected) << "seed " << seed;
  }
}

TEST(batch, of_one_band_in_turns_runs_each_item_once) {
  const auto a = testing::numbered_array({8}), b = testing::numbered_array({8});
  launch_list launches;
  for (int i = 0; i < 5; ++i)
    launches.add(a->all, {i % 2 == 0 ? a : b, i % 2 == 0 ? b : a},
                 "a, b: global i => read a[i-2:i+2], write b[i]");
  const auto expected = testing::in_sequence(launches);
  const threads::cancel_count cancels{0};
  const auto team = threads::make_team(2);
  for (const std::int64_t size : {1, 2, 3, 5, 8, 100}) {
    const auto start = testing::elements_of(launches);
    batch all(launches.nodes, launches.planned(size, true), cancels, testing::none_failed);
    all.take_part(*team, [] { return false; });
    EXPECT_EQ(testing::elements_of(launches), expected) << size;
    testing::set_elements(launches, start);
  }
}

TEST(batch, hands_failures_on_from_earlier_batches) {
  const auto a = testing::numbered_array({8}), b = testing::numbered_array({8});
  launch_list launches;
  launches.add(a->all, {a, b}, "a, b: global i => read a[i], write b[i]").needs = {77};
  launches.add(a->all, {b, a}, "b, a: global i => read b[i], write a[i]");
  launches.add(a->all, {b}, "b: global i => write b[i]");
  const threads::cancel_count cancels{0};
  const auto team = threads::make_team(2);
  const auto why = std::make_shared<arrays::launch_failure>();
  batch all(launches.nodes, launches.planned(2), cancels,
            [&](arrays::launch_number n) { return n == 77 ? why : nullptr; });
  all.take_part(*team, [] { return false; });
  EXPECT_EQ(all.failure(0), why);
  EXPECT_EQ(all.failure(1), why);
  EXPECT_EQ(all.failure(2), nullptr);
}

}  // namespace
}  // namespace pappus::run
