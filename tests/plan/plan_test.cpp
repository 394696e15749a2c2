#include "plan/plan.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/planning.h"
#include "support/raw_file.h"

namespace pappus::plan {
namespace {

using ::testing::ElementsAre;
using testing::find_stage;
using ::testing::IsEmpty;
using testing::plan_of;
using testing::stage_of;

std::vector<int> thousand() {
  std::vector<int> rows(1000);
  std::iota(rows.begin(), rows.end(), 0);
  return rows;
}

TEST(plan, makes_one_stage_of_a_chain_that_reads_its_input_once) {
  session s(options{.threads = 1});
  const auto total = s.from(thousand())
                         .map([](int x) { return x + 1; })
                         .filter([](int x) { return x % 2 == 0; })
                         .map([](int x) { return 2.0 * x; })
                         .sum();
  const auto p = plan_of(total);
  ASSERT_EQ(p.stages.size(), 2u);
  const auto& fused = stage_of(p, "map·filter·map·sum");
  EXPECT_THAT(fused.inputs, ElementsAre(find_stage(p, "from")));
  EXPECT_THAT(fused.sides, IsEmpty());
  EXPECT_EQ(fused.bytes.read, 1000 * sizeof(int));
  EXPECT_EQ(fused.bytes.output, sizeof(double));
}

TEST(plan, reads_nothing_for_a_range) {
  session s(options{.threads = 1});
  const auto p = plan_of(s.range(0, 1'000'000).map([](int x) { return x + 1; }).sum());
  ASSERT_EQ(p.stages.size(), 1u);
  EXPECT_EQ(graph::label(*p.stages[0].node), "range·map·sum");
  EXPECT_EQ(p.stages[0].bytes.read, 0);
}

TEST(plan, counts_a_mark_for_each_right_row_of_a_full_join) {
  session s(options{.threads = 1});
  const auto key = [](int x) { return x; };
  const auto both = s.from({1, 2, 3}).full_join(
      s.from(thousand()), key, key, [](const int* l, const int* r) { return l ? *l : *r; });
  EXPECT_EQ(stage_of(plan_of(both.materialise()), "unmatched").bytes.scratch, 1000);
}

/// Whether a full join of two sides, in so much memory, finds the right records without a match
/// by marks in memory.
template <typename Left, typename Right>
bool marks_right_rows(const Left& left, const Right& right, std::size_t memory,
                      bool rows_can_rest = true) {
  const auto key = [](int x) { return x; };
  const auto both =
      left.full_join(right, key, key, [](const int* l, const int* r) { return l ? *l : *r; });
  const std::vector roots{detail::access::node(both.materialise())};
  const cost::machine machine{.threads = 1, .host_memory = memory};
  const auto p = make_plan({.roots = roots, .machine = machine, .rows_can_rest = rows_can_rest});
  p.verify();
  const auto marks = std::ranges::count_if(
      p.stages, [](const auto& one) { return one.node->name == "unmatched"; });
  EXPECT_EQ(p.instead.size(), static_cast<std::size_t>(1 - marks));
  return marks == 1;
}

TEST(plan, has_an_anti_join_find_right_rows_without_a_match_where_that_takes_less_memory) {
  constexpr std::size_t little = 64 << 10, much = 1 << 30;
  const testing::raw_file numbers(thousand()), few(std::vector<int>(100, 7));
  session s(options{.threads = 1});
  const auto file = [&](const auto& of) { return s.raw<int>(of.path()); };
  const auto twice = [](int x) { return 2 * x; };
  EXPECT_FALSE(marks_right_rows(file(numbers), file(numbers).map(twice), little));
  EXPECT_FALSE(marks_right_rows(s.from({1, 2, 3}), file(numbers), little));
  EXPECT_FALSE(marks_right_rows(file(few), file(numbers), little));
  EXPECT_TRUE(marks_right_rows(file(numbers), file(numbers), much));
  EXPECT_TRUE(marks_right_rows(file(numbers), file(few).map(twice), little)) << "it fits";
  EXPECT_TRUE(marks_right_rows(file(numbers), file(numbers), little, false)) << "nothing can rest";
  EXPECT_TRUE(marks_right_rows(file(numbers), s.from(thousand()), little)) << "it is in memory";
  EXPECT_TRUE(marks_right_rows(s.from(thousand()), file(numbers), little))
      << "left is in memory, and an index of it doesn't fit";
  const auto ends = s.from(thousand())
                        .group_by([](int x) { return x % 10; })
                        .count()
                        .map([](const keyed<int, std::int64_t>& one) { return one.key; });
  EXPECT_TRUE(marks_right_rows(file(numbers), ends, little)) << "few, though nobody knows";
}

TEST(plan, lets_two_results_share_a_cached_collection) {
  session s(options{.threads = 1});
  const auto rows = s.range(0, 1000).map([](int x) { return x * x; }).cache();
  const auto p = plan_of(rows.sum(), rows.max());
  ASSERT_EQ(p.stages.size(), 3u);
  const auto shared = find_stage(p, "range·map");
  EXPECT_THAT(stage_of(p, "sum").inputs, ElementsAre(shared));
  EXPECT_THAT(stage_of(p, "max").inputs, ElementsAre(shared));
  for (const auto& stage : p.stages) {
    EXPECT_THAT(stage.notes, IsEmpty());
    EXPECT_THAT(stage.frees, IsEmpty());  // cached rows stay
  }
}

TEST(plan, says_that_a_branch_without_cache_is_recomputed) {
  session s(options{.threads = 1});
  const auto rows =
      s.range(0, 1000).map([](int x) { return x * x; }).filter([](int x) { return x > 4; });
  const auto p = plan_of(rows.sum(), rows.max());
  ASSERT_EQ(p.stages.size(), 2u);
  EXPECT_THAT(p.stages[0].notes, IsEmpty());
  EXPECT_THAT(p.stages[1].notes,
              ElementsAre("map·filter is recomputed here and in s0; .cache() before it branches "
                          "shares it"));
}

TEST(plan, starts_from_rows_that_a_cached_collection_keeps) {
  session s(options{.threads = 1});
  const auto rows = s.range(0, 1000).map([](int x) { return x * x; }).cache();
  const auto doubled = rows.map([](int x) { return 2 * x; }).cache();
  EXPECT_EQ(doubled.count().get(), 1000);
  const auto p = plan_of(doubled.sum());
  ASSERT_EQ(p.stages.size(), 2u);  // what it was made from isn't needed any more
  EXPECT_NE(p.stages[0].known, nullptr);
  EXPECT_EQ(p.stages[0].rows_out.rows, 1000);
  EXPECT_TRUE(p.stages[0].rows_out.exact());
}

TEST(plan, shows_shared_data_as_an_edge) {
  session s(options{.threads = 1});
  const auto table = s.from(thousand());
  const auto p =
      plan_of(s.range(0, 10)
                  .map([](int i, std::span<const int> t) { return t[static_cast<std::size_t>(i)]; },
                       table.shared())
                  .sum());
  EXPECT_THAT(stage_of(p, "range·map·sum").inputs, IsEmpty());
  EXPECT_THAT(stage_of(p, "range·map·sum").sides, ElementsAre(find_stage(p, "from")));
}

TEST(plan, frees_rows_after_their_last_use) {
  session s(options{.threads = 1});
  const auto base = s.range(0, 1000).map([](int x) { return x + 1; }).materialise();
  const auto odd = base.filter([](int x) { return x % 2 == 1; }).materialise();
  const auto both = base.zip(odd).map([](const pair<int, int>& r) { return r.first + r.second; });
  const auto p = plan_of(both.sum());
  ASSERT_EQ(p.stages.size(), 3u);
  EXPECT_THAT(stage_of(p, "filter").frees, IsEmpty());
  EXPECT_THAT(stage_of(p, "zip·map·sum").frees,
              ::testing::UnorderedElementsAre(find_stage(p, "range·map"), find_stage(p, "filter")));
}

TEST(plan, keeps_what_a_view_looks_at_as_long_as_the_view) {
  session s(options{.threads = 1});
  const auto base = s.range(0, 1000).map([](int x) { return x + 1; }).materialise();
  const auto few = base.take(10);
  const auto more = few.map([](int x) { return 2 * x; }).materialise();
  const auto p = plan_of(more.zip(few).count());
  EXPECT_THAT(stage_of(p, "take").frees, IsEmpty());
  EXPECT_THAT(stage_of(p, "map").frees, IsEmpty());
  EXPECT_THAT(stage_of(p, "zip·count").frees,
              ::testing::UnorderedElementsAre(find_stage(p, "map"), find_stage(p, "take"),
                                              find_stage(p, "range·map")));
  // A view that is a result keeps its rows for good.
  for (const auto& stage : plan_of(few).stages) EXPECT_THAT(stage.frees, IsEmpty());
}

TEST(plan, keeps_results_even_if_other_stages_use_them) {
  session s(options{.threads = 1});
  const auto rows = s.range(0, 1000).map([](int x) { return x + 1; }).materialise();
  const auto p = plan_of(rows, rows.sum());
  for (const auto& stage : p.stages) EXPECT_THAT(stage.frees, IsEmpty());
}

TEST(plan, makes_chunks_that_fit_half_the_cache_in_whole_blocks) {
  session s(options{.threads = 1});
  const std::vector<double> rows(100);
  const auto copy = s.from(rows).map([](double x) { return x; }).materialise();
  auto machine = testing::made_up_machine();
  const auto chunk = [&] { return stage_of(testing::plan_for(machine, copy), "map").morsel_rows; };
  EXPECT_EQ(chunk(), 32'768);  // 16 bytes a row, 512 KiB
  machine.cache_bytes = 300'000;
  EXPECT_EQ(chunk(), 8192);
  machine.cache_bytes = 1;  // never less than a block
  EXPECT_EQ(chunk(), detail::block_rows_max);
  machine.cache_bytes = std::size_t{1} << 40;  // nor so much that cores run dry
  EXPECT_EQ(chunk(), 65'536);
}

TEST(plan, takes_the_chunk_size_it_is_given) {
  session s(options{.threads = 1});
  const auto total = s.range(0, 1000).sum();
  const std::array roots{detail::access::node(total)};
  const auto machine = testing::made_up_machine();
  const auto p = make_plan({.roots = roots, .machine = machine, .chunk_rows = 7});
  EXPECT_EQ(p.stages[0].morsel_rows, 7);
}

TEST(plan, refuses_what_can_never_fit) {
  session s(options{.threads = 1});
  auto machine = testing::made_up_machine();
  machine.host_memory = std::size_t{8} << 20;
  const auto rows =
      s.range(0, 4'000'000).map([](int x) { return static_cast<double>(x); }).materialise();
  try {
    testing::plan_for(machine, rows.sum());
    FAIL() << "accepted";
  } catch (const memory_error& e) {
    EXPECT_STREQ(e.what(),
                 "range·map: needs 31 MiB for 4,000,000 rows of double (31 MiB for the result, 0 B "
                 "besides), but the memory limit is 8 MiB; raise the limit (PAPPUS_HOST_MEMORY or "
                 "options::host_memory) or use less data");
  }
}

TEST(plan, admits_what_may_fit) {
  session s(options{.threads = 1});
  auto machine = testing::made_up_machine();
  machine.host_memory = std::size_t{8} << 20;
  const auto few = s.range(0, 4'000'000).filter([](int x) { return x < 5; }).materialise();
  EXPECT_NO_THROW(testing::plan_for(machine, few.sum()));
}

TEST(plan, is_as_small_for_a_trillion_rows_as_for_ten) {
  session s(options{.threads = 1});
  auto machine = testing::made_up_machine();
  machine.host_memory = std::size_t{1} << 40;
  const auto query = [&](std::int64_t n) {
    return s.range(std::int64_t{0}, n)
        .map([](std::int64_t x) { return x + 1; })
        .filter([](std::int64_t x) { return x % 3 == 0; })
        .sum();
  };
  const auto huge = testing::plan_for(machine, query(1'000'000'000'000));
  EXPECT_EQ(huge.stages.size(), 1u);
  EXPECT_EQ(huge.stages[0].rows_in.rows, 1'000'000'000'000);
  EXPECT_EQ(testing::tasks_of(huge).list.size(),
            testing::tasks_of(testing::plan_for(machine, query(10))).list.size());
}

TEST(plan, records_each_pass_when_asked) {
  session s(options{.threads = 1});
  const auto total = s.range(0, 1000).sum();
  const std::array roots{detail::access::node(total)};
  const auto machine = testing::made_up_machine();
  const auto p = make_plan({.roots = roots, .machine = machine, .keep_history = true});
  std::vector<std::string> passes;
  for (const auto& record : p.history) passes.emplace_back(record.name);
  EXPECT_THAT(passes, ::testing::IsSupersetOf({"collect", "bounds", "windows", "morsels", "place",
                                               "lifetimes", "admission", "repeated"}));
  EXPECT_EQ(p.history.back().text, p.print());
  EXPECT_THAT(make_plan({.roots = roots, .machine = machine}).history, IsEmpty());
}

TEST(plan, predicts_time_from_bytes_and_bandwidth) {
  session s(options{.threads = 1});
  const std::vector<double> rows(1'000'000);
  const auto copy = s.from(rows).map([](double x) { return x; }).materialise();
  const auto p = plan_of(copy);
  EXPECT_DOUBLE_EQ(stage_of(p, "map").seconds, 5e-6 + 16e6 / 10e9);
  EXPECT_EQ(stage_of(p, "from").seconds, 0);
}

class broken_plan : public ::testing::Test {
 protected:
  session s{options{.threads = 1}};
  testing::planned p = plan_of(s.range(0, 1000).map([](int x) { return x; }).materialise().sum());

  void expect_error(const char* text) {
    try {
      p.verify();
      FAIL() << "accepted";
    } catch (const std::logic_error& e) {
      EXPECT_STREQ(e.what(), text);
    }
  }
};

TEST_F(broken_plan, has_a_stage_without_a_node) {
  p.stages[1].node = nullptr;
  expect_error("plan: stage 1: no node");
}
TEST_F(broken_plan, has_an_input_that_comes_later) {
  p.stages[0].inputs.push_back(stage_index{1});
  expect_error("plan: stage 0: an input comes later");
}
TEST_F(broken_plan, uses_rows_that_were_freed) {
  p.stages[0].frees.push_back(stage_index{0});
  expect_error("plan: stage 1: an input was freed before");
}
TEST_F(broken_plan, has_empty_chunks) {
  p.stages[0].morsel_rows = 0;
  expect_error("plan: stage 0: empty morsels");
}
TEST_F(broken_plan, frees_rows_twice) {
  p.stages[1].frees.push_back(stage_index{0});
  expect_error("plan: stage 1: frees what isn't there");
}
TEST_F(broken_plan, frees_its_result) {
  p.stages[1].frees.push_back(stage_index{1});
  expect_error("plan: stage 1: a root isn't kept");
}

}  // namespace
}  // namespace pappus::plan
