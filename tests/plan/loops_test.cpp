// What plans predict of do_while, on a machine that doesn't exist.
#include <array>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cost/work.h"
#include "pappus/error.h"
#include "plan/plan.h"
#include "run/dry.h"
#include "support/planning.h"

namespace pappus::plan {
namespace {

using cost::trust;
using ::testing::Contains;
using testing::find_stage;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::rows_of;
using testing::stage_of;

const auto always = [](std::span<const float>, std::span<const float>) { return true; };

struct planned_loop : ::testing::Test {
  session s{options{.threads = 1}};
  cost::machine machine = testing::made_up_machine();
  cost::row_work functions{.terms = {{.each = {.simple = 1000}}}};
  std::optional<double> seconds_a_row;  ///< of the loop
  past_loop past;
  int asked_past = 0;
  bool keep_history = false;
  std::vector<std::string> asked_device;

  template <typename Root>
  testing::planned planned_for(const Root& root) {
    const std::vector<detail::node_ptr> nodes{detail::access::node(root)};
    request r{.roots = nodes, .machine = machine, .keep_history = keep_history};
    r.ask_device = [this](const graph::node& n, unsigned) -> ops::answer {
      asked_device.push_back(graph::label(n));
      return {.why_not = n.op->loop_of(n) != nullptr ? "do_while runs its body's stages" : ""};
    };
    r.ask_work = [this](const graph::node&) -> const cost::row_work& { return functions; };
    r.ask_measured = [this](const stage& asked, std::span<const unsigned>) {
      return asked.body != nullptr ? seconds_a_row : std::nullopt;
    };
    r.ask_past = [this](const stage&) {
      ++asked_past;
      return past;
    };
    testing::planned p{make_plan(r), nodes};
    p.verify();
    return p;
  }

