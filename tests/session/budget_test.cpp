// The memory budget: what fits runs within it, what doesn't is refused, and everything comes back.
#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pappus/pappus.h"
#include "support/sanitizers.h"

namespace pappus {
namespace {

constexpr std::size_t MiB = std::size_t{1} << 20;

TEST(budget, gets_everything_back_when_results_are_dropped) {
  session s(options{.threads = 2, .host_memory = 256 * MiB});
  {
    const auto all = s.range(0, 1'000'000).map([](int x) { return 2.0 * x; }).collect();
    EXPECT_GE(s.host_memory_used(), 8'000'000u);
    const auto some = s.range(0, 1'000'000).filter([](int x) { return x % 5 == 0; }).collect();
    EXPECT_GE(s.host_memory_used(), 8'800'000u);
  }
  EXPECT_EQ(s.host_memory_used(), 0u);
  EXPECT_LE(s.host_memory_peak(), 256 * MiB);
}

TEST(budget, lets_go_of_rows_between_stages) {
  session s(options{.threads = 2, .host_memory = 256 * MiB});
  // Ten results of 8 MB one after another: never more than two of them at once.
  collection<double> rows = s.range(0, 1'000'000).map([](int x) { return 1.0 * x; });
  for (int i = 0; i < 10; ++i) rows = rows.map([](double x) { return x + 1; });
  EXPECT_EQ(rows.first().get(), 10);
  EXPECT_LE(s.host_memory_peak(), 3 * 8 * MiB);
}

TEST(budget, lets_go_of_shared_rows_and_views_between_stages) {
  session s(options{.threads = 2, .host_memory = 256 * MiB});
  collection<double> rows = s.range(0, 1'000'000).map([](int x) { return 1.0 * x; });
  for (int i = 0; i < 10; ++i) {
    const auto shifted = rows.skip(1).concat(rows.take(1));
    rows = shifted.map([](double x, std::span<const double> all) { return x + all[0]; },
                       rows.shared());
  }
  EXPECT_EQ(rows.count().get(), 1'000'000);
  EXPECT_LE(s.host_memory_peak(), 4 * 8 * MiB);
}

TEST(budget, groups_of_few_rows_take_little_memory) {
  session s(options{.threads = 2, .host_memory = 256 * MiB, .devices = "cpu"});
  EXPECT_EQ(s.range(0, 20'000).group_by([](int x) { return x * 7; }).count().collect().size(),
            20'000u);
  EXPECT_LE(s.host_memory_peak(), 16 * MiB);
}

template <typename Query>
std::string refusal(session& s, Query query) {
  try {
    query(s);
  } catch (const memory_error& e) {
    EXPECT_EQ(s.host_memory_used(), 0u);
    return e.what();
  }
  return "accepted";
}

TEST(budget, refuses_before_it_starts_what_can_not_fit) {
  session s(options{.threads = 2, .host_memory = 16 * MiB});
  int calls = 0;
  const auto text = refusal(s, [&](session& s) {
    s.range(0, 10'000'000)
        .map([&calls](int x) {
          ++calls;
          return 1.0 * x;
        })
        .collect();
  });
  EXPECT_EQ(text,
            "range·map: needs 76 MiB for 10,000,000 rows of double (76 MiB for the result, 0 B "
            "besides), but the memory limit is 16 MiB; raise the limit (PAPPUS_HOST_MEMORY or "
            "options::host_memory) or use less data");
  EXPECT_EQ(calls, 0);
}

TEST(budget, refuses_what_turns_out_not_to_fit_and_goes_on) {
  session s(options{.threads = 2, .host_memory = 16 * MiB});
  const auto rows = s.range(0, 10'000'000).filter([](int x) { return x >= 0; });
  EXPECT_THAT(refusal(s, [&](session&) { rows.collect(); }),
              ::testing::ContainsRegex(".*: needs .* more, but .* of the memory limit of 16 MiB "
                                       "are in use; raise the limit "
                                       "\\(PAPPUS_HOST_MEMORY or options::host_memory\\) or use "
                                       "less data"));
  EXPECT_EQ(rows.count().get(), 10'000'000);  // a fold needs no room for them
  EXPECT_THAT(refusal(s, [](session& s) { s.from(std::vector<double>(4'000'000)); }),
              ::testing::StartsWith("from: needs 32 MiB more, but 0 B of the memory limit of 16 "
                                    "MiB are in use"));
}

TEST(budget, delivers_rows_in_what_memory_there_is) {
  session s(options{.threads = 2, .host_memory = 12 * MiB, .devices = "cpu"});
  std::int64_t sum = 0;
  const auto add = [&](std::span<const std::int64_t> chunk) {
    for (const auto x : chunk) sum += x;
  };
  const auto rows = [&](std::int64_t n) {
    return s.range(std::int64_t{0}, n).map([](std::int64_t x) { return x - 1'999'999; });
  };
  rows(4'000'000).for_each_chunk(add);  // 31 MiB
  EXPECT_EQ(sum, 2'000'000);
  sum = 0;
  const auto kept = rows(1'200'000).cache();  // 9.2 MiB
  kept.for_each_chunk(add);
  kept.map([](std::int64_t x) { return -x; }).for_each_chunk(add);
  EXPECT_EQ(sum, 0);
  EXPECT_LE(s.host_memory_peak(), s.host_memory());
}

TEST(budget, refuses_domains_whose_tables_can_not_fit) {
  session s(options{.threads = 2, .host_memory = 16 * MiB});
  const auto itself = [](int x) { return x; };
  const auto some = s.range(0, 100).filter([](int x) { return x > 3; });
  EXPECT_THAT(refusal(s,
                      [&](session& s) {
                        s.range(0, 10)
                            .join(
                                some, itself, itself, [](int a, int) { return a; },
                                domain{INT64_MAX})
                            .count()
                            .get();
                      }),
              ::testing::StartsWith("join: domain{9223372036854775807} needs "));
  EXPECT_THAT(
      refusal(s, [&](session&) { some.group_by(itself, domain{INT64_MAX}).count().collect(); }),
      ::testing::StartsWith("range·filter·group_by.count: domain{9223372036854775807} needs "));
  EXPECT_THAT(
      refusal(s, [&](session&) { some.group_by(itself, domain{1'000'000}).sum().collect(); }),
      ::testing::EndsWith("name a smaller domain or none, or raise the limit "
                          "(PAPPUS_HOST_MEMORY or options::host_memory)"));
  EXPECT_EQ(some.group_by(itself, domain{100}).count().collect().size(), 100u);
}

std::size_t peak_resident_bytes() {
  struct rusage usage = {};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::size_t>(usage.ru_maxrss) * 1024;
}

/// Queries that use a budget of 160 MiB up, one kind after another. Exits with 0 if the process
/// never held more than the budget and 32 MiB.
void fill_budget() {
  constexpr std::size_t budget = 160 * MiB;
  const std::size_t before = peak_resident_bytes();
  session s(options{.threads = 4, .host_memory = budget});
  std::size_t rows = 0;
  const auto run = [&](auto query) {
    try {
      rows += query.collect().size();
    } catch (const memory_error&) {
      ++rows;
    }
  };
  const auto numbers = s.range(0, 16'000'000);
  run(numbers.map([](int x) { return 1.0 * x; }));
  run(numbers.filter([](int x) { return x % 2 == 0; }));
  run(numbers.filter([](int) { return true; }));
  run(numbers.flat_map([](int x) { return std::array{1.0 * x, 2.0 * x}; }));  // refused on the way
  const auto kept = numbers.map([](int x) { return x + 1; }).cache();
  run(kept.take(1000));
  run(kept.map([](int x) { return static_cast<short>(x); }));
  run(kept.concat(kept));
  const std::size_t held = peak_resident_bytes() - before;
  std::fprintf(stderr, "%zu rows, %zu MiB above the baseline, %zu MiB charged\n", rows, held / MiB,
               s.host_memory_peak() / MiB);
  std::exit(held <= budget + 32 * MiB && s.host_memory_peak() <= budget && rows > 30'000'000 ? 0
                                                                                             : 1);
}

TEST(budget, bounds_the_memory_of_the_process) {
  if (testing::sanitized) GTEST_SKIP() << "a sanitizer's own memory would be counted";
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // a fresh process
  EXPECT_EXIT(fill_budget(), ::testing::ExitedWithCode(0), "above the baseline");
}

}  // namespace
}  // namespace pappus
