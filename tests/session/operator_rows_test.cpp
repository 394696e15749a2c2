// The records between fused operators, as explain_analyze tells them.
#include <unistd.h>
#include <array>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "conformance/harness.h"
#include "pappus/pappus.h"

namespace pappus::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

using base::count_text;

/// The lines that tell rows of operators, without what stands before them.
std::vector<std::string> operator_rows(const std::string& report) {
  constexpr std::string_view before = "\n       rows ";
  std::vector<std::string> found;
  for (auto at = report.find(before); at != report.npos; at = report.find(before, at + 1)) {
    const auto begin = at + before.size();
    found.push_back(report.substr(begin, report.find('\n', begin) - begin));
  }
  return found;
}

/// A predicate that is as good as random, and true for `part` of 256 numbers.
struct chosen {
  std::uint64_t seed;
  std::uint64_t part;
  bool operator()(int x) const {
    auto bits = (static_cast<std::uint64_t>(x) + seed) * 0x9E3779B97F4A7C15u;
    bits = (bits ^ (bits >> 29)) * 0xBF58476D1CE4E5B9u;
    return (bits >> 40) % 256 < part;
  }
};

const std::vector<int> all_sizes{0, 1, 2, 3, 63, 511, 4095, 4096, 4097, 50'001, 65'536};

/// Calls check(session, n) for all sizes, by one thread and two, where rows are fast and slow.
template <typename Check>
void with_sessions(Check check) {
  for (const unsigned threads : {1u, 2u})
    for (const bool slow : {false, true})
      for (const int n : all_sizes) {
        SCOPED_TRACE(fmt::format("{} threads, {} {} rows", threads, n, slow ? "slow" : "fast"));
        const pretended_time pretending(slow ? now_and_then_slow : nullptr);
        session s(options{.threads = threads, .devices = "cpu"});
        check(s, n);
      }
}

TEST(operator_rows, of_filters_before_a_fold_are_those_that_pass) {
  random r(1);
  with_sessions([&](session& s, int n) {
    const chosen first{static_cast<std::uint64_t>(r.between(0, 1 << 30)), 150}, second{7, 100};
    std::int64_t once = 0, twice = 0;
    for (int i = 0; i < n; ++i) {
      once += first(2 * i);
      twice += first(2 * i) && second(2 * i);
    }
    const auto rows = s.range(0, n).map([](int i) { return 2 * i; }).filter(first);
    EXPECT_THAT(operator_rows(rows.filter(second).sum().explain_analyze()),
                ElementsAre(fmt::format("{}, filter → {}, filter → {}", count_text(n),
                                        count_text(once), count_text(twice))));
    EXPECT_THAT(operator_rows(rows.sum([](int x) { return x / 2; }).explain_analyze()),
                ElementsAre(fmt::format("{}, filter → {}", count_text(n), count_text(once))));
  });
}

TEST(operator_rows, of_flat_maps_and_joins_are_what_they_yield) {
  const auto itself = [](int x) { return x; };
  const auto rows = [](int x) { return std::vector<int>(static_cast<std::size_t>(x % 4), x); };
  const auto some = [](int x) { return x % 100; };
  const std::vector<int> table{3, 3, 5, 7, 7, 7, 40};
  const std::multiset<int> right(table.begin(), table.end());
  with_sessions([&](session& s, int n) {
    std::int64_t flat = 0, odd = 0, pairs = 0, found = 0, missed = 0, outer = 0;
    for (int i = 0; i < n; ++i)
      for (int k = 0; k < i % 4; ++k) {
        ++flat;
        if (i % 2 == 0) continue;
        ++odd;
        const auto matches = static_cast<std::int64_t>(right.count(i % 100));
        pairs += matches;
        found += matches > 0;
        missed += matches == 0;
        outer += std::max<std::int64_t>(matches, 1);
      }
    const auto left = s.range(0, n).flat_map(rows).filter([](int x) { return x % 2 == 1; });
    const auto others = s.from(table);
    const auto begin = fmt::format("{}, flat_map → {}, filter → {}", count_text(n),
                                   count_text(flat), count_text(odd));
    const auto expect = [&](const auto& query, const char* name, std::int64_t records) {
      const auto line = fmt::format("{}, {} → {}", begin, name, count_text(records));
      EXPECT_THAT(operator_rows(query.count().explain_analyze()), ElementsAre(line));
      EXPECT_THAT(operator_rows(query.explain_analyze()), ElementsAre(line));
    };
    expect(left.join(others, some, itself, std::plus{}), "join", pairs);
    expect(left.left_join(others, some, itself, [](int x, const int*) { return x; }), "left_join",
           outer);
    expect(others.right_join(left, itself, some, [](const int*, int x) { return x; }), "right_join",
           outer);
    expect(left.semi_join(others, some, itself), "semi_join", found);
    expect(left.anti_join(others, some, itself), "anti_join", missed);
  });
}