  collection<float> rows(std::size_t n) { return rows_of<float>(s, n); }
  collection<float> looped(const collection<float>& initial,
                           std::int64_t limit = std::numeric_limits<std::int64_t>::max()) {
    const auto step = [](const collection<float>& state) {
      return state.map([](float x) { return x + 1; });
    };
    return s.do_while(initial, step, always, max_iterations{limit});
  }
  stage loop_stage(std::size_t n, std::int64_t limit) {
    return stage_of(planned_for(looped(rows(n), limit)), "do_while");
  }
};

TEST_F(planned_loop, takes_its_limit_times_what_its_body_takes_as_a_guess) {
  const auto alone = planned_for(rows(1'000'000).map([](float x) { return x + 1; }).materialise());
  const auto loop = planned_for(looped(rows(1'000'000), 10));
  const auto& stage = stage_of(loop, "do_while");
  EXPECT_DOUBLE_EQ(stage.body->seconds(), alone.seconds());
  EXPECT_DOUBLE_EQ(stage.seconds, machine.launch_us * 1e-6 + 10 * alone.seconds());
  EXPECT_EQ(stage.how, trust::guessed) << "the condition may end it before";
  EXPECT_THAT(loop.print(), HasSubstr("\n     each of ≤ 10 iterations:\n     |  s0 state: "));
}

TEST_F(planned_loop, without_a_limit_takes_one_iteration_at_least) {
  const auto p = planned_for(looped(rows(1'000'000)));
  const auto& stage = stage_of(p, "do_while");
  EXPECT_DOUBLE_EQ(stage.seconds, machine.launch_us * 1e-6 + stage.body->seconds());
  EXPECT_GT(stage.body->seconds(), 0.01);
  EXPECT_EQ(stage.how, trust::at_least);
  EXPECT_THAT(p.print(), HasSubstr("each of ≥ 1 iterations:\n"));
}

TEST_F(planned_loop, that_runs_once_is_believed_as_far_as_its_body) {
  const auto p = planned_for(looped(rows(1'000'000), 1));
  EXPECT_EQ(stage_of(p, "do_while").how, trust::counted);
  EXPECT_THAT(p.print(), HasSubstr("each of 1 iterations:\n"));
  functions.how = trust::at_least;
  EXPECT_EQ(loop_stage(1'000'000, 1).how, trust::at_least);
}

TEST_F(planned_loop, counts_the_iterations_of_a_loop_inside_it) {
  const auto outer = s.do_while(
      rows(1'000'000), [&](const collection<float>& state) { return looped(state, 5); }, always,
      max_iterations{3});
  const auto p = planned_for(outer);
  const auto& stage = stage_of(p, "do_while");
  const auto& inner = stage_of(*stage.body, "do_while");
  EXPECT_GE(stage.seconds, 15 * inner.body->seconds());
  EXPECT_LT(stage.seconds, 16 * inner.body->seconds());
  EXPECT_EQ(stage.expected_in, 15e6);
}

TEST_F(planned_loop, is_a_part_of_its_querys_time) {
  const auto before = rows(1'000'000).map([](float x) { return x + 1; }).materialise();
  const auto p = planned_for(looped(before, 10).map([](float x) { return x + 1; }).sum());
  const double parts =
      stage_of(p, "map").seconds + stage_of(p, "do_while").seconds + stage_of(p, "map·sum").seconds;
  EXPECT_DOUBLE_EQ(p.seconds(), parts);
  EXPECT_EQ(p.how(), trust::guessed);
  const auto predicted = run::dry_run(p, testing::tasks_of(p));
  EXPECT_DOUBLE_EQ(predicted.seconds, parts);
  EXPECT_EQ(predicted.how, trust::guessed);
}

TEST_F(planned_loop, reads_what_does_not_change_in_each_iteration) {
  const auto points = rows(1'000'000);
  const auto p = planned_for(s.do_while(
      rows(1),
      [&](const collection<float>& state) {
        return points
            .map([](float x, std::span<const float> t) { return x + t[0]; }, state.shared())
            .materialise()
            .take(1);
      },
      always, max_iterations{10}));
  EXPECT_EQ(stage_of(p, "do_while").expected_in, 10e6);
}

TEST_F(planned_loop, expects_as_many_rows_as_come_from_stages_that_do_not_tell) {
  const auto some = rows(1'000'000).flat_map([](float x) { return std::array{x, x}; });
  const auto p = planned_for(looped(some.materialise(), 10));
  EXPECT_EQ(stage_of(p, "do_while").expected_in, 10 * stage_of(p, "flat_map").expected_out);
}

TEST_F(planned_loop, that_ran_takes_what_its_iterations_took) {
  seconds_a_row = 2e-6;
  past = {.iterations = 10};
  const auto p = planned_for(looped(rows(1000), 10));
  EXPECT_DOUBLE_EQ(stage_of(p, "do_while").seconds, 0.02);
  EXPECT_THAT(p.print(), HasSubstr(", 20.00 ms when it last ran"));
  EXPECT_THAT(p.print(), HasSubstr("each of 10 iterations:\n"));
  EXPECT_DOUBLE_EQ(loop_stage(1000, 5).seconds, 0.01);
  EXPECT_EQ(loop_stage(1000, 5).how, trust::measured);
  EXPECT_DOUBLE_EQ(loop_stage(3000, 10).seconds, 0.06) << "as for other stages, by rows";
}

TEST_F(planned_loop, that_may_run_longer_than_it_did_is_a_guess) {
  seconds_a_row = 2e-6;
  past = {.iterations = 10};
  EXPECT_DOUBLE_EQ(loop_stage(1000, 20).seconds, 0.04);
  EXPECT_EQ(loop_stage(1000, 20).how, trust::guessed);
  const auto unlimited = stage_of(planned_for(looped(rows(1000))), "do_while");
  EXPECT_DOUBLE_EQ(unlimited.seconds, 0.02);
  EXPECT_EQ(unlimited.how, trust::at_least);
}

TEST_F(planned_loop, whose_condition_ended_it_is_expected_to_end_so_again) {
  seconds_a_row = 2e-6;
  past = {.iterations = 7, .condition_ended_it = true};
  for (const std::int64_t limit : {7, 100}) {
    EXPECT_DOUBLE_EQ(loop_stage(1000, limit).seconds, 0.014);
    EXPECT_EQ(loop_stage(1000, limit).how, trust::measured);
  }
  EXPECT_DOUBLE_EQ(loop_stage(1000, 5).seconds, 0.01);
}

TEST_F(planned_loop, keeps_its_prediction_when_what_follows_is_planned_again) {
  const auto last = looped(rows(1'000'000), 10).map([](float x) { return x + 1; }).materialise();
  const std::vector<detail::node_ptr> roots{detail::access::node(last)};
  const request asked{.roots = roots, .machine = machine};
  auto p = make_plan(asked);
  auto& loop = p.stages[index(find_stage(p, "do_while"))];
  const auto body = loop.body;
  const double seconds = loop.seconds;
  loop.measured = true;
  loop.rows_out = graph::bound::exactly(1'000'000);
  refine(p, asked);
  EXPECT_EQ(loop.body, body);
  EXPECT_EQ(loop.seconds, seconds);
}

TEST_F(planned_loop, asks_no_device_about_a_small_query_around_it) {
  machine.devices.resize(1);
  machine.devices[0].name = "gpu:0";
  machine.devices[0].memory_bytes = 8e9;
  machine.devices[0].launch_us = 100;
  functions.terms.clear();
  planned_for(looped(rows(10), 1'000'000).map([](float x) { return x; }).sum());
  EXPECT_THAT(asked_device, ::testing::IsEmpty());
  keep_history = true;  // explain tells what each place would take
  planned_for(looped(rows(10), 1'000'000).map([](float x) { return x; }).sum());
  EXPECT_THAT(asked_device, Contains("map·sum"));
}

TEST_F(planned_loop, that_can_never_fit_is_refused) {
  machine.host_memory = 1 << 20;
  EXPECT_THROW(planned_for(looped(s.range(0, 1'000'000).map([](int x) { return 1.0f * x; }), 10)),
               memory_error);
  EXPECT_THROW(planned_for(looped(rows(1'000'000), 10)), memory_error);
}

TEST_F(planned_loop, is_asked_for_by_queries_with_loops_alone) {
  const auto p = planned_for(rows(1'000'000).map([](float x) { return x; }).sum());
  EXPECT_EQ(asked_past, 0);
  for (const auto& stage : p.stages) EXPECT_EQ(stage.body, nullptr);
  EXPECT_THAT(p.print(), Not(HasSubstr("iteration")));
}

}  // namespace
}  // namespace pappus::plan
