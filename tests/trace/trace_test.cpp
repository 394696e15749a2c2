#include "trace/trace.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "pappus/pappus.h"
#include "trace/recorder.h"

namespace {

std::string trace_file() {
  return (std::filesystem::temp_directory_path() /
          ("pappus-trace-" + std::to_string(::getpid()) + ".json"))
      .string();
}

nlohmann::json events_of(const std::string& path) {
  std::ifstream in(path);
  return nlohmann::json::parse(in).at("traceEvents");
}

TEST(trace, holds_a_span_with_the_stages_name_for_each_worker_that_took_part) {
  const auto path = trace_file();
  {
    pappus::session s(pappus::options{.threads = 2, .trace = path});
    const long sum = s.range(0, 10'000'000).map([](int x) { return x % 7; }).sum();
    EXPECT_EQ(sum, 29'999'994);
    EXPECT_FALSE(std::filesystem::exists(path)) << "written when the session ends";
  }
  std::set<int> threads;
  bool counted = false;
  for (const auto& event : events_of(path)) {
    if (event.at("ph") == "X" && event.at("name") == "range·map·sum: accumulate") {
      threads.insert(event.at("tid").get<int>());
      EXPECT_GE(event.at("dur").get<double>(), 0);
    }
    counted = counted || (event.at("ph") == "C" && event.at("name") == "memory in use");
  }
  EXPECT_GE(threads.size(), 1u);
  EXPECT_LE(threads.size(), 2u);
  EXPECT_TRUE(counted);
  std::filesystem::remove(path);
}

TEST(progress, of_a_step_that_is_followed_is_what_it_says_however_many_items_are_done) {
  pappus::trace::recorder recorder(nullptr, false, 1000);
  double part = 0;
  recorder.begin_step("file: read file", 800);
  recorder.follow([&] { return part; });
  part = 0.25;
  recorder.begin_items(1);
  recorder.item_done();
  EXPECT_EQ(recorder.done_bytes(), 200);
  recorder.begin_step("sum: accumulate", 0);
  recorder.begin_items(4);
  part = 0.5;
  EXPECT_EQ(recorder.done_bytes(), 400);
  recorder.end_step();
  recorder.end_step();
  recorder.begin_step("sort: sort", 200);
  recorder.begin_items(4);
  recorder.item_done();
  EXPECT_EQ(recorder.done_bytes(), 850);
  recorder.end_step();
  EXPECT_EQ(recorder.done_bytes(), 1000);
}

TEST(trace, of_several_sessions_goes_to_one_file) {
  const auto path = trace_file();
  {
    pappus::session a(pappus::options{.threads = 1, .trace = path});
    pappus::session b(pappus::options{.threads = 1, .trace = path});
    EXPECT_EQ(a.range(0, 10).count().get() + b.range(0, 20).count().get(), 30);
  }
  int counts = 0;
  for (const auto& event : events_of(path))
    counts += event.at("ph") == "X" && event.at("name") == "range·count: merge leaves";
  EXPECT_EQ(counts, 2);
  std::filesystem::remove(path);
}

TEST(trace, names_a_file_that_cannot_be_written) {
  pappus::trace::sink sink("/nowhere/trace.json");
  try {
    sink.write();
    FAIL();
  } catch (const pappus::format_error& problem) {
    EXPECT_STREQ(problem.what(), "/nowhere/trace.json: the trace can't be written there");
  }
}

TEST(progress_line, shows_part_bytes_and_time_left) {
  EXPECT_EQ(pappus::trace::progress_line("sort", 1 << 20, 4 << 20, 2),
            "[=======>                      ]  25 %  sort  1 MiB of 4 MiB  6.00 s left");
  EXPECT_EQ(pappus::trace::progress_line("sort", 4 << 20, 4 << 20, 2),
            "[==============================] 100 %  sort  4 MiB of 4 MiB  0.0 us left");
  EXPECT_EQ(pappus::trace::progress_line("read", 1 << 20, 0, 2), "read  1 MiB  2.00 s");
}

}  // namespace
