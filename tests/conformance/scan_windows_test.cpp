// Scans of files window by window: the same bytes as of rows in memory, wherever windows end.
#include <atomic>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <vector>

#include "conformance/harness.h"
#include "support/raw_file.h"

namespace pappus::testing::windows {
namespace {

constexpr std::size_t MiB = std::size_t{1} << 20;

std::vector<double> some_numbers(std::int64_t n, std::uint64_t seed) {
  random numbers(seed);
  std::vector<double> made;
  for (std::int64_t i = 0; i < n; ++i)
    made.push_back(1.0 / static_cast<double>(numbers.between(1, 1'000'000)));
  return made;
}

/// Calls scanned(collection<double>) -> collection for rows of a file in short windows.
template <typename Scan>
PAPPUS_UNHURRIED void expect_the_same_in_windows(const std::vector<double>& numbers, Scan scanned) {
  const raw_file<double> file(numbers);
  session large({.threads = 2, .devices = "cpu"});
  const auto expected = scanned(large.from(numbers)).collect().to_vector();
  for (const std::size_t budget : {9 * MiB, 14 * MiB, 40 * MiB})  // windows of 72 Ki rows and more
    for (const unsigned threads : {1u, 3u}) {
      SCOPED_TRACE(::testing::Message() << budget / MiB << " MiB, " << threads << " threads");
      session s({.threads = threads, .host_memory = budget, .devices = "cpu"});
      EXPECT_TRUE(same_rows(delivered(scanned(s.raw<double>(file.path()))), expected));
      EXPECT_LE(s.host_memory_peak(), budget);
    }
}

struct line {  // x -> slope * x + offset
  double slope, offset;
};
struct after {
  line operator()(const line& a, const line& b) const {
    return {a.slope * b.slope, a.offset * b.slope + b.offset};
  }
};

TEST(scan_windows, of_sums) {
  for (const std::int64_t n : {0, 1, 32'768, 500'000, 700'001}) {
    SCOPED_TRACE(n);
    const auto numbers = some_numbers(up_to(n), 1);
    expect_the_same_in_windows(numbers, [](const auto& rows) { return rows.inclusive_scan(); });
    expect_the_same_in_windows(
        numbers, [](const auto& rows) { return rows.exclusive_scan(0.25, std::plus<>{}); });
  }
  expect_the_same_in_windows(some_numbers(up_to(600'000), 2), [](const auto& rows) {
    return rows.map([](double x) { return static_cast<int>(1 / x); }).inclusive_scan();
  });
}

TEST(scan_windows, whose_ends_a_filter_moves) {
  const auto numbers = some_numbers(up_to(700'001), 3);
  for (const double least : {0.0, 2e-6, 5e-6, 1e-4}) {
    SCOPED_TRACE(least);
    const auto kept = [least](double x) { return x >= least; };
    expect_the_same_in_windows(
        numbers, [&](const auto& rows) { return rows.filter(kept).inclusive_scan(); });
    expect_the_same_in_windows(numbers, [&](const auto& rows) {
      return rows.filter(kept).exclusive_scan(1.5, std::plus<>{});
    });
  }
}

TEST(scan_windows, by_operators_that_mind_the_order) {
  const auto numbers = some_numbers(up_to(600'000), 4);
  const auto lines = [](const auto& rows) {
    return rows.map([](double x) { return line{1 - x * 1e-3, x}; });
  };
  expect_the_same_in_windows(numbers,
                             [&](const auto& rows) { return lines(rows).inclusive_scan(after{}); });
  expect_the_same_in_windows(
      numbers, [&](const auto& rows) { return lines(rows).exclusive_scan(line{2, 1}, after{}); });
}

TEST(scan_windows, go_on_to_readers_and_to_other_scans) {
  const auto numbers = some_numbers(up_to(600'000), 5);
  expect_the_same_in_windows(numbers, [](const auto& rows) {
    return rows.inclusive_scan().filter([](double x) { return x > 2; }).inclusive_scan();
  });
  const raw_file<double> file(numbers);
  session s({.threads = 2, .host_memory = 9 * MiB, .devices = "cpu"}), large;
  EXPECT_EQ(s.raw<double>(file.path()).inclusive_scan().max().get(),
            large.raw<double>(file.path()).inclusive_scan().max().get());
  EXPECT_EQ(s.raw<double>(file.path()).inclusive_scan().take(7).collect().to_vector(),
            large.raw<double>(file.path()).inclusive_scan().take(7).collect().to_vector());
}

TEST(scan_windows, of_slow_rows) {
  const auto numbers = some_numbers(up_to(250'000), 6);
  const pretended_time slow(now_and_then_slow);
  const auto slowly = [](const auto& rows) { return rows.map([](double x) { return x * 3; }); };
  expect_the_same_in_windows(numbers,
                             [&](const auto& rows) { return slowly(rows).inclusive_scan(); });
  expect_the_same_in_windows(
      numbers, [&](const auto& rows) { return slowly(rows).exclusive_scan(0.5, std::plus<>{}); });
}

TEST(scan_windows, end_with_what_the_operator_throws) {
  const raw_file<double> file(some_numbers(400'000, 7));
  session s({.threads = 2, .host_memory = 9 * MiB, .devices = "cpu"});
  std::int64_t calls = 0;
  const auto scanned = s.raw<double>(file.path()).inclusive_scan([&](double a, double b) {
    if (std::atomic_ref(calls)++ == 300'000) throw std::runtime_error("no sum");
    return a + b;
  });
  EXPECT_THROW((void)scanned.max().get(), std::runtime_error);
  EXPECT_EQ(s.host_memory_used(), 0u);
}

}  // namespace
}  // namespace pappus::testing::windows
