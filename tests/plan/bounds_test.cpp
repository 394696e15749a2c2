// How many rows a stage has, as far as that can be said before it runs.
#include <gtest/gtest.h>

#include "support/planning.h"

namespace pappus::plan {
namespace {

using testing::plan_of;

template <typename Root>
std::string rows_of(const Root& root) {
  const auto p = plan_of(root);
  return graph::bound_text(p.stages[index(p.roots.front())].rows_out);
}

struct bounds : ::testing::Test {
  session s{options{.threads = 1}};
  query<detail::counter<int>> range = s.range(0, 1000);

  auto filtered() {
    return range.filter([](int x) { return x % 2 == 0; });
  }
  auto flattened() {
    return range.flat_map([](int x) { return std::array{x, x}; });
  }
};

TEST_F(bounds, are_exact_where_each_record_gives_one) {
  EXPECT_EQ(rows_of(range.map([](int x) { return x + 1; }).materialise()), "1,000");
  EXPECT_EQ(rows_of(range.enumerate().materialise()), "1,000");
}

TEST_F(bounds, are_upper_bounds_after_a_filter_and_unknown_after_flat_map) {
  EXPECT_EQ(rows_of(filtered().materialise()), "≤ 1,000");
  EXPECT_EQ(rows_of(filtered().map([](int x) { return x; }).materialise()), "≤ 1,000");
  EXPECT_EQ(rows_of(flattened().materialise()), "?");
}

TEST_F(bounds, are_one_row_for_a_fold_whatever_goes_in) {
  EXPECT_EQ(rows_of(range.sum()), "1");
  EXPECT_EQ(rows_of(flattened().sum()), "1");
}

TEST_F(bounds, are_clipped_by_take_and_skip) {
  EXPECT_EQ(rows_of(range.take(10)), "10");
  EXPECT_EQ(rows_of(range.take(5000)), "1,000");
  EXPECT_EQ(rows_of(range.skip(10)), "990");
  EXPECT_EQ(rows_of(range.skip(5000)), "0");
  EXPECT_EQ(rows_of(filtered().take(10)), "≤ 10");
  EXPECT_EQ(rows_of(filtered().skip(10)), "≤ 990");
  EXPECT_EQ(rows_of(flattened().take(10)), "≤ 10");
  EXPECT_EQ(rows_of(flattened().skip(10)), "?");
}

TEST_F(bounds, are_added_by_concat) {
  EXPECT_EQ(rows_of(range.concat(range, range)), "3,000");
  EXPECT_EQ(rows_of(range.concat(filtered())), "≤ 2,000");
  EXPECT_EQ(rows_of(range.concat(flattened())), "?");
}

TEST_F(bounds, are_the_shorter_side_of_zip) {
  EXPECT_EQ(rows_of(range.zip(s.range(0, 30)).materialise()), "30");
  EXPECT_EQ(rows_of(range.zip(s.from(std::vector<int>(70))).materialise()), "70");
  EXPECT_EQ(rows_of(range.zip(filtered()).materialise()), "≤ 1,000");
  EXPECT_EQ(rows_of(s.range(0, 30).zip(filtered()).materialise()), "≤ 30");
  EXPECT_EQ(rows_of(flattened().zip(range).materialise()), "≤ 1,000");
}

TEST_F(bounds, become_exact_once_a_stage_has_run) {
  const auto few = filtered().materialise();
  const auto copied = few.map([](int x) { return x; }).materialise();
  const std::array roots{detail::access::node(copied)};
  const auto machine = testing::made_up_machine();
  const request asked{.roots = roots, .machine = machine};
  auto p = make_plan(asked);
  ASSERT_EQ(p.stages.size(), 2u);
  p.stages[0].rows_out = graph::bound::exactly(500);
  p.stages[0].measured = true;
  refine(p, asked);
  EXPECT_EQ(graph::bound_text(p.stages[1].rows_out), "500");
  EXPECT_EQ(p.stages[1].bytes.written, 500 * sizeof(int));
}

}  // namespace
}  // namespace pappus::plan
