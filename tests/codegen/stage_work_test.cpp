// What the planner is told of a stage's functions.
#include "codegen/element/stage_work.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/node.h"
#include "pappus/pappus.h"

namespace pappus::codegen {
namespace {

using cost::trust;
using ::testing::ElementsAre;

/// As the compiler plugin would have described a function that can't run on devices.
constexpr const char* counted =
    R"json({"version":4, "name":"f", "function":"f", "source":"",
        "reasons":[{"id":"allocates", "what":"allocates memory", "remedy":"don't", "where":""}],
        "reads":[], "throws":false,
        "work":{"counts":[{"sides":[], "simple":5, "wide":8, "divisions":1, "maths":2},
                          {"sides":[0], "simple":3, "wide":0, "divisions":0, "maths":0}],
                "assumed":false, "unseen":false, "fast":false, "vector_maths":["exp"]}})json";
constexpr const char* fast =
    R"json({"version":4, "name":"g", "function":"g", "source":"", "reasons":[],
        "text":"", "doubles":false, "traps":false, "references":[], "reads":[], "throws":false,
        "work":{"counts":[{"sides":[], "simple":0, "wide":1, "divisions":0, "maths":2}],
                "assumed":true, "unseen":false, "fast":true, "vector_maths":["exp"]}})json";

struct stage_work : ::testing::Test {
  session s{options{.threads = 1}};

  /// Work of a stage that describes itself so.
  cost::row_work of(detail::describe_element describe) {
    const auto rows = s.range(0, 10).map([](int x) { return x; }).materialise();
    const_cast<detail::node&>(*detail::access::node(rows)).stage.describe = describe;
    return row_work_of(*detail::access::node(rows));
  }
};

detail::compiled_call call_of(const char* descriptor, int first_side = 0) {
  detail::compiled_call call;
  call.descriptor = descriptor;
  call.first_side = first_side;
  return call;
}

TEST_F(stage_work, is_that_of_its_functions_even_where_no_device_can_run_them) {
  const auto work =
      of([](const void*, detail::device_writer& to) { to.call(call_of(counted, 2), {}); });
  EXPECT_EQ(work.how, trust::counted);
  const auto a_row = work.of_row({0, 0, 10});
  EXPECT_EQ(a_row.simple, 5 + 10 * 3) << "its side is the stage's third";
  EXPECT_EQ(a_row.wide, 8);
  EXPECT_EQ(a_row.divisions, 1);
  EXPECT_EQ(a_row.maths, 2);
  EXPECT_THAT(work.scalar_maths, ElementsAre("exp"));
  EXPECT_EQ(work.scalar_maths_calls, 2);
}

TEST_F(stage_work, of_functions_with_fast_floats_has_maths_in_vectors) {
  const auto work = of([](const void*, detail::device_writer& to) { to.call(call_of(fast), {}); });
  EXPECT_EQ(work.of_row({}).maths, 0);
  EXPECT_EQ(work.of_row({}).vector_maths, 2);
  EXPECT_EQ(work.scalar_maths_calls, 0);
  EXPECT_EQ(work.how, trust::guessed);
}

TEST_F(stage_work, behind_a_filter_is_done_for_half_of_the_rows) {
  const auto work = of([](const void*, detail::device_writer& to) {
    to.keep_if(0);
    to.call(call_of(counted), {});
  });
  EXPECT_EQ(work.of_row({10}).maths, 1);
}

TEST_F(stage_work, behind_a_join_is_not_done_in_vectors) {
  const auto work = of([](const void*, detail::device_writer& to) {
    to.call(call_of(counted), {});
    to.probe(0, detail::join_kind{}, nullptr);
  });
  EXPECT_EQ(work.of_row({0}).wide, 0);
  EXPECT_GT(work.of_row({0}).simple, 5 + 8);
  EXPECT_EQ(work.how, trust::guessed);
}

TEST_F(stage_work, of_functions_that_nobody_described_is_the_least) {
  EXPECT_EQ(of([](const void*, detail::device_writer& to) { to.call(call_of(nullptr), {}); }).how,
            trust::at_least);
  EXPECT_EQ(of([](const void*, detail::device_writer& to) {
              to.call(call_of(R"({"version":99})"), {});
            }).how,
            trust::at_least);
  const auto groups = s.range(0, 10)
                          .group_by([](int x) { return x % 2; })
                          .map_groups([](int key, std::span<const int>) { return key; });
  EXPECT_EQ(row_work_of(*detail::access::node(groups)).how, trust::at_least);
}

}  // namespace
}  // namespace pappus::codegen
