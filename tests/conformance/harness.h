// Runs a query under many settings and asks for the same bytes each time.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <ostream>
#include <random>
#include <type_traits>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cpu_ops/pace.h"
#include "devices/registry.h"
#include "pappus/pappus.h"
#include "support/few_rows.h"

// Marks what runs once a test, and would take longer to compile well than to run. Loops over rows
// and users' functions are compiled as anywhere.
#define PAPPUS_UNHURRIED [[gnu::cold]]
#undef TEST
#define TEST(suite, name)                        \
  PAPPUS_UNHURRIED static void suite##_##name(); \
  GTEST_TEST(suite, name) { suite##_##name(); }  \
  static void suite##_##name()

namespace pappus::testing {

using testing::few_rows;
using testing::up_to;

struct setting {
  unsigned threads;
  std::int64_t chunk_rows;  // 0: the planner's choice
  const char* devices = "cpu";
  std::size_t device_memory = 0;  // bytes; 0: what the device has
  bool slow = false;              // some rows are taken for slow, so that they are shared out

  options as_options() const {
    return {.threads = threads,
            .chunk_rows = chunk_rows,
            .devices = devices,
            .device_memory = device_memory};
  }
};

inline std::ostream& operator<<(std::ostream& out, const setting& s) {
  return out << s.threads << " threads, " << s.chunk_rows << " rows a chunk, " << s.devices
             << (s.slow ? ", slow rows" : "");
}

/// While it lives, functions are taken to need so long, whatever the clock says.
class pretended_time {
 public:
  explicit pretended_time(cpu_ops::pretended_time row_ns) { cpu_ops::pretended_row_ns = row_ns; }
  ~pretended_time() { cpu_ops::pretended_row_ns = nullptr; }
  pretended_time(const pretended_time&) = delete;
  pretended_time& operator=(const pretended_time&) = delete;
};

/// Stretches of rows that are slow and of such as aren't, in turn.
inline double now_and_then_slow(std::int64_t row) { return (row >> 11) % 2 == 0 ? 30e3 : 10; }

/// How many OpenCL devices there are. Two of PoCL's stand for a machine with two GPUs.
inline std::size_t opencl_devices() {
  static const std::size_t found = [] {
    ::setenv("POCL_DEVICES", "basic basic", 0);  // read when OpenCL is first loaded
    return devices::all_devices().size();
  }();
  return found;
}

/// Thread counts 1 to 8 and chunk sizes 1, odd, the planner's own and larger than any input;
/// devices with memory of their own, one and two of them, which run the same functions; OpenCL,
/// where this build compiles lambdas for devices, with copies and on the host's rows in place.
inline const std::vector<setting>& settings() {
  constexpr std::size_t mebibyte = std::size_t{1} << 20;
  static const std::vector<setting> all = [] {
    // A chunk of two work-items and one that isn't full.
    if (few_rows()) return std::vector<setting>{{1, 0}, {1, 1200, "opencl:0"}};
    std::vector<setting> made{
        {1, 0},
        {2, 0},
        {3, 1},
        {2, 7},
        {8, 4097},
        {4, std::int64_t{1} << 40},
        {2, 0, "cpu", 0, true},
        {5, 50, "cpu", 0, true},
        {2, 0, "test:seed=1+delay_us=0", 64 * mebibyte},
        {2, 4097, "test:seed=2+delay_us=0,test:seed=3+delay_us=0", 16 * mebibyte},
    };
#ifdef PAPPUS_TEST_LAMBDAS_ON_OPENCL
    if (opencl_devices() >= 1) {  // a machine with one GPU
      const bool two = opencl_devices() >= 2;
      made.push_back({2, 0, two ? "opencl:0,opencl:1" : "opencl:0", 64 * mebibyte});
      made.push_back({2, 4097, "opencl:0", 64 * mebibyte});
      made.push_back({2, 4097, two ? "opencl:1" : "opencl:0"});
    }
#endif
    return made;
  }();
  return all;
}

/// Sizes around the edges of blocks and chunks; with few_rows() up to `few`.
inline std::vector<std::int64_t> sizes(std::int64_t few = 1501) {
  if (few_rows()) return {0, 1, 2, 17, few};
  return {0, 1, 2, 3, 15, 16, 17, 4095, 4096, 4097, 65535, 65536, 65537, 200'003};
}

/// Rows that scans need to add up tiles, of which a device like a CPU fills 256 KiB with sums each.
template <typename Sum>
constexpr int tile_and_more = (256 << 10) / sizeof(Sum) + 1;

template <typename T>
bool same_bytes(const T& a, const T& b) {
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

/// Whether sums of floats have the documented tree there: GPUs have smaller leaves, and tiles.
inline bool adds_as_documented(const setting& s) {
  return std::ranges::all_of(devices::select(s.devices).devices, [](const auto& on) {
    return on->about().like_cpu || on->about().speaks == devices::dialect::host;
  });
}

/// Results that are sums of floats are nearly the same with GPUs, whose tree is another one.
enum class result_is { exact, float_sum };

/// How far floats may be from what is expected, of numbers up to `largest`; 0: not at all.
inline double tolerance(const setting& s, result_is what, double largest) {
  return what == result_is::exact || adds_as_documented(s) ? 0 : 1e-10 * largest;
}

template <typename T>
bool same_value(const T& got, const T& expected, double tolerance) {
  if constexpr (std::is_floating_point_v<T>)
    if (tolerance > 0) return std::abs(got - expected) <= tolerance;
  return same_bytes(got, expected);
}

/// Bit by bit: NaN equals the same NaN, -0.0 isn't 0.0. For records without padding.
template <typename T>
::testing::AssertionResult same_rows(const std::vector<T>& got, const std::vector<T>& expected,
                                     double tolerance = 0) {
  if (got.size() != expected.size())
    return ::testing::AssertionFailure() << got.size() << " rows, expected " << expected.size();
  for (std::size_t i = 0; i < got.size(); ++i)
    if (!same_value(got[i], expected[i], tolerance))
      return ::testing::AssertionFailure() << "row " << i << " differs";
  return ::testing::AssertionSuccess();
}

/// Devices did what they were asked to, if in smaller chunks: nothing went to the CPU instead.
inline void expect_no_failures(const session& s) {
  EXPECT_THAT(s.device_faults(), ::testing::Each(::testing::HasSubstr("memory was short")));
}

/// Calls query(session) -> collection or query under every setting; each must yield `expected`.
template <typename T, typename Query>
PAPPUS_UNHURRIED void expect_rows(const std::vector<T>& expected, Query query,
                                  result_is what = result_is::exact) {
  double largest = 0;
  if constexpr (std::is_floating_point_v<T>)
    for (const T x : expected) largest = std::max<double>(largest, std::abs(x));
  for (const auto& setting : settings()) {
    // One row a chunk costs a call a row: leave the largest inputs to larger chunks.
    if (setting.chunk_rows == 1 && expected.size() > 100'000) continue;
    SCOPED_TRACE(setting);
    const pretended_time pretending(setting.slow ? now_and_then_slow : nullptr);
    session s(setting.as_options());
    EXPECT_TRUE(
        same_rows(query(s).collect().to_vector(), expected, tolerance(setting, what, largest)));
    expect_no_failures(s);
  }
}

/// The same for a query that yields one value.
template <typename T, typename Query>
PAPPUS_UNHURRIED void expect_value(const T& expected, Query query,
                                   result_is what = result_is::exact) {
  double largest = 0;
  if constexpr (std::is_floating_point_v<T>) largest = std::abs(expected);
  for (const auto& setting : settings()) {
    SCOPED_TRACE(setting);
    const pretended_time pretending(setting.slow ? now_and_then_slow : nullptr);
    session s(setting.as_options());
    const T got = query(s);
    EXPECT_TRUE(same_value(got, expected, tolerance(setting, what, largest)))
        << got << " instead of " << expected;
    expect_no_failures(s);
  }
}

/// A generator whose seed is printed when the test fails.
class random {
 public:
  explicit random(std::uint64_t seed)
      : engine_(seed), trace_(__FILE__, __LINE__, "seed " + std::to_string(seed)) {}
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(engine_);
  }
  double real(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(engine_);
  }
  std::vector<int> ints(std::int64_t n, int low, int high) {
    std::vector<int> values(static_cast<std::size_t>(n));
    for (int& value : values) value = static_cast<int>(between(low, high));
    return values;
  }
  std::vector<double> reals(std::int64_t n, double low, double high) {
    std::vector<double> values(static_cast<std::size_t>(n));
    for (double& value : values) value = real(low, high);
    return values;
  }

 private:
  std::mt19937_64 engine_;
  ::testing::ScopedTrace trace_;
};

}  // namespace pappus::testing
