// What launches tell about themselves while they run.
#include <atomic>
#include <filesystem>
#include <map>
#include <memory>
#include <regex>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "pappus/pappus.h"
#include "run/batch.h"
#include "support/launches.h"
#include "trace/events.h"
#include "trace/recorder.h"

namespace pappus::testing {
namespace {

/// What a trace tells of one batch of launches.
struct traced {
  double bytes = -1;
  std::int64_t items = 0;
  std::set<int> threads;  // that ran items
};

/// Batches by their labels, without the numbers of lines.
std::map<std::string, traced> batches_of(const nlohmann::json& events) {
  std::map<std::string, traced> found;
  for (const auto& event : events) {
    if (event.at("ph") != "X") continue;
    EXPECT_GE(event.at("dur").get<double>(), 0);
    auto& batch = found[std::regex_replace(event.at("name").get<std::string>(),
                                           std::regex("cpp:[0-9]+"), "cpp:N")];
    const auto& told = event.at("args");
    if (told.contains("bytes")) batch.bytes = told.at("bytes");
    if (!told.contains("items")) continue;
    batch.items += told.at("items").get<std::int64_t>();
    batch.threads.insert(event.at("tid").get<int>());
  }
  return found;
}

// Not on the stack: launches that refer to that are waited for.
std::atomic<bool> first_has_begun{false}, others_wait{false};

TEST(trace_of_launches, tells_label_bytes_items_and_threads_of_a_batch) {
  const auto path = trace_file();
  {
    session s(options{.threads = 2, .trace = path});
    const auto a = s.to_array(std::vector<int>(200'000, 1));
    const auto b = s.unwritten<int>({200'000});
    const auto gate = s.to_array(std::vector{0});
    s.for_each({1},
               annotated(
                   [](idx<1> i, updates<int> to) {
                     first_has_begun = true;
                     while (!others_wait) std::this_thread::yield();
                     to[i] = 1;
                   },
                   "a: global i => readwrite a[i]"),
               gate);
    while (!first_has_begun) std::this_thread::yield();
    // Those that gather while a batch runs are the next one.
    s.for_each({200'000},
               annotated([](idx<1> i, reads<int> in, writes<int> out) { out[i] = 2 * in[i]; },
                         "in, out: global i => read in[i], write out[i]"),
               a, b);
    s.for_each(
        {200'000},
        annotated([](idx<1> i, updates<int> to) { ++to[i]; }, "a: global i => readwrite a[i]"), b);
    others_wait = true;
    EXPECT_EQ(b.host()[199'999], 3);
  }
  const auto batches = batches_of(events_of(path));
  std::filesystem::remove(path);
  ASSERT_EQ(batches.size(), 2U);
  const auto& first = batches.at("for_each at launches_test.cpp:N");
  EXPECT_EQ(first.bytes, 8);
  EXPECT_EQ(first.items, 1);
  EXPECT_EQ(first.threads.size(), 1U);
  const auto& second = batches.at("for_each at launches_test.cpp:N and 1 more launch");
  EXPECT_EQ(second.bytes, 4 * 4 * 200'000);
  EXPECT_GE(second.items, 1);
  EXPECT_GE(second.threads.size(), 1U);
  EXPECT_LE(second.threads.size(), 2U);
}

/// A loop that asks how far its batch is.
struct asking_loop {
  const trace::recorder* asks = nullptr;
  std::vector<double> told;

  static void run(const void* function, const detail::launch_args&) {
    auto& self = *static_cast<asking_loop*>(const_cast<void*>(function));
    self.told.push_back(self.asks->done_bytes());
  }
};

TEST(progress_of_launches, is_the_part_of_a_batchs_items_that_are_done) {
  const auto a = numbered_array({100});
  launch_list launches;
  asking_loop loop;
  auto& asking = launches.add({{0}, {100}}, {a}, "a: global i => readwrite a[i]");
  asking.loop = &asking_loop::run;
  asking.function = std::shared_ptr<const void>(&loop, [](const void*) {});
  auto recorder = std::make_unique<trace::recorder>(nullptr, false, 800);
  loop.asks = recorder.get();
  const threads::cancel_count cancels{0};
  run::batch all(
      launches.nodes, launches.planned(25), cancels,
      [](arrays::launch_number) { return arrays::failure_ptr(); }, std::move(recorder));
  const auto team = threads::make_team(1);
  all.take_part(*team, [] { return false; });
  EXPECT_EQ(loop.told, (std::vector<double>{0, 200, 400, 600}));
  EXPECT_EQ(loop.asks->done_bytes(), 800);
  EXPECT_EQ(trace::progress_line("for_each at heat.cpp:12 and 1 more launch", 400, 800, 2),
            "[===============>              ]  50 %  for_each at heat.cpp:12 and 1 more launch  "
            "400 B of 800 B  2.00 s left");
}

}  // namespace
}  // namespace pappus::testing
