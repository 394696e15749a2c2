// How a session uses devices: which, for what, and what it tells.
#include <unistd.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cost/rates_file.h"
#include "devices/measure.h"
#include "devices/registry.h"
#include "pappus/pappus.h"

namespace pappus {
namespace {

constexpr const char* test_device = "test:seed=1+delay_us=0";

std::vector<int> numbers(int n) {
  std::vector<int> all(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) all[static_cast<std::size_t>(i)] = i % 1000 * 7919 % 1000;
  return all;
}

bool contains(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

TEST(session_devices, a_stage_runs_where_on_asks_for_it) {
  session s(options{.devices = std::string("cpu,") + test_device});
  const auto in = numbers(1000);
  const auto doubled = s.borrow(in).map([](int x) { return 2 * x; });
  EXPECT_TRUE(contains(doubled.on("test").explain_analyze(), "ran on test:"));
  EXPECT_FALSE(contains(doubled.on("cpu").explain_analyze(), "ran on test:"));
  EXPECT_EQ(doubled.on("test").collect().to_vector(), doubled.on("cpu").collect().to_vector());
}

TEST(session_devices, places_that_are_not_there_are_refused_with_those_that_are) {
  session s(options{.devices = std::string("cpu,") + test_device});
  const auto in = numbers(1000);
  const auto doubled = s.borrow(in).map([](int x) { return 2 * x; });
  const auto refusal = [](auto f) -> std::string {
    try {
      f();
    } catch (const usage_error& e) {
      return e.what();
    }
    return "accepted";
  };
  const auto none = ::testing::MatchesRegex(
      "map: on\\(\"opencl:0\"\\): this session has no such device; add cpu to the list to run "
      "there "
      "then; there are cpu, test:[0-9]+");
  EXPECT_THAT(refusal([&] { doubled.on("opencl:0").collect(); }), none);
  EXPECT_THAT(refusal([&] { doubled.on("opencl:0").explain(); }), none);
  EXPECT_THAT(refusal([&] { doubled.on("cpu,cuda:3").collect(); }),
              ::testing::MatchesRegex(
                  "map: on\\(\"cpu,cuda:3\"\\): expected cpu, opencl, opencl:NUMBER or test, got "
                  "\"cuda:3\"; there are cpu, test:[0-9]+"));
  EXPECT_EQ(doubled.on("opencl,cpu").sum().get(), doubled.sum().get());
  EXPECT_EQ(doubled.on(" opencl, cpu").sum().get(), doubled.sum().get());
  EXPECT_TRUE(contains(doubled.on("test,opencl").explain_analyze(), "ran on test:"));
}

TEST(session_devices, small_work_stays_on_the_cpu) {
  session s(options{.devices = std::string("cpu,") + test_device});
  const auto in = numbers(1000);
  EXPECT_FALSE(contains(s.borrow(in).sum().explain_analyze(), "ran on test:"));
}

TEST(session_devices, names_that_are_no_devices_are_refused_with_what_there_is) {
  try {
    session s(options{.devices = "opencll"});
    FAIL() << "no error";
  } catch (const usage_error& e) {
    EXPECT_TRUE(contains(e.what(), "opencll")) << e.what();
    EXPECT_TRUE(contains(e.what(), "there are cpu")) << e.what();
  }
}

TEST(session_devices, a_loop_uploads_what_it_reads_once) {
  session s(options{.devices = test_device});
  const auto in = numbers(10'000);
  const auto rows = s.borrow(in);
  const auto step = [&](auto state) {
    return rows
        .map([](int x, std::span<const std::int64_t> before) { return x + before[0] % 3; },
             state.shared())
        .sort()
        .take(1);
  };
  const auto sums = s.do_while(
      s.from(std::vector<std::int64_t>{1}), step,
      [](std::span<const std::int64_t>, std::span<const std::int64_t>) { return true; },
      max_iterations{5});
  sums.collect();
  const auto again = s.borrow(in).sum().explain_analyze();  // another set of rows: uploaded
  EXPECT_TRUE(contains(again, "39 KiB there")) << again;
  const auto kept = rows.map([](int x) { return std::int64_t{x}; }).sum().explain_analyze();
  EXPECT_FALSE(contains(kept, "39 KiB there")) << kept;
}

TEST(session_devices, rows_stay_on_the_device_between_stages_there) {
  session s(options{.devices = test_device});
  const auto in = numbers(10'000);
  const auto sorted = s.borrow(in).sort().materialise();
  const auto text = sorted.map([](int x) { return x + 1; }).sum().explain_analyze();
  EXPECT_TRUE(contains(text, "1 launches, 8 B there, 8 B back"))
      << text;  // a state, there and back
}

TEST(session_devices, memory_that_devices_only_keep_is_given_to_the_host_when_it_is_short) {
  if (devices::all_devices().empty()) GTEST_SKIP() << "needs an OpenCL device";
  session s(options{.host_memory = std::size_t{64} << 20, .devices = "opencl,cpu"});
  const auto in = numbers(2'000'000);
  EXPECT_GT(s.borrow(in).sum().get(), 0);
  // 30 MiB more, of which some are charged for what the device keeps.
  EXPECT_EQ(s.borrow(in).map([](int x) { return std::array<int, 4>{x, x, x, x}; }).collect().size(),
            in.size());
}

TEST(session_devices, a_stage_moves_to_the_cpu_when_the_host_lacks_memory_for_both) {
  if (devices::all_devices().empty()) GTEST_SKIP() << "needs an OpenCL device";
  const auto in = numbers(1'000'000);
  const auto sorted = [&](const char* where) {
    // The input once more, of which a sort on the CPU needs two.
    session s(options{.threads = 2, .host_memory = std::size_t{8} << 20, .devices = where});
    return s.borrow(in).sort().collect().to_vector();
  };
  EXPECT_EQ(sorted("opencl"), sorted("cpu"));
}

/// What becomes of sums of 0, 1, ..., 9, to each of which a device's function adds a value.
template <typename By>
std::vector<std::string> faults_of(const char* text, By by) {
  session s(options{.devices = "opencl:0"});
  const auto add = [](int x, By more) { return static_cast<int>(x + more); };
  const auto rows = s.from(std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  EXPECT_EQ(rows.map(with_device_code(add, device_text("add", text), by)).sum().get(),
            rows.map([add, by](int x) { return add(x, by); }).on("cpu").sum().get());
  return s.device_faults();
}

TEST(session_devices, device_code_that_takes_other_numbers_is_refused_by_the_compiler) {
  if (devices::all_devices().empty()) GTEST_SKIP() << "needs an OpenCL device";
  const auto refused = [](const std::vector<std::string>& faults, const char* call) {
    ASSERT_EQ(faults.size(), 1u);
    EXPECT_TRUE(contains(faults[0], call)) << faults[0];
    EXPECT_TRUE(contains(faults[0], "conflicting types for 'user_add'")) << faults[0];
  };
  refused(faults_of("int add(int x, float by) { return x + (int)by; }", 2.5),
          "the call add(int, double):1:");
  refused(faults_of("int add(int x, int by) { return x + by; }", std::int64_t{2}),
          "the call add(int, long):1:");
  refused(faults_of("DEVICE int add(long x, int by) { return (int)x + by; }", 2),
          "the call add(int, int):1:");
}

TEST(session_devices, device_code_is_compiled_however_its_function_is_declared) {
  if (devices::all_devices().empty()) GTEST_SKIP() << "needs an OpenCL device";
  for (const char* text :
       {"int add(int x, int by) { return x + by; }",
        "DEVICE int add(const int x, const int by) { return x + by; }",
        "static int add(int x, int by) { return x + by; }",
        "static inline int add(int x, int by);\nint add(int x, int by) { return x + by; }",
        "int __attribute__((const)) add(int x, int by) { return x + by; }",
        "int __attribute__((overloadable)) add(int x, int by) { return x + by; }",
        "float __attribute__((overloadable)) add(float x, int by) { return x + by; }\n"
        "int __attribute__((overloadable)) add(int x, int by) { return x + by; }",
        "int plus_int(int x, int by) { return x + by; }\n#define add plus_int\n",
        "#define add(x, by) ((x) + (by))\n"})
    EXPECT_EQ(faults_of(text, 2), std::vector<std::string>()) << text;
}

TEST(session_devices, device_code_may_be_a_function_of_the_language) {
  if (devices::all_devices().empty()) GTEST_SKIP() << "needs an OpenCL device";
  session s(options{.devices = "opencl:0"});
  const auto root = with_device_code([](float x) { return std::sqrt(x); }, device_text("sqrt", ""));
  EXPECT_EQ(s.from(std::vector<float>{4, 9}).map(root).sum().get(), 5);
  EXPECT_EQ(s.device_faults(), std::vector<std::string>());
}

struct weight {
  double total = 0;
  void accumulate(float x) { total += static_cast<double>(x); }
  void merge(const weight& other) { total += other.total; }
  static device_code on_device() {
    return device_text("weigh",
                       "typedef struct { double total; } weight;\n"
                       "void weigh(weight* to, double x) { to->total += x; }\n");
  }
};

TEST(session_devices, device_code_of_reducers_takes_what_they_are_given) {
  if (devices::all_devices().empty()) GTEST_SKIP() << "needs an OpenCL device";
  session s(options{.devices = "opencl:0"});
  s.from(std::vector<float>{1, 2}).reduce<weight>().get();
  const auto faults = s.device_faults();
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_TRUE(contains(faults[0], "the call weigh(record_weight*, float):1:")) << faults[0];
  EXPECT_TRUE(contains(faults[0], "conflicting types for 'user_weigh'")) << faults[0];
}

TEST(session_devices, lambdas_that_run_on_a_device_may_ask_for_queries) {
  session s(options{.threads = 2, .devices = test_device});
  const auto sums = s.range(0, 20).map([&](int n) { return s.range(0, n).sum().get(); });
  EXPECT_EQ(sums.sum().get(), 1140);
}

struct wide {
  std::int64_t id;
  double x, more[8];
};

/// Rates of the test device in a file of its own for as long as this lives.
class made_up_rates {
 public:
  made_up_rates() {
    const auto device = devices::select(test_device).devices.at(0);
    const auto& about = device->about();
    cost::stored_rates rates;
    rates.remember(cost::device_rates{.name = about.name,
                                      .kind = devices::kind(about),
                                      .memory_bytes = 1e9,
                                      .to_gb_per_s = 0.1,
                                      .measured = "2026-01-01"});
    cost::store_rates(path_, rates);
    ::setenv("PAPPUS_MACHINE", path_.c_str(), 1);
  }
  ~made_up_rates() {
    ::unsetenv("PAPPUS_MACHINE");
    std::filesystem::remove(path_);
  }

 private:
  const std::string path_ = std::filesystem::temp_directory_path() /
                            ("pappus_session_devices_" + std::to_string(getpid()) + ".json");
};

TEST(session_devices, are_sent_the_bytes_of_records_that_a_stage_reads) {
  const made_up_rates slow_link;
  std::vector<wide> rows(100'000);
  for (std::size_t i = 0; i < rows.size(); ++i)
    rows[i] = {static_cast<std::int64_t>(i), 0.5 * static_cast<double>(i), {}};
  session s(options{.devices = test_device}), cpu(options{.devices = "cpu"});
  const auto in = s.borrow(rows);
  const auto expected = cpu.borrow(rows).map(&wide::x).sum().get();
  const auto total = in.map(&wide::x).sum();
  EXPECT_TRUE(contains(total.explain(), "; sends 8 of 80 bytes a row")) << total.explain();
  const auto told = total.explain_analyze();
  EXPECT_TRUE(contains(told, "781 KiB there")) << told;
  EXPECT_EQ(total.get(), expected);
  // Whoever read them again, as get() did, got whole records, and now they are there.
  const auto again = in.map(&wide::x).sum().explain_analyze();
  EXPECT_FALSE(contains(again, "iB there")) << again;
}

}  // namespace
}  // namespace pappus
