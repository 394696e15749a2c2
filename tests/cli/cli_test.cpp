// The command as a user runs it: output, errors, exit codes.
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/support.h"

namespace {

using namespace command_tests;

/// One JSON value a line.
std::vector<nlohmann::json> json_lines(const std::string& text) {
  std::istringstream lines(text);
  std::vector<nlohmann::json> all;
  for (std::string line; std::getline(lines, line);) all.push_back(nlohmann::json::parse(line));
  return all;
}

TEST(command, help_lists_the_subcommands) {
  const auto [code, text] = pappus("--help");
  EXPECT_EQ(code, 0);
  for (const char* name : {"devices", "demo", "explain", "schema", "show", "bench"})
    EXPECT_NE(text.find(name), std::string::npos) << name;
}

TEST(command, wrong_arguments_end_with_2_and_a_message_on_stderr) {
  EXPECT_EQ(pappus("", "2>/dev/null").code, 2);
  EXPECT_EQ(pappus("nonsense", "2>/dev/null").code, 2);
  EXPECT_EQ(pappus("nonsense", "2>/dev/null").text, "");
  EXPECT_EQ(pappus("bench").code, 2);
  const auto [code, text] = pappus("bench nonsense");
  EXPECT_EQ(code, 2);
  EXPECT_NE(text.find("got \"nonsense\""), std::string::npos) << text;
  EXPECT_NE(text.find("mapfiltersum"), std::string::npos) << "should list what there is";
}

TEST(command, devices_tells_the_level_that_runs_and_the_processors) {
  const auto best = pappus("devices").text;
  const auto lowest = run("PAPPUS_LEVEL=v2 " + std::string(PAPPUS_COMMAND) + " devices 2>&1").text;
  const auto level_in = [](const std::string& text) {
    const std::string line = "\n  level          ";
    const auto begin = text.find(line) + line.size();
    return text.substr(begin, text.find('\n', begin) - begin);
  };
  if (level_in(best).find("x86-64") == std::string::npos) GTEST_SKIP() << "one level";
  const std::string v2 = "x86-64-v2 (SSE4.2)";
  EXPECT_EQ(level_in(lowest), level_in(best) == v2
                                  ? v2
                                  : v2 + " (PAPPUS_LEVEL); the processor has " + level_in(best));
}

TEST(command, devices_names_the_cpu_and_the_budget) {
  const auto [code, text] = pappus("devices");
  EXPECT_EQ(code, 0);
  EXPECT_NE(text.find("cpu: "), std::string::npos);
  EXPECT_NE(text.find("memory budget"), std::string::npos);
}

TEST(command, devices_names_the_folder_of_the_spill_file) {
  const auto devices = " " + std::string(PAPPUS_COMMAND) + " devices 2>&1";
  const auto in_folder = run("PAPPUS_SPILL=/var/tmp" + devices).text;
  EXPECT_NE(in_folder.find("spill file: in /var/tmp\n  disk rate"), std::string::npos) << in_folder;
  const auto off = run("PAPPUS_SPILL=off" + devices).text;
  EXPECT_NE(off.find("spill file: off (PAPPUS_SPILL)\n"), std::string::npos) << off;
}

TEST(bench_command, says_how_to_build_the_benchmarks_where_they_are_not) {
  const auto alone = scratch() / "alone";
  std::filesystem::create_directories(alone);
  std::filesystem::copy_file(PAPPUS_COMMAND, alone / "pappus");
  const outcome got = run((alone / "pappus").string() + " bench small 2>&1");
  EXPECT_EQ(got.code, 1);
  EXPECT_EQ(got.text,
            "pappus: bench: " + (alone / "pappus-bench").string() +
                " can't be run: No such file or directory; build the benchmarks in the checkout "
                "of Pappus: cmake --preset release && cmake --build build/release --target "
                "pappus_bench_command, then run build/release/bin/pappus bench\n");
}

TEST(bench_command, prints_one_json_object_a_version) {
  const auto [code, text] =
      pappus("bench mapfiltersum --n 100000 --threads 2 --json", "2>/dev/null");
  EXPECT_EQ(code, 0);
  std::vector<std::string> versions;
  for (const auto& object : json_lines(text)) {
    EXPECT_EQ(object.at("name"), "mapfiltersum");
    EXPECT_EQ(object.at("n"), 100000);
    EXPECT_EQ(object.at("seed"), 42);
    EXPECT_EQ(object.at("checksum"), "6666/333416655");
    for (const char* field : {"median_s", "min_s", "floor_s"})
      EXPECT_GT(object.at(field), 0) << field;
    versions.push_back(object.at("version"));
  }
  EXPECT_EQ(versions, (std::vector<std::string>{"sequential", "handwritten", "pappus"}));
}

TEST(bench_command, has_duckdb_beside_queries_with_little_memory_or_says_why_not) {
  const auto [code, text] =
      pappus("bench outofcore_groupby --n 20000 --repeat 3 --peers --json", "2>/dev/null");
  EXPECT_EQ(code, 0);
  std::vector<std::string> ours;
  bool told = false;
  for (const auto& object : json_lines(text)) {
    const std::string version = object.at("version");
    if (!version.starts_with("duckdb")) {
      ours.push_back(version);
      EXPECT_EQ(object.contains("budget_bytes"), version != "resident");
    } else if (told = true; object.contains("skipped")) {
      EXPECT_NE(object.at("skipped"), "");
    } else {
      EXPECT_EQ(object.at("checksum").get<std::string>().substr(0, 2), "-/");
    }
  }
  EXPECT_EQ(ours, (std::vector<std::string>{"resident", "1/2", "1/4", "1/8", "1/16", "1/32"}));
  EXPECT_TRUE(told);
}

TEST(bench_command, draws_the_ratios) {
  const auto file = scratch() / "ratios.svg";
  EXPECT_EQ(pappus("bench mapfiltersum --n 10000 --svg " + file.string()).code, 0);
  std::ifstream in(file);
  const std::string svg((std::istreambuf_iterator<char>(in)), {});
  EXPECT_EQ(svg.find("<svg"), 0u);
  EXPECT_NE(svg.find("mapfiltersum"), std::string::npos);
}

TEST(bench_command, runs_all_whose_names_begin_alike_and_says_what_it_skips) {
  const auto [code, text] = pappus("bench generated --n 1000 --json", "2>/dev/null");
  EXPECT_EQ(code, 0);
  std::vector<std::string> run, skipped;
  for (const auto& object : json_lines(text)) {
    const auto what =
        object.at("name").get<std::string>() + " " + object.at("version").get<std::string>();
    if (!object.contains("skipped")) {
      run.push_back(what);
      continue;
    }
    EXPECT_EQ(object.at("skipped"), "no device was named, such as by --devices opencl:0");
    EXPECT_FALSE(object.contains("median_s"));
    skipped.push_back(what);
  }
  EXPECT_EQ(run, (std::vector<std::string>{"generated_blackscholes cpu", "generated_nearest cpu",
                                           "generated_collatz cpu", "generated_haversine cpu",
                                           "generated_orders cpu"}));
  EXPECT_EQ(skipped.size(), 2 * run.size());
  const auto table = pappus("bench generated_orders --n 1000").text;
  EXPECT_NE(table.find("SKIP: no device was named"), std::string::npos) << table;
}

TEST(explain_command, shows_a_programs_first_query_and_runs_nothing) {
  const auto folder = scratch();
  const auto [code, text] =
      pappus("explain " + std::string(PAPPUS_COMMAND) + " bench small --n 10");
  EXPECT_EQ(code, 0);
  for (const char* part : {"graph\n", "\nplan\n", "tasks\n", "predicted: "})
    EXPECT_NE(text.find(part), std::string::npos) << part << " in " << text;
  EXPECT_EQ(text.find("sequential"), std::string::npos) << "the program should have ended";
  EXPECT_EQ(pappus("explain ./no-such-program").code, 1);
}

TEST(explain_command, shows_the_plan_after_each_pass_when_asked_to) {
  const auto folder = scratch();
  const auto [code, text] =
      pappus("explain --passes " + std::string(PAPPUS_COMMAND) + " bench small --n 10");
  EXPECT_EQ(code, 0);
  for (const char* part : {"plan after collect\n", "plan after bounds\n", "plan after repeated"})
    EXPECT_NE(text.find(part), std::string::npos) << part << " in " << text;
}

TEST(explain_command, runs_the_queries_before_the_one_it_shows) {
  const auto folder = scratch();
  const std::string program = std::string(PAPPUS_COMMAND) + " bench small --n 10";
  const auto second = pappus("explain --query 2 " + program);
  EXPECT_EQ(second.code, 0);
  EXPECT_NE(second.text.find("predicted: "), std::string::npos) << second.text;
  EXPECT_EQ(second.text.find("sequential"), std::string::npos) << "the program should have ended";
  const auto none = pappus("explain --query 1000000000 " + program).text;
  EXPECT_EQ(none.find("predicted: "), std::string::npos) << none;
  EXPECT_NE(none.find("sequential"), std::string::npos) << none;
  EXPECT_NE(pappus("explain --query 0 " + program).code, 0);
}

TEST(explain_command, draws_launches_and_lets_queries_run) {
  const auto file = scratch() / "launches.svg";
  const std::string program = std::string(PAPPUS_COMMAND) + " bench spmv --n 1000";
  EXPECT_EQ(pappus("explain --svg " + file.string() + " " + program).code, 0);
  std::ifstream in(file);
  const std::string svg((std::istreambuf_iterator<char>(in)), {});
  EXPECT_EQ(svg.find("<svg"), 0u);
  EXPECT_NE(svg.find("for_each at spmv_bench.cpp:"), std::string::npos) << svg;
  const auto small = pappus("explain --svg " + (scratch() / "none.svg").string() + " " +
                            PAPPUS_COMMAND + " bench small --n 10");
  EXPECT_NE(small.text.find("sequential"), std::string::npos) << "queries have no picture";
  EXPECT_FALSE(std::filesystem::exists(scratch() / "none.svg"));
  EXPECT_NE(pappus("explain --dot --svg none.svg " + program).code, 0);
  const auto nowhere = pappus("explain --svg /none/launches.svg " + program);
  EXPECT_EQ(nowhere.code, 1);
  EXPECT_NE(nowhere.text.find("explain: /none/launches.svg: can't be created"), std::string::npos)
      << nowhere.text;
}

TEST(demo_command, a_missing_or_truncated_index_ends_in_a_clear_error) {
  const auto folder = scratch();
  const auto missing = pappus("demo --index /nowhere/Packages --out " + folder.string());
  EXPECT_EQ(missing.code, 1);
  EXPECT_NE(missing.text.find("/nowhere/Packages"), std::string::npos) << missing.text;
  const auto cut = folder / "x_Packages";
  std::ofstream(cut) << "Package: half\nVersion";
  const auto truncated = pappus("demo --index " + cut.string() + " --out " + folder.string());
  EXPECT_EQ(truncated.code, 1);
  EXPECT_NE(truncated.text.find("x_Packages"), std::string::npos) << truncated.text;
}

TEST(demo_command, writes_a_trace_and_a_picture) {
  const auto folder = scratch() / "demo";
  std::filesystem::create_directories(folder);
  const auto index = folder / "x_Packages";
  {
    std::ofstream out(index);
    for (int i = 0; i < 40; ++i)
      out << "Package: sort" << i
          << "\nVersion: 1\nArchitecture: all\nInstalled-Size: " << i * 10 + 1
          << "\nSize: " << i * 1000 + 1 << "\nDepends: sort" << (i + 1) % 40
          << "\nDescription: sorts in parallel\n\n";
  }
  const auto [code, text] =
      pappus("demo sort3 --index " + index.string() + " --out " + folder.string());
  EXPECT_EQ(code, 0) << text;
  EXPECT_NE(text.find("sort3"), std::string::npos);
  std::ifstream trace(folder / "demo-trace.json");
  const auto events = nlohmann::json::parse(trace).at("traceEvents");
  EXPECT_GT(events.size(), 10u);
  EXPECT_TRUE(std::filesystem::exists(folder / "demo-packages.svg"));
}

TEST(command, ctrl_c_ends_a_long_run_with_130) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(ends[1], STDOUT_FILENO);
    ::freopen("/dev/null", "w", stderr);
    // Many short queries, for minutes.
    ::execl(PAPPUS_COMMAND, PAPPUS_COMMAND, "bench", "small", "--repeat", "1000000", nullptr);
    ::_exit(99);
  }
  ::close(ends[1]);
  char first;
  ASSERT_EQ(::read(ends[0], &first, 1), 1) << "the table's head, printed when the run begins";
  ::kill(child, SIGINT);
  int status = 0;
  ::waitpid(child, &status, 0);
  ::close(ends[0]);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 130);
}

}  // namespace