TEST(operator_rows, are_told_of_groups_and_top) {
  with_sessions([](session& s, int n) {
    const chosen half{3, 128};
    std::int64_t kept = 0;
    for (int i = 0; i < n; ++i) kept += half(i);
    const auto rows = s.range(0, n).filter(half);
    const auto line = fmt::format("{}, filter → {}", count_text(n), count_text(kept));
    const auto key = [](int x) { return x % 10; };
    EXPECT_THAT(operator_rows(rows.group_by(key).count().explain_analyze()), ElementsAre(line));
    EXPECT_THAT(operator_rows(rows.group_by(key, domain{10}).sum().explain_analyze()),
                ElementsAre(line));
    EXPECT_THAT(operator_rows(rows.distinct().explain_analyze()), ElementsAre(line));
    EXPECT_THAT(operator_rows(rows.top(3).explain_analyze()), ElementsAre(line));
  });
}

TEST(operator_rows, go_through_functions_of_batches_zips_and_shared_data) {
  with_sessions([](session& s, int n) {
    std::int64_t before = 0, after = 0;
    for (int i = 0; i < n; ++i) {
      before += i % 3 == 0;
      after += i % 3 == 0 && 2 * i % 5 > 1;
    }
    const auto limit = s.from(std::vector{1});
    const auto query =
        s.range(0, n)
            .zip(s.range(0, n + 5))
            .filter([](const pair<int, int>& x) { return x.first % 3 == 0; })
            .map(batched<int>([](std::span<const pair<int, int>> in, std::span<int> out) {
              for (std::size_t i = 0; i < in.size(); ++i) out[i] = in[i].first + in[i].second;
            }))
            .filter([](int x, std::span<const int> most) { return x % 5 > most[0]; },
                    limit.shared());
    const auto line = fmt::format("{}, filter → {}, filter → {}", count_text(n), count_text(before),
                                  count_text(after));
    EXPECT_THAT(operator_rows(query.sum().explain_analyze()), ElementsAre(line));
    EXPECT_THAT(operator_rows(query.explain_analyze()), ElementsAre(line));
  });
}

TEST(operator_rows, are_not_told_where_the_stage_says_it) {
  session s(options{.threads = 2, .devices = "cpu"});
  const auto rows = s.range(0, 1000);
  const auto even = [](int x) { return x % 2 == 0; };
  EXPECT_THAT(operator_rows(rows.filter(even).explain_analyze()), IsEmpty());
  EXPECT_THAT(operator_rows(rows.map([](int x) { return x; }).sum().explain_analyze()), IsEmpty());
  EXPECT_THAT(operator_rows(rows.filter(even).sort().explain_analyze()), IsEmpty());
}

TEST(operator_rows, are_not_told_of_what_may_stop_early) {
  session s(options{.threads = 2, .devices = "cpu"});
  const auto rows = s.range(0, 1000).filter([](int x) { return x > 10; });
  EXPECT_THAT(operator_rows(rows.first().explain_analyze()), IsEmpty());
  EXPECT_THAT(operator_rows(rows.any([](int x) { return x > 20; }).explain_analyze()), IsEmpty());
}

TEST(operator_rows, are_not_told_of_stages_on_devices) {
  session s(options{.threads = 2, .devices = "test:seed=1+delay_us=0"});
  const auto report = s.range(0, 1000)
                          .filter([](int x) { return x > 10; })
                          .filter([](int x) { return x > 20; })
                          .on("test")
                          .count()
                          .explain_analyze();
  EXPECT_THAT(report, HasSubstr("ran on test:"));
  EXPECT_THAT(operator_rows(report), IsEmpty());
}

/// The numbers in "3,000,000, filter → about 1,500,000, filter → 7".
std::vector<double> numbers_in(const std::string& line) {
  std::vector<double> found;
  std::string digits;
  for (const char c : line + " ") {
    if (c >= '0' && c <= '9') digits += c;
    if (c != ' ' || digits.empty()) continue;
    found.push_back(std::stod(digits));
    digits.clear();
  }
  return found;
}

