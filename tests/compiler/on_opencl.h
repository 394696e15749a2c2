// Queries whose functions the compiler plugin compiled, on OpenCL as on the CPU, and there indeed.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pappus/pappus.h"

namespace pappus::testing {

/// Tests that are skipped where the plugin isn't, or no device.
class on_opencl : public ::testing::Test {
 protected:
  void SetUp() override {
#ifndef PAPPUS_TEST_LAMBDAS_ON_OPENCL
    GTEST_SKIP() << "built without the compiler plugin";
#else
    ::setenv("POCL_DEVICES", "basic", 0);
    if (!on_device(session(device()).range(0, 8))) GTEST_SKIP() << "no OpenCL device";
#endif
  }

  static options device() { return {.devices = "opencl:0"}; }
  template <typename Query>
  static bool on_device(const Query& query) {
    return query.explain_analyze().find("ran on opencl:0") != std::string::npos;
  }

  /// make(session) -> query. `Same` compares two records.
  template <typename Make, typename Same>
  static void expect_same(Make make, Same same) {
    session on_cpu(options{.devices = "cpu"}), there(device());
    const auto expected = make(on_cpu).collect().to_vector();
    const auto query = make(there);
    const auto told = query.explain_analyze();
    EXPECT_THAT(told, ::testing::AllOf(::testing::HasSubstr("ran on opencl:0"),
                                       ::testing::Not(::testing::HasSubstr("moved to the CPU"))));
    const auto got = query.collect().to_vector();
    ASSERT_EQ(got.size(), expected.size());
    for (std::size_t i = 0; i < got.size(); ++i)
      ASSERT_TRUE(same(got[i], expected[i])) << "row " << i << "\n" << told;
  }
  template <typename Make>
  static void expect_same(Make make) {
    expect_same(make, [](const auto& a, const auto& b) { return a == b; });
  }
};

}  // namespace pappus::testing
