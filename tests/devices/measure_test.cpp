// Measuring ends, on any device, in rates a planner can use. How fast devices are is no test.
#include "devices/measure.h"

#include <cmath>
#include <mutex>

#include <gtest/gtest.h>

#include "devices/registry.h"

namespace pappus::devices {
namespace {

void expect_usable(const measured_rates& found) {
  for (const double rate : {found.launch_us, found.transfer_us, found.to_gb_per_s,
                            found.from_gb_per_s, found.memory_gb_per_s, found.build_ms}) {
    EXPECT_TRUE(std::isfinite(rate));
    EXPECT_GT(rate, 0);
  }
}

TEST(typical, is_the_mean_of_samples_that_agree) {
  EXPECT_DOUBLE_EQ(typical({3}), 3);
  EXPECT_DOUBLE_EQ(typical({2, 2, 2}), 2);
  EXPECT_DOUBLE_EQ(typical({1, 2, 3, 4, 5}), 3);
}

TEST(typical, doesnt_count_outliers) {
  EXPECT_DOUBLE_EQ(typical({10, 11, 9, 10, 12, 8, 1e6}), 10);
  EXPECT_DOUBLE_EQ(typical({1e9, 5, 5, 5, 1e-9}), 5);
}

TEST(measuring, gives_usable_rates_of_a_device_that_runs_host_functions) {
  const auto chosen = select("test");
  ASSERT_EQ(chosen.devices.size(), 1u);
  const std::lock_guard lock(chosen.devices[0]->lock);
  expect_usable(measure(*chosen.devices[0]->driver));
}

TEST(measuring, gives_usable_rates_of_an_opencl_device) {
  const auto devices = all_devices();
  if (devices.empty()) GTEST_SKIP() << "this machine has no OpenCL device";
  const std::lock_guard lock(devices[0]->lock);
  expect_usable(measure(*devices[0]->driver));
}

TEST(measuring, passes_on_what_the_device_says) {
  const auto chosen = select("test:oom=1");
  const std::lock_guard lock(chosen.devices[0]->lock);
  try {
    measure(*chosen.devices[0]->driver);
    FAIL() << "measured";
  } catch (const device_error& e) {
    EXPECT_EQ(e.what_failed, fault::out_of_memory);
  }
}

}  // namespace
}  // namespace pappus::devices
