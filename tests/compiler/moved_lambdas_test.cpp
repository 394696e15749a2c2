// Kernels on disk are found again when a lambda has moved within its file.
#include <array>
#include <stdexcept>

#include <gtest/gtest.h>

#include "compiler/drivers.h"
#include "devices/kernel_cache.h"
#include "pappus/pappus.h"

namespace pappus {
namespace {

/// Queries with all that has a lambda's name in a kernel's text. Each use has other lines.
#define QUERIES(s, k, at)                                                                         \
  s.range(std::int64_t{0}, 500).map([k](std::int64_t x) { return x * k; }).collect();             \
  s.range(std::int64_t{0}, 500)                                                                   \
      .filter([&at](std::int64_t x) { return at[static_cast<std::size_t>(x % 4)] > 3; })          \
      .map([](std::int64_t x) {                                                                   \
        constexpr std::array<int, 5> table{3, 1, 4, 1, 5};                                        \
        return x + table[static_cast<std::size_t>(x % 5)];                                        \
      })                                                                                          \
      .collect();                                                                                 \
  s.range(std::int64_t{0}, 500)                                                                   \
      .flat_map([](std::int64_t x) { return std::array<std::int64_t, 2>{x, -x}; })                \
      .collect();                                                                                 \
  s.range(std::int64_t{0}, 500)                                                                   \
      .map([](std::int64_t x) {                                                                   \
        if (x < 0) throw std::domain_error("negative");                                           \
        return static_cast<double>(x) / 3;                                                        \
      })                                                                                          \
      .sum()                                                                                      \
      .get();                                                                                     \
  s.range(std::int64_t{0}, 500).group_by([](std::int64_t x) { return x % 7; }).count().collect(); \
  s.range(std::int64_t{0}, 500).sort_by([](std::int64_t x) { return (x * 31) % 97; }).collect();  \
  s.range(std::int64_t{0}, 500)                                                                   \
      .inclusive_scan([](std::int64_t a, std::int64_t b) { return a > b ? a : b; })               \
      .collect();                                                                                 \
  s.range(std::int64_t{0}, 500)                                                                   \
      .map(with_device_code([](std::int64_t x) { return x + 1; },                                 \
                            device_text("next", "long next(long x) { return x + 1; }")))          \
      .collect()

/// Two lambdas that differ in where their statements stand.
[[maybe_unused]] void map_over_few_lines(session& s) {
  s.range(0, 500)
      .map([](int x) {
        int sum = 0;
        for (int i = 0; i < x; i += 3) sum += i * x;
        if (sum % 5 == 0) return x;
        return sum;
      })
      .collect();
}
[[maybe_unused]] void map_over_many_lines(session& s) {
  s.range(0, 500)
      .map([](int x) {
        int sum = 0;

        for (int i = 0; i < x; i += 3)  //
          sum += i * x;

        if (sum % 5 == 0) {
          return x;
        }
        return sum;
      })
      .collect();
}

TEST(moved_lambdas, find_their_kernels_in_the_cache) {
#ifndef PAPPUS_TEST_LAMBDAS_ON_OPENCL
  GTEST_SKIP() << "built without the compiler plugin";
#else
  session s(options{.devices = "opencl:0"});
  if (s.range(0, 8).explain_analyze().find("ran on opencl:0") == std::string::npos)
    GTEST_SKIP() << "no OpenCL device";
  const std::array<int, 4> at{1, 5, 2, 7};
  const std::int64_t k = at[0] + 2;
  auto& cache = devices::kernel_cache::shared();
  QUERIES(s, k, at);
  map_over_few_lines(s);
  const auto before = cache.counts();
  EXPECT_GE(before.stores, 9u);
  QUERIES(s, k, at);  // at other lines
  map_over_many_lines(s);
  const auto after = cache.counts();
  EXPECT_EQ(after.stores, before.stores);
  EXPECT_EQ(after.misses, before.misses);
  EXPECT_GE(after.hits, before.hits + 9);
#endif
}

}  // namespace
}  // namespace pappus