TEST(operator_rows, of_many_are_told_about) {
  constexpr int n = 3'000'000;
  for (const unsigned threads : {1u, 2u}) {
    session s(options{.threads = threads, .devices = "cpu"});
    // Every 16th block, and a tenth of what is left.
    const auto rows = s.range(0, n)
                          .filter([](int i) { return (i >> 12) % 16 == 0; })
                          .filter(chosen{5, 26})
                          .flat_map([](int i) { return std::array{i, i, i}; });
    for (const auto& report : {rows.sum().explain_analyze(), rows.explain_analyze()}) {
      const auto lines = operator_rows(report);
      ASSERT_EQ(lines.size(), 1u) << report;
      EXPECT_THAT(lines[0], ::testing::StartsWith("3,000,000, filter → about "));
      const auto numbers = numbers_in(lines[0]);
      ASSERT_EQ(numbers.size(), 4u) << lines[0];
      EXPECT_NEAR(numbers[1], n / 16.0, n / 16.0 * 0.25);
      EXPECT_NEAR(numbers[2], n / 160.0, n / 160.0 * 0.25);
      EXPECT_NEAR(numbers[3], 3 * n / 160.0, 3 * n / 160.0 * 0.25);
    }
    // What came out of the last operator is known where it is the stage's.
    EXPECT_THAT(operator_rows(rows.explain_analyze())[0],
                HasSubstr(", flat_map → " + count_text(rows.count().get())));
  }
}

