// Where stages run, on machines that don't exist: files of rates below machines/.
#include <algorithm>
#include <map>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cost/rates_file.h"
#include "plan/plan.h"
#include "support/planning.h"

namespace pappus::plan {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using testing::find_stage;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::rows_of;
using testing::stage_of;

cost::machine machine_from(const std::string& name) {
  const auto rates =
      cost::load_rates(std::string(PAPPUS_SOURCE_DIR) + "/tests/plan/machines/" + name + ".json");
  if (!rates.warning.empty()) throw std::runtime_error(rates.warning);
  cost::machine m{.threads = rates.cpus.at(0).threads,
                  .host_memory = std::size_t{1} << 40,
                  .memory_gb_per_s = rates.cpus.at(0).memory_gb_per_s,
                  .devices = rates.devices};
  return m;
}

/// n maps, each a stage of its own.
collection<float> chain_of(const collection<float>& rows, int n) {
  auto last = rows;
  for (int i = 0; i < n; ++i) last = last.map([](float x) { return x + 1; }).materialise();
  return last;
}

struct place : ::testing::Test {
  session s{options{.threads = 1}};
  bool built = true;
  double launches = 1, scratch_row_bytes = 0;
  bool shares = true;
  std::vector<std::size_t> read_bytes;
  std::map<std::string, std::string> refused;  ///< by label
  std::vector<unsigned> only;
  std::function<double(const detail::rows_ptr&, unsigned)> bytes_there;
  bool keep_history = false;
  int asked_times = 0;

  template <typename Root>
  testing::planned planned_for(const cost::machine& m, const Root& root) {
    const std::vector<detail::node_ptr> nodes{detail::access::node(root)};
    testing::planned p{make_plan(asking(m, nodes)), nodes};
    p.verify();
    return p;
  }

  request asking(const cost::machine& m, std::span<const detail::node_ptr> roots) {
    request r{.roots = roots, .machine = m, .keep_history = keep_history};
    r.ask_device = [this](const graph::node& n, unsigned) -> ops::answer {
      ++asked_times;
      if (const auto found = refused.find(graph::label(n)); found != refused.end())
        return {.why_not = found->second};
      return {.why_not = {},
              .built = built,
              .launches = launches,
              .scratch_row_bytes = scratch_row_bytes,
              .shares = shares,
              .read_bytes = read_bytes};
    };
    r.ask_work = [](const graph::node&) -> const cost::row_work& {
      static const cost::row_work
          nothing;  // traffic alone; work_test.cpp has functions that compute
      return nothing;
    };
    r.bytes_there = bytes_there;
    r.only = only;
    return r;
  }

