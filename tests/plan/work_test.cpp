// Plans of stages whose functions compute, on a machine that doesn't exist.
#include "cost/work.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plan/plan.h"
#include "support/planning.h"

namespace pappus::plan {
namespace {

using cost::trust;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::stage_of;

struct planned_work : ::testing::Test {
  session s{options{.threads = 1}};
  cost::machine machine = testing::made_up_machine();
  cost::row_work functions{.how = trust::counted};
  std::optional<double> seconds_a_row;

  collection<float> rows(std::size_t n) { return testing::rows_of<float>(s, n); }

  static cost::device_rates gpu(double gops_per_s) {
    cost::device_rates rates;
    rates.name = "gpu:0";
    rates.kind = "gpu";
    rates.memory_bytes = 8e9;
    rates.gops_per_s = gops_per_s;
    return rates;
  }

  template <typename Root>
  testing::planned planned_for(const Root& root) {
    const std::vector<detail::node_ptr> nodes{detail::access::node(root)};
    request r{.roots = nodes, .machine = machine};
    r.ask_device = [](const graph::node&, unsigned) -> ops::answer { return {}; };
    r.ask_work = [this](const graph::node&) -> const cost::row_work& { return functions; };
    r.ask_measured = [this](const stage&, std::span<const unsigned>) { return seconds_a_row; };
    testing::planned p{make_plan(r), nodes};
    p.verify();
    return p;
  }
  stage mapped(std::size_t n) {
    const auto p = planned_for(rows(n).map([](float x) { return x + 1; }).materialise());
    return stage_of(p, "map");
  }
};

TEST_F(planned_work, takes_the_longer_of_its_instructions_and_its_traffic) {
  const double traffic_s = mapped(1'000'000).seconds;
  functions.terms = {{.each = {.simple = 1}}};
  EXPECT_EQ(mapped(1'000'000).seconds, traffic_s) << "hidden behind the memory";
  functions.terms = {{.each = {.simple = 20'000}}};
  EXPECT_NEAR(mapped(1'000'000).seconds, 1e6 * 20'000 / (machine.core_gops * 1e9 * 4), 1e-3);
}

TEST_F(planned_work, of_functions_that_go_through_shared_rows_grows_with_them) {
  functions.terms = {{.sides = {0}, .each = {.simple = 10}}};
  const auto seconds = [&](int n) {
    const auto shared = s.from(std::vector<int>(static_cast<std::size_t>(n)));
    const auto p =
        planned_for(rows(1'000'000)
                        .map([](float x, std::span<const int>) { return x; }, shared.shared())
                        .materialise());
    return stage_of(p, "map").seconds;
  };
  EXPECT_NEAR(seconds(1000) / seconds(100), 10, 0.5);
}

TEST_F(planned_work, that_is_heavy_goes_to_a_device_that_light_work_does_not_pay) {
  machine.devices = {gpu(1000)};
  const auto where = [&] { return where_text(mapped(1'000'000)); };
  EXPECT_EQ(where(), "cpu");
  functions.terms = {{.each = {.maths = 100}}};
  EXPECT_EQ(where(), "gpu:0");
  machine.devices[0].gops_per_s = 10;  // slower than four cores
  EXPECT_EQ(where(), "cpu");
}

TEST_F(planned_work, says_how_far_its_prediction_can_be_believed) {
  const auto text = [&] {
    return planned_for(rows(1'000'000).map([](float x) { return x; }).materialise()).print();
  };
  EXPECT_THAT(text(), HasSubstr(", about 805.0 us;"));
  functions.how = trust::guessed;
  EXPECT_THAT(text(), HasSubstr(", guess 805.0 us;"));
  functions.how = trust::at_least;
  EXPECT_THAT(text(), HasSubstr(", at least 805.0 us;"));
  seconds_a_row = 1e-6;
  EXPECT_THAT(text(), HasSubstr(", 1.00 s when it last ran;"));
}

TEST_F(planned_work, of_which_nobody_knows_anything_is_the_least) {
  const auto p = testing::plan_of(rows(1000).map([](float x) { return x; }).materialise());
  EXPECT_EQ(stage_of(p, "map").how, trust::at_least);
  EXPECT_EQ(p.how(), trust::at_least);
}

TEST_F(planned_work, that_was_measured_counts_where_devices_are_compared) {
  machine.devices = {gpu(1000)};
  functions.terms = {{.each = {.maths = 100}}};
  functions.how = trust::at_least;
  EXPECT_EQ(where_text(mapped(1'000'000)), "gpu:0");
  seconds_a_row = 1e-9;  // everywhere: what is left are the copies
  EXPECT_EQ(where_text(mapped(1'000'000)), "cpu");
}

TEST_F(planned_work, tells_where_fast_floats_would_pay) {
  functions.terms = {{.each = {.simple = 20, .maths = 3}}};
  functions.scalar_maths = {"exp", "log"};
  functions.scalar_maths_calls = 3;
  EXPECT_EQ(mapped(10'000'000).maths_note,
            "std::exp, std::log stay scalar under strict floats; pappus_enable(target FLOATS fast) "
            "would run this stage about 5× faster");
  EXPECT_EQ(mapped(1000).maths_note, "") << "over at once";
  functions.terms[0].each.simple = 10'000;
  EXPECT_EQ(mapped(1'000'000).maths_note, "") << "it computes other things";
}

TEST_F(planned_work, of_a_sort_is_more_than_of_a_map) {
  const auto sorted = planned_for(rows(1'000'000).sort());
  EXPECT_GT(sorted.seconds(), 2 * mapped(1'000'000).seconds);
}

}  // namespace
}  // namespace pappus::plan
