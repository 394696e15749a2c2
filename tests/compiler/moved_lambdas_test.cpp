// Kernels on disk are found again when a lambda has moved within its file.
#include <array>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

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

/// A folder of its own for the process's cache of kernels, if nothing has asked for one before.
class own_kernels {
 public:
  own_kernels() { ::setenv("PAPPUS_CACHE", path_.c_str(), 1); }
  ~own_kernels() { std::filesystem::remove_all(path_); }
  own_kernels(const own_kernels&) = delete;
  own_kernels& operator=(const own_kernels&) = delete;

 private:
  const std::filesystem::path path_ = std::filesystem::temp_directory_path() /
                                      ("pappus_moved_lambdas_" + std::to_string(::getpid()));
};

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
  const own_kernels kept;
  auto& cache = devices::kernel_cache::shared();
  if (!cache.keeps()) GTEST_SKIP() << "the kernel cache is off";  // another test of the process ran
  session s(options{.devices = "opencl:0"});
  if (s.range(0, 8).explain_analyze().find("ran on opencl:0") == std::string::npos)
    GTEST_SKIP() << "no OpenCL device";
  const std::array<int, 4> at{1, 5, 2, 7};
  const std::int64_t k = at[0] + 2;
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