TEST(operator_rows, that_were_not_met_are_not_called_none) {
  session s(options{.threads = 2, .devices = "cpu"});
  const auto rare = s.range(0, 3'000'000).filter([](int i) { return i == 70'000; });
  EXPECT_THAT(operator_rows(rare.filter([](int i) { return i > 0; }).sum().explain_analyze()),
              ElementsAre("3,000,000, filter → none seen, filter → none seen"));
  // An estimate is never less than what came of it.
  EXPECT_THAT(operator_rows(rare.filter([](int i) { return i > 0; }).explain_analyze()),
              ElementsAre("3,000,000, filter → about 1, filter → 1"));
}

/// A file of 16 bytes a record, and a session that reads it window by window.
class operator_rows_of_files : public ::testing::Test {
 protected:
  struct entry {
    std::int64_t number;
    double value;
  };
  static constexpr int n = 60'000;

  void SetUp() override {
    session s;
    const auto entry_of = [](int i) { return entry{i, i * 0.5}; };
    s.range(0, n).map(entry_of).write(path_);
  }
  void TearDown() override { std::filesystem::remove(path_); }

  const std::string path_ = (std::filesystem::temp_directory_path() /
                             fmt::format("pappus-operator-rows-{}.raw", ::getpid()))
                                .string();
  session s_{options{.threads = 2, .host_memory = std::size_t{4} << 20, .devices = "cpu"}};
};

TEST_F(operator_rows_of_files, are_those_of_all_windows) {
  const auto third = [](const entry& e) { return e.number % 3 == 0; };
  const auto late = [](const entry& e) { return e.number >= 30'000; };
  const auto rows = s_.raw<entry>(path_).filter(third).filter(late);
  const auto sum = rows.sum(&entry::value).explain_analyze();
  EXPECT_THAT(sum, HasSubstr("streamed in "));
  EXPECT_THAT(operator_rows(sum), ElementsAre("60,000, filter → 20,000, filter → 10,000"));
  const auto odd = [](const entry& e) { return e.number % 2 == 1; };
  const auto twice = rows.materialise().filter(odd).count().explain_analyze();
  EXPECT_THAT(twice, HasSubstr("streamed in "));
  EXPECT_THAT(operator_rows(twice),
              ElementsAre("60,000, filter → 20,000, filter → 10,000", "10,000, filter → 5,000"));
}

TEST_F(operator_rows_of_files, are_those_of_the_windows_that_were_read) {
  const auto all = [](const entry& e) { return e.number >= 0; };
  const auto even = [](const entry& e) { return e.number % 2 == 0; };
  const auto report =
      s_.raw<entry>(path_).filter(all).filter(even).take(100).count().explain_analyze();
  const auto lines = operator_rows(report);
  ASSERT_EQ(lines.size(), 1u) << report;
  const auto numbers = numbers_in(lines[0]);
  ASSERT_EQ(numbers.size(), 3u);
  EXPECT_LT(numbers[0], n);
  EXPECT_EQ(numbers[1], numbers[0]);
  EXPECT_NEAR(numbers[2], numbers[0] / 2, 1);
}

TEST(operator_rows, are_counted_by_calling_functions_again_and_only_in_explain_analyze) {
  for (const int n : {1000, 65'536, 1'000'000}) {
    SCOPED_TRACE(n);
    session s(options{.threads = 2, .devices = "cpu"});
    std::atomic<std::int64_t> calls{0};
    const auto query = s.range(0, n)
                           .filter([&calls](int) {
                             ++calls;
                             return true;
                           })
                           .filter([](int x) { return x % 2 == 0; })
                           .map([](int x) { return std::int64_t{x}; });
    EXPECT_EQ(query.count().get(), n / 2);
    EXPECT_EQ(query.collect().size(), static_cast<std::size_t>(n / 2));
    EXPECT_EQ(calls.exchange(0), 2 * n);
    query.explain();
    EXPECT_EQ(calls, 0);
    query.count().explain_analyze();
    if (n <= 65'536)
      EXPECT_EQ(calls, 2 * n);
    else
      EXPECT_THAT(calls, ::testing::AllOf(::testing::Gt(n + 65'536),
                                          ::testing::Le(n + 65'536 + (n - 65'536) / 17 + 4096)));
  }
}

TEST(operator_rows, do_not_need_what_is_made_of_the_last_of_them) {
  session s(options{.threads = 1, .devices = "cpu"});
  std::atomic<int> calls{0};
  const auto itself = [](int x) { return x; };
  const auto counted = [&calls](int x, int = 0) {
    ++calls;
    return x;
  };
  const auto even = s.range(0, 1000).filter([](int x) { return x % 2 == 0; });
  even.map([counted](int x) { return counted(x); }).sum().explain_analyze();
  EXPECT_EQ(calls.exchange(0), 500);
  even.join(s.range(0, 100), itself, itself, counted).sum().explain_analyze();
  EXPECT_EQ(calls.exchange(0), 50);
}

TEST(operator_rows, are_left_out_where_a_function_throws_when_called_again) {
  for (const unsigned threads : {1u, 2u}) {
    session s(options{.threads = threads, .devices = "cpu"});
    std::atomic<int> calls{0};
    const auto moody = [&calls](int x) {
      if (++calls > 1000) throw std::out_of_range("no more");
      return x % 2 == 0;
    };
    const auto report =
        s.range(0, 1000).filter(moody).filter([](int x) { return x > 5; }).sum().explain_analyze();
    EXPECT_THAT(report, HasSubstr("filter·filter·sum: rows 1 → 1"));
    EXPECT_THAT(operator_rows(report), IsEmpty());
    EXPECT_GT(calls, 1000);
    EXPECT_EQ(s.last_failure(), std::nullopt);
  }
}

TEST(operator_rows, do_not_change_the_error_of_a_query_that_fails) {
  session s(options{.threads = 2, .devices = "cpu"});
  const auto refuse = [](int x) {
    if (x == 777) throw std::out_of_range("no room");
    return x > 5;
  };
  try {
    s.range(0, 1000).filter(refuse).filter([](int x) { return x > 7; }).sum().explain_analyze();
    FAIL() << "nothing was thrown";
  } catch (const std::out_of_range& e) {
    EXPECT_THAT(e.what(), ::testing::StartsWith("no room; thrown in filter"));
  }
  ASSERT_NE(s.last_failure(), std::nullopt);
  EXPECT_EQ(s.last_failure()->row, 777);
}

TEST(operator_rows, are_not_counted_to_the_end_when_the_query_is_cancelled) {
  session s(options{.threads = 1, .devices = "cpu"});
  std::atomic<int> calls{0};
  const auto query = s.range(0, 50'000).filter([&](int x) {
    if (++calls == 60'000) s.cancel();
    return x % 2 == 0;
  });
  EXPECT_THROW(query.sum().explain_analyze(), cancelled);
  EXPECT_LT(calls, 70'000);
}

TEST(operator_rows, of_functions_that_take_long_are_shared_by_threads) {
  const pretended_time pretending([](std::int64_t) { return 1e6; });
  session s(options{.threads = 2, .devices = "cpu"});
  EXPECT_THAT(operator_rows(s.range(0, 64)
                                .filter([](int x) { return x % 2 == 0; })
                                .filter([](int x) { return x % 4 == 0; })
                                .count()
                                .explain_analyze()),
              ElementsAre("64, filter → 32, filter → 16"));
}

}  // namespace
}  // namespace pappus::testing
