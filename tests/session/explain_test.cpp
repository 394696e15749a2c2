// What explain() and explain_analyze() promise to tell.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <thread>

#include "pappus/pappus.h"
#include "support/held_launches.h"

namespace pappus {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(explain, shows_graph_plan_tasks_and_prediction_and_runs_nothing) {
  session s(options{.threads = 2});
  int calls = 0;
  const auto total = s.from(std::vector<int>(1000))
                         .map([&calls](int x) {
                           ++calls;
                           return x + 1;
                         })
                         .filter([](int x) { return x % 2 == 0; })
                         .materialise()
                         .sum();
  const auto text = total.explain();
  EXPECT_THAT(text, StartsWith("graph\n"));
  EXPECT_THAT(text, ContainsRegex("n[0-9]+ map·filter: int <- n[0-9]+\n"));
  EXPECT_THAT(text, AllOf(HasSubstr("\nplan\n"), Not(HasSubstr("plan after"))));
  EXPECT_THAT(text, HasSubstr("map·filter: 1,000 → ≤ 1,000 rows"));
  EXPECT_THAT(text,
              ContainsRegex("rows a chunk, cpu, reads 3.9 KiB, writes 3.9 KiB, (about|at least) "));
  EXPECT_THAT(text, HasSubstr("; then frees s1"));
  EXPECT_THAT(text, HasSubstr("\ntasks\n"));
  EXPECT_THAT(text, HasSubstr("launch s1 map·filter: write, ≤ 7.8 KiB"));
  EXPECT_THAT(text, ContainsRegex("\npredicted: .*s, ≤ .* moved, ≤ .* of memory at once\n$"));
  EXPECT_EQ(calls, 0);
}

TEST(explain_passes, shows_the_plan_after_each_pass) {
  session s(options{.threads = 2});
  const auto rows = s.range(0, 1000).map([](int x) { return x + 1; });
  for (const auto& text : {rows.explain_passes(), rows.sum().explain_passes()})
    EXPECT_THAT(text, AllOf(StartsWith("graph\n"), HasSubstr("plan after collect\n"),
                            HasSubstr("plan after bounds\n"), HasSubstr("plan after repeated"),
                            HasSubstr("\ntasks\n"), Not(HasSubstr("\nplan\n"))));
}

TEST(explain, says_what_is_recomputed_and_what_is_cached) {
  session s(options{.threads = 2});
  const auto rows = s.range(0, 1000).map([](int x) { return x * x; });
  const auto twice = rows.materialise().zip(rows.filter([](int x) { return x > 9; }));
  EXPECT_THAT(twice.explain(), HasSubstr("note: map is recomputed here and in s"));

  const auto kept = rows.cache();
  const auto total = kept.sum();
  EXPECT_THAT(total.explain(), HasSubstr("[will be cached]"));
  EXPECT_EQ(kept.count().get(), 1000);
  EXPECT_THAT(total.explain(), AllOf(HasSubstr("[cached]"), HasSubstr("in memory")));
}

TEST(explain, names_edges_of_shared_data) {
  session s(options{.threads = 2});
  const auto table = s.from(std::vector{1, 2, 3});
  const auto rows = s.range(0, 3).map(
      [](int i, std::span<const int> t) { return t[static_cast<std::size_t>(i)]; }, table.shared());
  EXPECT_THAT(rows.explain(), ContainsRegex("range·map: int <- n[0-9]+ \\(shared\\)\n"));
}

TEST(explain_svg, draws_launches_that_wait) {
  ::setenv("PAPPUS_EXPLAIN", "text:1000000000", 1);  // nothing runs until somebody waits
  {
    session s(options{.threads = 2});
    const auto in = s.filled<float>({1'000'000}, 1), out = s.zeros<float>({1'000'000});
    s.for_each(
        in.extents(), [](idx<1> i, reads<float> in, writes<float> out) { out[i] = 2 * in[i]; }, in,
        out);
    const auto drawn = in.explain_svg();
    EXPECT_THAT(drawn, StartsWith("<svg xmlns="));
    EXPECT_THAT(drawn, AllOf(HasSubstr(" for_each at explain_test.cpp:"), HasSubstr(">1000000<"),
                             HasSubstr(">3.8 MiB<")));
    EXPECT_EQ(drawn, out.explain_svg());
    s.wait();
    EXPECT_EQ(in.explain_svg(), "");
  }
  ::unsetenv("PAPPUS_EXPLAIN");
}

TEST(explain, tells_of_launches_that_run_where_none_waits) {
  session s(options{.threads = 2});
  testing::held_launches held(s);
  const auto out = s.zeros<float>({10});
  EXPECT_THAT(out.explain(), HasSubstr("for_each at held_launches.h:"));
  held.release();
  s.wait();
  EXPECT_EQ(out.explain(), "");
}

TEST(explain, of_launches_fills_an_array_once_for_all_who_read_it) {
  ::setenv("PAPPUS_EXPLAIN", "text:1000000000", 1);
  {
    session s(options{.threads = 2});
    const auto in = s.filled<float>({1'000'000}, 1), out = s.zeros<float>({1'000'000});
    s.for_each(in.extents(),
               annotated([](idx<1> i, reads<float> in,
                            writes<float> out) { out[i] = in[i] + (i > 3 ? in[i - 3] : 0); },
                         "in, out: global i => read in[i], read in[i-3], write out[i]"),
               in, out);
    const auto text = out.explain();
    EXPECT_THAT(text, ContainsRegex("s0 fill"));
    EXPECT_THAT(text, ContainsRegex("s1 for_each")) << text;
  }
  ::unsetenv("PAPPUS_EXPLAIN");
}

TEST(explain_dot, draws_nodes_and_edges) {
  session s(options{.threads = 2});
  const auto table = s.from(std::vector{1, 2, 3});
  const auto total =
      s.from(std::vector{1.5})
          .map([](double x, std::span<const int> t) { return x + t[0]; }, table.shared())
          .sum();
  const auto text = total.explain_dot();
  EXPECT_THAT(text, StartsWith("digraph query {\n"));
  EXPECT_THAT(text, ContainsRegex("  n[0-9]+ \\[label=\"map·sum\\\\ndouble\"\\];\n"));
  EXPECT_THAT(text, ContainsRegex("  n[0-9]+ -> n[0-9]+;\n"));
  EXPECT_THAT(text, ContainsRegex("  n[0-9]+ -> n[0-9]+ \\[style=dashed, label=\"shared\"\\];\n"));
  EXPECT_THAT(text, ::testing::EndsWith("}\n"));
}

TEST(explain_analyze, shows_what_happened_beside_what_was_predicted) {
  session s(options{.threads = 2});
  const auto even = s.range(0, 1000).filter([](int x) { return x % 2 == 0; }).materialise();
  const auto text = even.map([](int x) { return x; }).explain_analyze();
  EXPECT_THAT(text, StartsWith("stages: predicted → measured\n"));
  EXPECT_THAT(text, ContainsRegex("s0 range·filter: rows ≤ 1,000 → 500, time .* → .*, on cpu\n"));
  EXPECT_THAT(text, ContainsRegex("       launch write: .*s\n"));
  EXPECT_THAT(text, ContainsRegex("\ntotal: .*s\n$"));
}

TEST(explain_analyze, tells_rows_and_bytes_a_second_of_what_took_some_time) {
  session s(options{.threads = 2});
  const std::vector<double> rows(1'000'000, 1.5);
  const auto text = s.borrow(rows).map([](double x) { return x + 1; }).explain_analyze();
  EXPECT_THAT(text, ContainsRegex("s1 map: rows 1,000,000 → 1,000,000, time .* → .*, "
                                  "[0-9.e+]+ M rows/s, [0-9.e+]+ GB/s, on cpu\n"));
}

TEST(explain_analyze, tells_how_many_rows_an_index_holds) {
  session s(options{.threads = 2});
  const auto same = [](int x) { return x; };
  const auto text = s.range(0, 10).join(s.range(0, 500), same, same, std::plus{}).explain_analyze();
  EXPECT_THAT(text, ContainsRegex("index: 500 → 500 rows indexed, time "));
}

TEST(predictions, without_the_plugin_are_the_least_a_stage_takes) {
  session s(options{.threads = 2});
  const auto rows = s.range(0, 1000).map([](int x) { return x + 1; });
#ifndef __clang__
  EXPECT_THAT(rows.explain(),
              AllOf(HasSubstr("writes 3.9 KiB, at least "), HasSubstr("\npredicted: at least ")));
#endif
  EXPECT_THAT(rows.sum().explain(), Not(HasSubstr("when it last ran")));
}

/// As slow as a test can bear and a prediction remembers.
int slowly(int x) {
  std::this_thread::sleep_for(std::chrono::microseconds(20));
  return x;
}

TEST(predictions, of_a_stage_that_has_run_are_what_it_took) {
  session s(options{.threads = 2});
  const auto query = [&] { return s.range(0, 50).map([](int x) { return slowly(x); }); };
  EXPECT_THAT(query().explain(), Not(HasSubstr("when it last ran")));
  EXPECT_EQ(query().count().get(), 50);
  EXPECT_THAT(query().explain(), Not(HasSubstr("when it last ran"))) << "count is another stage";
  EXPECT_EQ(query().collect().size(), 50u);
  const auto text = query().explain();
  EXPECT_THAT(text, HasSubstr("s when it last ran"));
  EXPECT_THAT(text, Not(HasSubstr("at least")));
}

TEST(predictions, of_a_body_know_earlier_iterations) {
  session s(options{.threads = 2});
  const auto query = [&] {
    return s.do_while(
        s.range(0, 50),
        [](const collection<int>& state) { return state.map([](int x) { return slowly(x) + 1; }); },
        [](std::span<const int> before, std::span<const int>) { return before[0] < 2; });
  };
  EXPECT_EQ(query().collect()[0], 3);
  EXPECT_THAT(query().explain(), ContainsRegex("  s[0-9]+ map: .*s when it last ran"));
}

TEST(predictions, of_a_loop_are_its_iterations) {
  session s(options{.threads = 2});
  const auto rows = s.range(0, 50).materialise();
  const auto query = [&](int stop) {
    return s.do_while(
        s.from(std::vector<int>{0}),
        [&](const collection<int>& state) {
          return rows
              .map([](int x, std::span<const int> at) { return slowly(x) + at[0] + 1; },
                   state.shared())
              .materialise()
              .take(1);
        },
        [stop](std::span<const int>, std::span<const int> after) { return after[0] < stop; });
  };
  EXPECT_THAT(query(4).explain(),
              AllOf(HasSubstr("each of ≥ 1 iterations:"), HasSubstr("\npredicted: at least ")));
  EXPECT_EQ(query(4).collect()[0], 4);
  const auto text = query(4).explain();
  EXPECT_THAT(text, HasSubstr("each of 4 iterations:"));
  EXPECT_THAT(text, ContainsRegex("do_while: .*s when it last ran"));
  // 50 rows of 20 us, 4 times, on two threads
  EXPECT_THAT(text, ContainsRegex("\npredicted: [0-9.]+ m?s, ")) << "2 ms at least";
  EXPECT_EQ(query(6).collect()[0], 6);
  EXPECT_THAT(query(6).explain(), HasSubstr("each of 6 iterations:"));
}

TEST(explain_analyze, runs_the_query) {
  session s(options{.threads = 2});
  std::atomic<int> calls{0};
  const auto rows = s.range(0, 1000).map([&calls](int x) {
    ++calls;
    return x;
  });
  EXPECT_THAT(rows.explain_analyze(), Not(HasSubstr("≤")));
  EXPECT_EQ(calls.load(), 1000);
}

}  // namespace
}  // namespace pappus
