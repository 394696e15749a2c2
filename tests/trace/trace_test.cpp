#include "trace/trace.h"

#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <system_error>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "pappus/pappus.h"
#include "trace/events.h"
#include "trace/recorder.h"

namespace {

using pappus::testing::events_of;
using pappus::testing::trace_file;

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
    EXPECT_STREQ(problem.what(),
                 "/nowhere/trace.json: the trace can't be created: No such file or directory");
  }
}

TEST(trace, goes_to_the_file_as_it_comes) {
  const auto path = trace_file();
  const auto folder = std::filesystem::canonical(std::filesystem::path(path).parent_path());
  pappus::trace::sink sink(path);
  const auto now = pappus::trace::clock::now();
  for (int i = 0; i < 10'000; ++i) sink.span("sum: accumulate", now, now, 1, -1);
  EXPECT_FALSE(std::filesystem::exists(path));
  std::uintmax_t bytes = 0;  // of files of that folder which this process has open, named or not
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    const auto file = std::filesystem::read_symlink(entry, gone);
    if (!gone && file.parent_path() == folder && std::filesystem::is_regular_file(entry, gone))
      bytes += std::filesystem::file_size(entry);
  }
  EXPECT_GT(bytes, 500'000u);
  sink.write();
  EXPECT_EQ(events_of(path).size(), 10'000u + 2u);
  std::filesystem::remove(path);
}

TEST(trace, holds_as_many_events_as_viewers_open_and_tells_how_many_there_were) {
  const auto path = trace_file();
  {
    pappus::trace::sink sink(path, 3);
    for (int i = 0; i < 10; ++i) sink.counter("memory in use", i);
  }
  std::ifstream in(path);
  const auto file = nlohmann::json::parse(in);
  EXPECT_EQ(file.at("otherData").at("dropped_events"), 7);
  std::vector<std::string> names;
  for (const auto& event : file.at("traceEvents")) names.push_back(event.at("name"));
  EXPECT_EQ(names, (std::vector<std::string>{"memory in use", "memory in use", "memory in use",
                                             "3 events: later ones are only counted", "thread_name",
                                             "process_name"}));
  std::filesystem::remove(path);
}

TEST(trace, is_json_whatever_names_hold) {
  const auto path = trace_file();
  {
    pappus::trace::sink sink(path);
    const auto now = pappus::trace::clock::now();
    sink.span("a \"quoted\\name\"\n\x01 and \xff", now, now, -1, -1);
  }
  EXPECT_EQ(events_of(path).at(0).at("name"), "a \"quoted\\name\"\n\x01 and \xef\xbf\xbd");
  std::filesystem::remove(path);
}

TEST(progress_line, shows_part_bytes_and_time_left) {
  EXPECT_EQ(pappus::trace::progress_line("sort", 1 << 20, 4 << 20, 2),
            "[=======>                      ]  25 %  sort  1 MiB of 4 MiB  6.00 s left");
  EXPECT_EQ(pappus::trace::progress_line("sort", 4 << 20, 4 << 20, 2),
            "[==============================] 100 %  sort  4 MiB of 4 MiB  0.0 us left");
  EXPECT_EQ(pappus::trace::progress_line("read", 1 << 20, 0, 2), "read  1 MiB  2.00 s");
}

}  // namespace