  /// The places of all stages that run, in order.
  static std::vector<std::string> places(const plan& p) {
    std::vector<std::string> found;
    for (const auto& stage : p.stages)
      if (!stage.known && graph::is_run(*stage.node)) found.push_back(where_text(stage));
    return found;
  }
  template <typename Root>
  std::string place_of(const cost::machine& m, const Root& root) {
    return places(planned_for(m, root)).back();
  }
};

TEST_F(place, is_the_cpu_where_the_machine_has_no_device) {
  const auto total = rows_of<float>(s, 100'000'000).sum();
  const auto p = planned_for(testing::made_up_machine(), total);
  EXPECT_THAT(places(p), ElementsAre("cpu"));
  EXPECT_THAT(stage_of(p, "sum").estimates, IsEmpty());
  EXPECT_EQ(reasons_text(stage_of(p, "sum")), "");
}

TEST_F(place, is_the_cpu_where_nobody_can_ask_devices) {
  const auto m = machine_from("two_gpus");
  const auto total = rows_of<float>(s, 100'000'000).sum();
  EXPECT_THAT(places(testing::plan_for(m, total)), ElementsAre("cpu"));
}

TEST_F(place, of_small_work_is_the_cpu_and_no_device_is_asked) {
  const auto m = machine_from("two_gpus");
  EXPECT_EQ(place_of(m, rows_of<float>(s, 1000).sum()), "cpu");
  EXPECT_EQ(asked_times, 0);
  keep_history = true;  // explain shows what devices would take
  const auto p = planned_for(m, rows_of<float>(s, 1000).sum());
  EXPECT_THAT(places(p), ElementsAre("cpu"));
  EXPECT_EQ(stage_of(p, "sum").estimates.size(), 4u);
}

TEST_F(place, moves_to_the_device_with_the_size_of_the_work) {
  const auto m = machine_from("two_gpus");
  shares = false;
  std::vector<std::string> found;
  for (const std::size_t n : {1000, 10'000, 1'000'000, 100'000'000})
    found.push_back(place_of(m, rows_of<float>(s, n).sum()));
  EXPECT_THAT(found, ElementsAre("cpu", "cpu", "gpu:0", "gpu:0"));
}

TEST_F(place, is_the_cpu_at_any_size_where_the_bus_is_slower_than_the_memory) {
  const auto m = machine_from("fast_gpu_far_away");
  for (const std::size_t n : {1000, 1'000'000, 1'000'000'000})
    EXPECT_EQ(place_of(m, rows_of<float>(s, n).sum()), "cpu") << n;
}

TEST_F(place, is_the_fast_device_for_rows_that_are_made_there) {
  const auto m = machine_from("fast_gpu_far_away");
  const auto made = s.range(0, 100'000'000).map([](int x) { return 2.0f * x; }).materialise();
  const auto p = planned_for(m, made.inclusive_scan([](float a, float b) { return a + b; }).max());
  EXPECT_THAT(places(p), ::testing::Each(std::string("gpu:0"))) << p.print();
}

TEST_F(place, of_a_chain_is_the_device_when_only_its_sum_pays) {
  const auto m = machine_from("fast_gpu_far_away");
  const auto rows = rows_of<float>(s, 10'000'000);
  std::vector<std::string> found;
  for (const int n : {1, 2, 3, 4, 6, 8}) {
    const auto places_of_chain = places(planned_for(m, chain_of(rows, n)));
    EXPECT_THAT(places_of_chain, ::testing::Each(places_of_chain.front())) << n;
    found.push_back(places_of_chain.front());
  }
  EXPECT_THAT(found, ElementsAre("cpu", "cpu", "cpu", "cpu", "gpu:0", "gpu:0"));
}

TEST_F(place, keeps_a_chains_intermediate_rows_on_the_device) {
  const auto m = machine_from("fast_gpu_far_away");
  const auto p = planned_for(m, chain_of(rows_of<float>(s, 10'000'000), 8));
  std::vector<bool> stays;
  for (const auto& stage : p.stages) stays.push_back(stage.where.stays);
  EXPECT_THAT(stays, ElementsAre(false, true, true, true, true, true, true, true, false));
}

TEST_F(place, of_a_chain_is_the_cpu_where_its_rows_dont_fit_the_device) {
  const auto m = machine_from("tiny_device_memory");
  const auto p = planned_for(m, chain_of(rows_of<float>(s, 10'000'000), 8));
  EXPECT_THAT(places(p), ::testing::Each(std::string("cpu")));
  // A device that must be used keeps what fits and brings back what doesn't.
  only = {0};
  const auto large = planned_for(m, chain_of(rows_of<float>(s, 10'000'000), 2));
  EXPECT_THAT(places(large), ElementsAre("gpu:0", "gpu:0"));
  EXPECT_FALSE(large.stages[1].where.stays);
  const auto small = planned_for(m, chain_of(rows_of<float>(s, 10'000), 2));
  EXPECT_TRUE(small.stages[1].where.stays);
}

TEST_F(place, counts_a_launch_for_each_chunk_that_fits) {
  const auto m = machine_from("tiny_device_memory");
  only = {0};
  const auto launch_s = [&] {
    const auto p = planned_for(m, rows_of<float>(s, 1'000'000).sum());
    return stage_of(p, "sum").estimates[1].launch_s;
  };
  EXPECT_NEAR(launch_s(), 8 * 10e-6, 1e-8);  // 4 bytes a row, in half of 1 MB
  scratch_row_bytes = 4;
  EXPECT_NEAR(launch_s(), 16 * 10e-6, 1e-8);
  launches = 3;
  EXPECT_NEAR(launch_s(), 48 * 10e-6, 1e-8);
}

TEST_F(place, is_the_cpu_around_a_stage_that_no_device_can_run) {
  const auto m = machine_from("fast_gpu_far_away");
  auto rows = chain_of(rows_of<float>(s, 10'000'000), 3);
  rows = rows.filter([](float x) { return x > 0; }).materialise();
  const auto chain = chain_of(rows, 3);
  EXPECT_THAT(places(planned_for(m, chain)), ::testing::Each(std::string("gpu:0")));
  refused["filter"] = "filter: its function has no device code";
  const auto p = planned_for(m, chain);
  EXPECT_THAT(places(p), ::testing::Each(std::string("cpu")));
  EXPECT_EQ(reasons_text(stage_of(p, "filter")),
            "     on the CPU: filter: its function has no device code\n");
}

TEST_F(place, waits_until_a_build_pays) {
  const auto m = machine_from("two_gpus");
  shares = false;
  const auto query = [&](std::size_t n) { return rows_of<float>(s, n).sum(); };
  built = false;  // 100 ms
  EXPECT_EQ(place_of(m, query(10'000'000)), "cpu");
  EXPECT_EQ(place_of(m, query(20'000'000'000)), "gpu:0");
  built = true;
  EXPECT_EQ(place_of(m, query(10'000'000)), "gpu:0");
}

TEST_F(place, is_shared_by_devices_of_one_kind) {
  const auto m = machine_from("two_gpus");
  const auto p = planned_for(m, rows_of<float>(s, 100'000'000).sum());
  const auto& sum = stage_of(p, "sum");
  EXPECT_EQ(where_text(sum), "gpu:0+gpu:1");
  EXPECT_THAT(sum.where.devices, ElementsAre(0u, 1u));
  ASSERT_EQ(sum.estimates.size(), 4u);
  EXPECT_DOUBLE_EQ(sum.estimates[3].work_s, sum.estimates[1].work_s / 2);
  const double latencies_s = 20e-6;  // there and back
  EXPECT_DOUBLE_EQ(sum.estimates[3].transfer_s - latencies_s,
                   (sum.estimates[1].transfer_s - latencies_s) / 2);
}

TEST_F(place, isnt_shared_by_devices_of_different_kinds_nor_where_the_operator_cant) {
  auto m = machine_from("two_gpus");
  shares = false;
  EXPECT_EQ(place_of(m, rows_of<float>(s, 100'000'000).sum()), "gpu:0");
  shares = true;
  m.devices[1].kind = "another";
  const auto p = planned_for(m, rows_of<float>(s, 100'000'000).sum());
  EXPECT_EQ(stage_of(p, "sum").estimates.size(), 3u);
  EXPECT_EQ(where_text(stage_of(p, "sum")), "gpu:0");
}

TEST_F(place, is_the_faster_device) {
  auto m = machine_from("two_gpus");
  m.devices[1].kind = "another";
  m.devices[1].to_gb_per_s = 50;
  EXPECT_EQ(place_of(m, rows_of<float>(s, 100'000'000).sum()), "gpu:1");
}

TEST_F(place, is_a_device_wherever_one_can_when_the_cpu_wasnt_asked_for) {
  auto m = machine_from("slow_gpu");
  const auto rows = rows_of<float>(s, 1000);
  const auto odd = rows.filter([](float x) { return x > 0; }).materialise();
  EXPECT_THAT(places(planned_for(m, chain_of(odd, 1))), ElementsAre("cpu", "cpu"));
  m.cpu = false;
  refused["filter"] = "filter: its function has no device code";
  const auto p = planned_for(m, chain_of(odd, 1));
  EXPECT_THAT(places(p), ElementsAre("cpu", "gpu:0"));
  EXPECT_THAT(reasons_text(stage_of(p, "map")),
              HasSubstr("not on cpu: only devices were asked for"));
}

TEST_F(place, can_be_chosen_for_one_call) {
  const auto m = machine_from("two_gpus");
  only = {1};
  const auto p = planned_for(m, rows_of<float>(s, 10).sum());
  EXPECT_THAT(stage_of(p, "sum").where.devices, ElementsAre(1u));
  EXPECT_EQ(stage_of(p, "sum").estimates.size(), 2u) << "only that device and the CPU";
}

TEST_F(place, is_a_device_that_has_the_rows_already) {
  const auto m = machine_from("fast_gpu_far_away");
  const auto total = rows_of<float>(s, 100'000'000).sum();
  EXPECT_EQ(place_of(m, total), "cpu");
  const auto cached = rows_of<float>(s, 100'000'000).cache();
  bytes_there = [](const detail::rows_ptr&, unsigned) { return 4e8; };
  // Rows exist once they are bound, as those of a cached collection are.
  const auto sum = cached.sum();
  const std::vector<detail::node_ptr> roots{detail::access::node(sum)};
  static const float one{};
  const bindings bound{{detail::access::node(cached).get(),
                        std::make_shared<detail::row_set>(detail::record_type_of<float>(), &one,
                                                          std::int64_t{100'000'000})}};
  const auto place_now = [&] {
    auto asked = asking(m, roots);
    asked.bound = &bound;
    return places(make_plan(asked)).back();
  };
  EXPECT_EQ(place_now(), "gpu:0");
  bytes_there = nullptr;
  EXPECT_EQ(place_now(), "cpu");
}

TEST_F(place, refuses_shared_data_larger_than_the_device) {
  const auto m = machine_from("tiny_device_memory");
  const auto table = rows_of<float>(s, 1'000'000);
  const auto p = planned_for(
      m, rows_of<float>(s, 10'000'000)
             .map([](float x, std::span<const float> t) { return x + t[0]; }, table.shared())
             .sum());
  EXPECT_THAT(reasons_text(stage_of(p, "map·sum")),
              HasSubstr("the data shared with it (3.8 MiB) takes more than half of its memory"));
}

TEST_F(place, divides_what_a_loops_body_reads_each_time_among_its_iterations) {
  const auto m = machine_from("fast_gpu_far_away");
  const auto points = rows_of<float>(s, 50'000'000);
  const auto loop = s.do_while(
      rows_of<float>(s, 1),
      [&](const collection<float>& state) {
        return points
            .map([](float x, std::span<const float> t) { return x + t[0]; }, state.shared())
            .materialise()
            .take(1)
            .materialise();
      },
      [](std::span<const float>, std::span<const float>) { return true; });
  keep_history = true;
  refused["do_while"] = "do_while: runs its body's stages";
  const auto p = planned_for(m, loop);
  // 200 MB over a bus of 5 GB/s take 40 ms, once in ten iterations; back they come each time.
  EXPECT_THAT(stage_of(p, "do_while").body->print(), HasSubstr("gpu:0: transfer 44.0"));
}

TEST_F(place, of_stages_that_have_run_is_kept_when_planned_again) {
  const auto m = machine_from("fast_gpu_far_away");
  const auto kept = chain_of(rows_of<float>(s, 10'000'000), 6)
                        .filter([](float x) { return x > 0; })
                        .materialise();
  const auto last = chain_of(kept, 1);
  const std::vector<detail::node_ptr> roots{detail::access::node(last)};
  const auto asked = asking(m, roots);
  auto p = make_plan(asked);
  const auto filter = index(find_stage(p, "filter"));
  ASSERT_EQ(where_text(p.stages[filter]), "gpu:0");
  ASSERT_TRUE(p.stages[filter].where.stays);
  for (std::size_t i = 0; i <= filter; ++i) p.stages[i].measured = true;
  p.stages[filter].rows_out = graph::bound::exactly(5'000'000);
  refine(p, asked);
  EXPECT_EQ(where_text(p.stages[filter]), "gpu:0");
  EXPECT_EQ(where_text(p.stages.back()), "gpu:0") << "its rows are there";
  // Few rows aren't worth a launch more.
  p.stages[filter].rows_out = graph::bound::exactly(10);
  refine(p, asked);
  EXPECT_EQ(where_text(p.stages[filter]), "gpu:0");
  EXPECT_EQ(where_text(p.stages.back()), "cpu");
}

TEST_F(place, is_explained_with_all_estimates) {
  const auto m = machine_from("two_gpus");
  shares = false;
  const auto p = planned_for(m, rows_of<float>(s, 100'000'000).sum());
  const auto& sum = stage_of(p, "sum");
  EXPECT_EQ(reasons_text(sum),
            "     on gpu:0, 16.83 ms; gpu:1 would take 16.83 ms\n"
            "       cpu: work 20.01 ms\n"
            "       gpu:0: transfer 16.02 ms, launch 10.0 us, work 800.0 us\n"
            "       gpu:1: transfer 16.02 ms, launch 10.0 us, work 800.0 us\n"
            "       not on gpu:0+gpu:1: devices can't share its rows\n");
  EXPECT_THAT(p.print(), AllOf(HasSubstr("rows a chunk, gpu:0, reads"), HasSubstr("on gpu:0, 16")));
  EXPECT_NEAR(sum.seconds, sum.estimates[1].total(), 1e-9);
}

TEST_F(place, is_explained_for_the_cpu_too) {
  const auto m = machine_from("slow_gpu");
  const auto p = planned_for(m, rows_of<float>(s, 100'000'000).sum());
  EXPECT_THAT(reasons_text(stage_of(p, "sum")),
              ::testing::StartsWith("     on the CPU, 5.01 ms; gpu:0 would take 86.7"));
  EXPECT_THAT(p.print(), Not(HasSubstr("its rows stay there")));
}

struct wide {
  double x, more[9];
};

TEST_F(place, is_sent_only_the_bytes_that_are_read_where_the_link_is_slow) {
  read_bytes = {8};
  const auto m = machine_from("fast_gpu_far_away");  // 5 GB/s there, 20 in the host's memory
  only = {0};
  const auto p = planned_for(m, rows_of<wide>(s, 10'000'000).map(&wide::x).sum());
  const auto& sum = p.stages.back();
  EXPECT_THAT(sum.where.sent_bytes, ElementsAre(8u));
  EXPECT_THAT(reasons_text(sum), HasSubstr("; sends 8 of 80 bytes a row\n"));
  // 88 bytes of host memory and 8 of the link, 1e7 times.
  EXPECT_NEAR(sum.estimates.back().transfer_s, 0.044 + 0.016, 0.001);
}

TEST_F(place, is_sent_whole_records_where_packing_them_takes_as_long) {
  const auto m = machine_from("fast_gpu_far_away");
  only = {0};
  const auto sent = [&](const cost::machine& on, std::int64_t rows) {
    const auto p = planned_for(on, rows_of<wide>(s, rows).map(&wide::x).sum());
    EXPECT_EQ(places(p).back(), "gpu:0");
    return p.stages.back().where.sent_bytes;
  };
  read_bytes = {80};
  EXPECT_THAT(sent(m, 10'000'000), IsEmpty());
  read_bytes = {};  // not known
  EXPECT_THAT(sent(m, 10'000'000), IsEmpty());
  read_bytes = {8};
  EXPECT_THAT(sent(m, 1000), IsEmpty());
  auto other = m;
  other.devices[0].to_gb_per_s = 20;
  EXPECT_THAT(sent(other, 10'000'000), IsEmpty());
  other = m;
  other.devices[0].host_memory = true;
  EXPECT_THAT(sent(other, 10'000'000), IsEmpty());
  other = m;
  other.devices[0].measured = "";  // guesses
  EXPECT_THAT(sent(other, 10'000'000), IsEmpty());
}

TEST_F(place, is_sent_whole_records_that_others_read_too) {
  read_bytes = {8, 8};  // of each input of the zip
  only = {0};
  const auto rows = rows_of<wide>(s, 10'000'000);
  const auto first = rows.map(&wide::x).materialise();
  const auto second = rows.map([](const wide& w) { return w.more[0]; }).materialise();
  const auto p = planned_for(machine_from("fast_gpu_far_away"), first.zip(second).materialise());
  for (const auto& stage : p.stages) EXPECT_THAT(stage.where.sent_bytes, IsEmpty());
}

}  // namespace
}  // namespace pappus::plan
