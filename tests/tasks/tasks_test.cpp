#include "tasks/tasks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/planning.h"

namespace pappus::tasks {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::plan_of;
using testing::tasks_of;

std::vector<std::string> names(const dag& work) {
  std::vector<std::string> found;
  for (const auto& t : work.list) found.push_back(std::string(name(t.kind)));
  return found;
}

TEST(tasks, of_a_sum_are_a_view_a_reservation_and_two_steps) {
  session s(options{.threads = 1});
  const auto p = plan_of(s.from(std::vector<int>(100'000)).sum());
  const auto work = tasks_of(p);
  EXPECT_THAT(names(work), ElementsAre("view", "alloc", "launch", "reduce", "free"));
  // Each waits for the one before.
  for (std::size_t i = 1; i < 4; ++i)
    EXPECT_THAT(work.list[i].after, ElementsAre(static_cast<task_id>(i - 1)));
}

TEST(tasks, account_for_every_byte) {
  session s(options{.threads = 1});
  const auto rows = s.from(std::vector<int>(100'000)).map([](int x) { return 1.0 * x; });
  const auto p = plan_of(rows.materialise());
  const auto work = tasks_of(p);
  ASSERT_THAT(names(work), ElementsAre("view", "alloc", "launch", "free"));
  EXPECT_EQ(work.list[1].bytes, 800'000);            // the result
  EXPECT_EQ(work.list[2].bytes, 400'000 + 800'000);  // read and written
  for (const auto& t : work.list) EXPECT_TRUE(t.exact);
}

TEST(tasks, cover_all_chunks_of_a_step) {
  session s(options{.threads = 1});
  const auto rows = s.from(std::vector<double>(100'000)).map([](double x) { return x; });
  const auto work = tasks_of(plan_of(rows.materialise()));
  EXPECT_EQ(work.list[2].items, 4);  // of 32,768 rows
}

TEST(tasks, mark_sizes_that_are_bounds) {
  session s(options{.threads = 1});
  const auto even = s.range(0, 1000).filter([](int x) { return x % 2 == 0; });
  const auto p = plan_of(even.materialise());
  const auto work = tasks_of(p);
  ASSERT_THAT(names(work), ElementsAre("alloc", "launch"));
  EXPECT_FALSE(work.list[0].exact);
  EXPECT_EQ(work.list[0].bytes, 4000);
  EXPECT_THAT(work.print(p), ::testing::HasSubstr("t0 alloc s0 range·filter: result and scratch, "
                                                  "≤ 3.9 KiB\n"));
}

TEST(tasks, wait_for_inputs_and_shared_data) {
  session s(options{.threads = 1});
  const auto table = s.range(0, 10).map([](int x) { return x; }).materialise();
  const auto rows = s.range(0, 20).map([](int x) { return x + 1; }).materialise();
  const auto total =
      rows.map([](int x, std::span<const int> t) { return x + t[0]; }, table.shared()).sum();
  const auto p = plan_of(total);
  const auto work = tasks_of(p);
  const auto consumer = testing::find_stage(p, "map·sum");
  for (const auto& t : work.list)
    if (t.kind == task_kind::alloc && t.stage == consumer) {
      std::vector<plan::stage_index> waits_for;
      for (const auto before : t.after) waits_for.push_back(work.list[index(before)].stage);
      EXPECT_THAT(waits_for,
                  ::testing::UnorderedElementsAre(plan::stage_index{0}, plan::stage_index{1}));
    }
}

TEST(tasks, of_a_later_round_do_not_wait_for_earlier_ones) {
  session s(options{.threads = 1});
  const auto few = s.range(0, 1000).filter([](int x) { return x < 5; }).materialise();
  const auto p = plan_of(few.map([](int x) { return x; }).materialise());
  const auto work = lower(p, 1, 2);
  work.verify(p);
  ASSERT_EQ(work.list.front().kind, task_kind::alloc);
  EXPECT_THAT(work.list.front().after, IsEmpty());
}

class broken_dag : public ::testing::Test {
 protected:
  session s{options{.threads = 1}};
  testing::planned p = plan_of(s.range(0, 1000).sum());
  dag work = tasks_of(p);

  void expect_error(const char* text) {
    try {
      work.verify(p);
      FAIL() << "accepted";
    } catch (const std::logic_error& e) {
      EXPECT_STREQ(e.what(), text);
    }
  }
};

TEST_F(broken_dag, has_a_task_of_no_stage) {
  work.list[1].stage = plan::stage_index{9};
  expect_error("tasks: t1 belongs to no stage");
}
TEST_F(broken_dag, waits_for_a_later_task) {
  work.list[0].after.push_back(task_id{2});
  expect_error("tasks: t0 waits for a later task");
}
TEST_F(broken_dag, waits_for_itself) {
  work.list[1].after.push_back(task_id{1});
  expect_error("tasks: t1 waits for a later task");
}
TEST_F(broken_dag, launches_nothing) {
  work.list[1].step = nullptr;
  expect_error("tasks: t1 has no step to run");
}

}  // namespace
}  // namespace pappus::tasks
