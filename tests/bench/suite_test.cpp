// All versions of all benchmarks agree, at sizes around what they treat specially.
#include <algorithm>
#include <functional>
#include <span>
#include <string_view>

#include <gtest/gtest.h>

#include "system/suite.h"

namespace pappus::bench {
namespace {

void expect_agreement(settings asked, std::int64_t n) {
  session engine(options{.threads = 3});
  team workers(3);
  asked.repeat = 1;
  const opencl::device_list none;
  const stage on{asked, workers, engine, 1e10, {}, none};
  for (const auto& b : benchmarks()) {
    SCOPED_TRACE(::testing::Message() << b.name << ", n " << n << ", seed " << asked.seed);
    const auto results = b.run(on, n);
    for (const auto& r : results) {
      if (!r.skipped.empty()) continue;
      EXPECT_TRUE(agree(r.checksum, results.front().checksum, b.tolerance))
          << r.version << " got " << r.checksum << ", " << results.front().version << " "
          << results.front().checksum;
      EXPECT_GT(r.median_s, 0);
    }
  }
}

TEST(benchmarks, versions_agree_at_small_sizes) {
  for (const std::int64_t n : {100, 4097}) expect_agreement({}, n);
}

TEST(benchmarks, versions_agree_for_other_seeds_and_variants) {
  expect_agreement({.seed = 7, .keys = 50'000, .domain = true, .k = 13, .d = 8}, 30'011);
  expect_agreement({.seed = 8, .keys = 50'000, .domain = false, .k = 3, .d = 40}, 65'537);
}

TEST(checksums, agree_within_the_tolerance_of_their_fractions) {
  EXPECT_TRUE(agree("12/3.0e+00", "12/3.0e+00", 0));
  EXPECT_TRUE(agree("12/3.00000e+00", "12/3.00001e+00", 1e-5));
  EXPECT_FALSE(agree("12/3.00000e+00", "12/3.00004e+00", 1e-5));
  EXPECT_FALSE(agree("12", "13", 1));
  EXPECT_FALSE(agree("12/1", "12", 1));
}

TEST(checksums, agree_in_the_parts_that_both_versions_tell) {
  EXPECT_TRUE(agree("-/12", "ab/12", 0));
  EXPECT_TRUE(agree("ab/12", "-/12", 0));
  EXPECT_FALSE(agree("-/12", "ab/13", 0));
  EXPECT_FALSE(agree("-/12", "ab", 0));
}

TEST(budgets, of_queries_over_files_halve_down_to_the_least) {
  session engine(options{.threads = 2});
  team workers(2);
  const settings asked{.repeat = 1};
  const opencl::device_list none;
  const auto& sort =
      *std::ranges::find(benchmarks(), std::string_view("outofcore_sort"), &benchmark::name);
  const auto results = sort.run({asked, workers, engine, 1e10, {}, none}, 1'000'000);
  ASSERT_EQ(results.size(), 6u);
  EXPECT_EQ(results[0].budget_bytes, 0u);
  EXPECT_GT(results[1].budget_bytes, 1'000'000u * 16);
  EXPECT_EQ(results[2].budget_bytes, results[1].budget_bytes / 2);
  EXPECT_EQ(results[5].budget_bytes, std::size_t{8} << 20);
}

TEST(files, are_out_of_the_page_cache_where_they_are_to_be) {
  session engine(options{.threads = 2});
  team workers(2);
  const settings asked{.repeat = 1, .cold = true};
  const opencl::device_list none;
  const auto& bess = *std::ranges::find(benchmarks(), std::string_view("bess"), &benchmark::name);
  const auto results = bess.run({asked, workers, engine, 1e10, {}, none}, 30'011);
  ASSERT_GE(results.size(), 3u);
  for (const auto& r : results) {
    EXPECT_EQ(r.name, "bess_cold");
    EXPECT_TRUE(agree(r.checksum, results.front().checksum, bess.tolerance));
    EXPECT_GT(r.floor_s, 0);
  }
}

TEST(measuring, has_each_run_prepared) {
  int prepared = 0, runs = 0;
  bool each = true;
  const std::function<void()> version = [&] { each &= runs++ == 0 || prepared == runs - 1; };
  measure(std::span(&version, 1), 4, [&] { ++prepared; });
  EXPECT_EQ(prepared, 4);
  EXPECT_EQ(runs, 5);
  EXPECT_TRUE(each);
}

TEST(bounds, are_of_a_benchmark_or_of_its_variant) {
  const auto& groupby =
      *std::ranges::find(benchmarks(), std::string_view("groupby"), &benchmark::name);
  EXPECT_EQ(bound_of(groupby, "groupby_hash_1e6"), 1.3);
  EXPECT_EQ(bound_of(groupby, "groupby_dense_100"), 1.15);
  EXPECT_EQ(bound_of(groupby, "groupby_hash_5"), groupby.bound);
}

}  // namespace
}  // namespace pappus::bench
