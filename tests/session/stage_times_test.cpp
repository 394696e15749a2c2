// What a session remembers of stages that ran.
#include "session/stage_times.h"

#include <gtest/gtest.h>

#include "support/planning.h"

namespace pappus::detail {
namespace {

using cost::trust;
using testing::rows_of;
using testing::stage_of;

const auto always = [](std::span<const float>, std::span<const float>) { return true; };
const auto never = [](std::span<const float>, std::span<const float>) { return false; };
const auto plus_one = [](float x) { return x + 1; };
const auto plus_two = [](float x) { return x + 2; };

struct remembered_loops : ::testing::Test {
  session s{options{.threads = 1}};
  stage_times times;

  /// The loop's stage in a plan that knows what is remembered.
  template <typename F = decltype(plus_one), typename Condition = decltype(always)>
  plan::stage loop(std::size_t rows, std::int64_t limit, F f = plus_one, Condition go_on = always) {
    const auto query = s.do_while(
        rows_of<float>(s, rows),
        [&](const collection<float>& state) { return state.map(f).materialise(); }, go_on,
        max_iterations{limit});
    kept_.push_back(access::node(query));
    return stage_of(
        plan::make_plan(
            {.roots = {&kept_.back(), 1},
             .machine = testing::made_up_machine(),
             .ask_measured =
                 [this](const plan::stage& asked, std::span<const unsigned> devices) {
                   return times.find(asked, devices);
                 },
             .ask_past = [this](const plan::stage& asked) { return times.past(asked); }}),
        "do_while");
  }

 private:
  std::vector<node_ptr> kept_;
};

TEST_F(remembered_loops, are_predicted_by_the_iteration_and_the_row) {
  EXPECT_NE(loop(1000, 10).how, trust::measured);
  times.remember(loop(1000, 10), 10'000, 0.5, {.iterations = 10});
  EXPECT_DOUBLE_EQ(loop(1000, 10).seconds, 0.5);
  EXPECT_EQ(loop(1000, 10).how, trust::measured);
  EXPECT_DOUBLE_EQ(loop(1000, 20).seconds, 1.0);
  EXPECT_DOUBLE_EQ(loop(2000, 10).seconds, 1.0);
  EXPECT_DOUBLE_EQ(loop(1000, 1).seconds, 0.05);
}

TEST_F(remembered_loops, are_known_by_their_functions_and_their_condition) {
  times.remember(loop(1000, 10), 10'000, 0.5, {.iterations = 10});
  EXPECT_NE(loop(1000, 10, plus_two).how, trust::measured);
  EXPECT_NE(loop(1000, 10, plus_one, never).how, trust::measured);
}

TEST_F(remembered_loops, end_where_their_condition_ended_them_the_last_time) {
  times.remember(loop(1000, 100), 10'000, 0.5, {.iterations = 10, .condition_ended_it = true});
  EXPECT_DOUBLE_EQ(loop(1000, 100).seconds, 0.5);
  times.remember(loop(1000, 100), 20'000, 1, {.iterations = 20, .condition_ended_it = true});
  EXPECT_DOUBLE_EQ(loop(1000, 100).seconds, 1);
}

TEST_F(remembered_loops, are_not_those_that_were_over_at_once) {
  times.remember(loop(1000, 10), 10'000, stage_times::seconds_min / 2, {.iterations = 10});
  EXPECT_EQ(loop(1000, 10).how, trust::at_least) << "nobody counted its functions";
  EXPECT_EQ(times.past(loop(1000, 10)).iterations, 1);
}

}  // namespace
}  // namespace pappus::detail
