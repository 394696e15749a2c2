#include <functional>
#include <iostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "conformance/harness.h"
#include "device_ops/stage_runner.h"
#include "pappus/device_code.h"

namespace pappus::testing {
namespace {

using pappus::testing::compiling_devices;
using pappus::testing::records_of;
using pappus::testing::refusal;
using pappus::testing::run_on;

constexpr std::int64_t scan_lengths[] = {0, 1, 2, 255, 2048, 2049, 40'001, 300'007};

/// A line x -> scale * x + shift. Applying one after the other is associative, but doesn't commute.
struct line {
  std::uint32_t scale, shift;
};
line then(const line& a, const line& b) { return {a.scale * b.scale, b.scale * a.shift + b.shift}; }
line line_of(int x) {
  return {static_cast<std::uint32_t>(2 * x + 1), static_cast<std::uint32_t>(x)};
}
const device_code& lines() {
  static const device_code code = device_text(
      "then",
      "typedef struct { uint scale, shift; } line;\n"
      "line then(line a, line b) {\n"
      "  line both;\n  both.scale = a.scale * b.scale;\n"
      "  both.shift = b.scale * a.shift + b.shift;\n  return both;\n}\n"
      "line line_of(int x) {\n"
      "  line one;\n  one.scale = (uint)(2 * x + 1);\n  one.shift = (uint)x;\n  return one;\n}\n");
  return code;
}
auto coded_then() { return with_device_code(fn<then>, lines()); }
auto coded_line_of() {
  auto code = lines();
  code.name = "line_of";
  return with_device_code(fn<line_of>, code);
}

/// Calls query(session) -> collection on a session with the CPU alone, and runs the same query's
/// node on every device that compiles, with several sizes of chunks.
template <typename T, typename Query>
void expect_same_scan(Query query) {
  session cpu(options{.threads = 2, .devices = "cpu"});
  const auto asked = query(cpu);
  ASSERT_EQ(refusal(*detail::access::node(asked)), "");
  const std::vector<T> expected = asked.collect().to_vector();
  const auto devices = compiling_devices();
  if (devices.empty()) GTEST_SKIP() << "there is no OpenCL device";
  for (const auto& device : devices)
    for (const std::int64_t chunk_rows : {0, 1, 100'000}) {
      SCOPED_TRACE(device.name + ", chunks of " + std::to_string(chunk_rows));
      const bool stays = chunk_rows == 100'000;
      EXPECT_TRUE(
          same_rows(records_of<T>(run_on(device, *detail::access::node(asked), chunk_rows, stays)),
                    expected));
    }
}

TEST(device_scan, sums_of_integers_are_those_of_the_cpu) {
  random numbers(71);
  for (const auto n : scan_lengths) {
    SCOPED_TRACE(n);
    const auto values = numbers.ints(n, -2'000'000'000, 2'000'000'000);
    expect_same_scan<std::int64_t>([&](session& s) { return s.from(values).inclusive_scan(); });
    expect_same_scan<std::int32_t>(
        [&](session& s) { return s.from(values).exclusive_scan(17, std::plus<std::int32_t>{}); });
  }
}

TEST(device_scan, operators_need_not_commute) {
  random numbers(72);
  for (const auto n : scan_lengths) {
    SCOPED_TRACE(n);
    const auto values = numbers.ints(n, 0, 1000);
    expect_same_scan<line>([&](session& s) {
      return s.from(values).map(coded_line_of()).inclusive_scan(coded_then());
    });
    expect_same_scan<line>([&](session& s) {
      return s.from(values).map(coded_line_of()).exclusive_scan(line{3, 5}, coded_then());
    });
  }
}

TEST(device_scan, a_device_like_a_cpu_adds_floats_in_the_cpus_order) {
  random numbers(73);
  std::vector<double> values;
  for (int i = 0; i < 200'003; ++i) values.push_back(numbers.real(-1, 1));
  session cpu(options{.threads = 2, .devices = "cpu"});
  const auto sums = cpu.from(values).inclusive_scan();
  const auto expected = sums.collect().to_vector();
  const auto devices = compiling_devices();
  if (devices.empty()) GTEST_SKIP() << "there is no OpenCL device";
  for (const auto& device : devices) {
    SCOPED_TRACE(device.name);
    const auto got = records_of<double>(run_on(device, *detail::access::node(sums), 70'000));
    if (device.used->about().like_cpu) {
      EXPECT_TRUE(same_rows(got, expected));
    } else {
      EXPECT_TRUE(same_rows(got, records_of<double>(run_on(device, *detail::access::node(sums)))));
      ASSERT_EQ(got.size(), expected.size());
      for (std::size_t i = 0; i < got.size(); ++i) ASSERT_NEAR(got[i], expected[i], 1e-9) << i;
    }
  }
}

TEST(device_scan, two_devices_with_little_memory_yield_what_the_cpu_yields) {
  random numbers(74);
  const auto values = numbers.ints(1'000'003, -100, 100);
  const auto uneven = [](double a, double b) { return 0.5 * a + b; };  // tells every grouping
  const auto query = [&](session& s) {
    return s.borrow(values).map([](int x) { return 0.37 * x; }).exclusive_scan(0.25, uneven);
  };
  session cpu(options{.threads = 2, .devices = "cpu"});
  const auto expected = query(cpu).collect().to_vector();
  for (const char* devices : {"test:seed=3+delay_us=0", "test:seed=4,test:seed=5"}) {
    SCOPED_TRACE(devices);
    session s(options{.threads = 2, .devices = devices, .device_memory = std::size_t{3} << 20});
    EXPECT_TRUE(same_rows(query(s).collect().to_vector(), expected));
    EXPECT_NE(query(s).explain_analyze().find("chunks on"), std::string::npos);
    EXPECT_TRUE(s.device_faults().empty()) << s.device_faults().front();
  }
}

std::string reason_against(const graph::node& n, bool on_host) {
  return n.op->run_by(n).devices->supports(n, on_host).why_not;
}

TEST(device_scan, large_running_values_stay_on_the_cpu) {
  struct wide {
    std::int64_t numbers[40];
  };
  session cpu(options{.devices = "cpu"});
  const auto first =
      cpu.from(std::vector<wide>(3)).inclusive_scan([](const wide& a, const wide&) { return a; });
  EXPECT_NE(reason_against(*detail::access::node(first), false), "");
  EXPECT_EQ(reason_against(*detail::access::node(first), true), "");
}

}  // namespace
}  // namespace pappus::testing
