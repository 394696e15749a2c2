// The benchmarks on OpenCL devices: the hand-written versions and the engine's agree.
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "devices/registry.h"
#include "support/driver_environment.h"
#include "system/suite.h"

namespace pappus::bench {
namespace {

[[maybe_unused]] const auto* const environment = ::testing::AddGlobalTestEnvironment(
    new testing::driver_environment("basic basic", testing::kernels::not_kept));

std::size_t opencl_devices() {
  std::size_t count = 0;
  for (const auto& d : devices::all_devices())
    if (d->about().speaks == devices::dialect::opencl_c) ++count;
  return count;
}

std::string content_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// \param stage_name  how the name ends of the stage that must run on the device.
void expect_agreement(const char* name, const char* stage_name, settings asked, std::int64_t n) {
  SCOPED_TRACE(::testing::Message()
               << name << " on " << asked.devices << ", n " << n << ", seed " << asked.seed);
  const auto trace = std::filesystem::temp_directory_path() /
                     ("pappus_bench_trace_" + std::to_string(getpid()) + ".json");
  const auto found = std::ranges::find(benchmarks(), std::string_view(name), &benchmark::name);
  ASSERT_NE(found, benchmarks().end());
  asked.repeat = 1;
  {
    const auto opencl = opencl::named(asked.devices);
    session engine(options{.threads = 2, .devices = asked.devices, .trace = trace.string()});
    team workers(2);
    const auto results = found->run({asked, workers, engine, 1e10, {}, opencl}, n);
    std::size_t by_hand = 0;
    for (const auto& r : results) {
      by_hand += r.version.starts_with(opencl_version);
      EXPECT_TRUE(agree(r.checksum, results.front().checksum, found->tolerance))
          << r.version << " got " << r.checksum << ", " << results.front().version << " "
          << results.front().checksum;
    }
    const bool on_gpu = !opencl::are_processors(opencl);
    EXPECT_GE(by_hand, on_gpu && std::string_view(name) != "launch" ? 0u : 1u);
    EXPECT_THAT(engine.device_faults(), ::testing::IsEmpty());
  }
  // A stage that no device can run goes to the CPU without a fault; then the times would compare
  // something else.
  EXPECT_THAT(content_of(trace), ::testing::HasSubstr(std::string(stage_name) + ": to the device"));
  std::filesystem::remove(trace);
}

void expect_agreement_everywhere(const char* name, const char* stage_name,
                                 const settings& asked = {}) {
  const auto count = opencl_devices();
  if (count == 0) GTEST_SKIP() << "no OpenCL device";
  for (const std::int64_t n : {100, 30'011}) {
    auto on_one = asked;
    on_one.devices = "opencl:0";
    expect_agreement(name, stage_name, on_one, n);
    on_one.resident = true;
    expect_agreement(name, stage_name, on_one, n);
  }
  if (count < 2) return;
  auto on_two = asked;
  on_two.devices = "opencl:0,opencl:1";
  expect_agreement(name, stage_name, on_two, 1'200'007);  // more rows than a device's least share
}

TEST(opencl_benchmarks, blackscholes_agrees) { expect_agreement_everywhere("blackscholes", "map"); }
TEST(opencl_benchmarks, mapfiltersum_agrees) {
  expect_agreement_everywhere("mapfiltersum", "reduce");
}
TEST(opencl_benchmarks, sum_agrees) { expect_agreement_everywhere("sum", "sum"); }
TEST(opencl_benchmarks, scan_agrees) { expect_agreement_everywhere("scan", "inclusive_scan"); }
TEST(opencl_benchmarks, sort_agrees) { expect_agreement_everywhere("sort", "sort_by"); }
TEST(opencl_benchmarks, groupby_agrees_in_a_known_domain) {
  expect_agreement_everywhere("groupby", "group_by.reduce", {.domain = true});
}
TEST(opencl_benchmarks, groupby_agrees_for_unknown_keys) {
  expect_agreement_everywhere("groupby", "group_by.reduce", {.seed = 7, .keys = 9'000});
}
TEST(opencl_benchmarks, kmeans_agrees) {
  expect_agreement_everywhere("kmeans", "group_by.reduce", {.k = 7, .d = 8});
}
TEST(opencl_benchmarks, launch_agrees) {
  if (opencl_devices() == 0) GTEST_SKIP() << "no OpenCL device";
  expect_agreement("launch", "sum", {.devices = "opencl:0"}, 100);
}

/// \param generated  how many versions with device code of the compiler plugin there must be.
void expect_generated_agrees(std::int64_t n, int generated) {
  const settings asked{.repeat = 1, .devices = "opencl:0"};
  const opencl::device_list none;
  session engine(options{.threads = 2, .devices = asked.devices});
  team workers(2);
  int found = 0;
  for (const auto& b : benchmarks()) {
    if (!std::string_view(b.name).starts_with("generated_")) continue;
    SCOPED_TRACE(::testing::Message() << b.name << ", n " << n);
    std::string versions;
    const auto results = b.run({asked, workers, engine, 1e10, {}, none}, n);
    for (const auto& r : results) {
      if (!r.skipped.empty()) {
        EXPECT_EQ(r.version, "generated");
        EXPECT_THAT(r.skipped, ::testing::HasSubstr("its function has no device code"));
        continue;
      }
      versions += r.version + " on " + r.device + "; ";
      found += r.version == "generated";
      EXPECT_TRUE(agree(r.checksum, results.front().checksum, b.tolerance))
          << r.version << " got " << r.checksum << ", " << results.front().version << " "
          << results.front().checksum;
    }
    EXPECT_THAT(versions, ::testing::StartsWith("cpu on cpu; "));
    EXPECT_THAT(versions, ::testing::EndsWith("handwritten on opencl:0; "));
  }
  EXPECT_EQ(found, generated);
  EXPECT_THAT(engine.device_faults(), ::testing::IsEmpty());
}

TEST(opencl_benchmarks, generated_code_agrees_with_what_is_written_by_hand) {
  if (opencl_devices() == 0) GTEST_SKIP() << "no OpenCL device";
#ifdef PAPPUS_TEST_LAMBDAS_ON_OPENCL
  constexpr int generated = 5;
#else
  constexpr int generated = 0;
#endif
  for (const std::int64_t n : {100, 30'011}) expect_generated_agrees(n, generated);
}

TEST(opencl_devices, that_are_not_there_are_named) {
  try {
    opencl::named("cpu,opencl:77");
    FAIL() << "nothing was thrown";
  } catch (const std::runtime_error& e) {
    EXPECT_NE(std::string(e.what()).find("opencl:77"), std::string::npos) << e.what();
  }
  EXPECT_TRUE(opencl::named("cpu").empty());
}

}  // namespace
}  // namespace pappus::bench
