// Functions that take long a row: several threads share few rows, and results are the same.
//
// Nothing here is measured: rows are taken to need a millisecond, whatever the clock says.
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <numeric>
#include <set>
#include <string>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "harness.h"

namespace pappus::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

double a_millisecond(std::int64_t) { return 1e6; }

/// A function's calls wait in it until two threads are there at once; but for that of row 0, which
/// tells that rows are slow.
class meeting {
 public:
  void attend(std::int64_t row) {
    std::unique_lock lock(mutex_);
    ++calls_;
    if (row == 0) return;
    there_.insert(std::this_thread::get_id());
    changed_.notify_all();
    const bool met =
        changed_.wait_for(lock, std::chrono::minutes(1), [&] { return there_.size() >= 2; });
    if (!met) ++alone_;
  }
  int calls() const { return calls_; }
  int alone() const { return alone_; }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::set<std::thread::id> there_;
  int calls_ = 0, alone_ = 0;
};

constexpr int few = 64;

/// Runs query(session, function) with two threads: the function's calls must meet.
template <typename Query>
PAPPUS_UNHURRIED void expect_two_threads(const char* what, Query query) {
  SCOPED_TRACE(what);
  const pretended_time pretending(a_millisecond);
  session s({.threads = 2, .devices = "cpu"});
  meeting here;
  query(s, [&here](int row) {
    here.attend(row);
    return row;
  });
  EXPECT_EQ(here.alone(), 0) << "calls by one thread only";
  EXPECT_GE(here.calls(), few);
}

TEST(slow_rows, of_an_element_wise_chain_are_shared) {
  expect_two_threads(
      "map", [](session& s, auto f) { EXPECT_EQ(s.range(0, few).map(f).collect().size(), few); });
  expect_two_threads("filter", [](session& s, auto f) {
    const auto odd = s.range(0, few).filter([f](int x) { return f(x) % 2 == 1; }).collect();
    EXPECT_EQ(odd.size(), few / 2);
    for (std::size_t i = 0; i < odd.size(); ++i) EXPECT_EQ(odd.begin()[i], 2 * int(i) + 1);
  });
  expect_two_threads("flat_map", [](session& s, auto f) {
    const auto all =
        s.range(0, few).flat_map([f](int x) { return std::array{f(x), -x}; }).collect();
    EXPECT_EQ(all.size(), 2 * few);
    for (std::size_t i = 0; i < all.size(); ++i)
      EXPECT_EQ(all.begin()[i], i % 2 == 0 ? int(i / 2) : -int(i / 2));
  });
  expect_two_threads("for_each_chunk", [](session& s, auto f) {
    int sum = 0;
    s.range(0, few).map(f).for_each_chunk([&](std::span<const int> chunk) {
      sum = std::accumulate(chunk.begin(), chunk.end(), sum);
    });
    EXPECT_EQ(sum, few * (few - 1) / 2);
  });
}

TEST(slow_rows, of_a_reduction_are_shared) {
  expect_two_threads("sum", [](session& s, auto f) {
    EXPECT_EQ(long(s.range(0, few).map(f).sum()), few * (few - 1) / 2);
  });
  expect_two_threads("mean of floats", [](session& s, auto f) {
    EXPECT_EQ(double(s.range(0, few).map([f](int x) { return double(f(x)); }).mean()),
              (few - 1) / 2.0);
  });
  expect_two_threads("count", [](session& s, auto f) {
    EXPECT_EQ(std::int64_t(s.range(0, few).filter([f](int x) { return f(x) % 4 == 0; }).count()),
              few / 4);
  });
  expect_two_threads("any", [](session& s, auto f) {
    EXPECT_FALSE(bool(s.range(0, few).any([f](int x) { return f(x) < 0; })));
  });
}

TEST(slow_rows, of_a_group_by_are_shared) {
  const auto size_of = [](const auto& groups) { return groups.collect().size(); };
  expect_two_threads("few groups", [&](session& s, auto f) {
    EXPECT_EQ(size_of(s.range(0, few).group_by([f](int x) { return f(x) % 3; }).count()), 3u);
  });
  expect_two_threads("a value", [&](session& s, auto f) {
    const auto sums = s.range(0, few).group_by([](int x) { return x % 2; }).sum(f).collect();
    EXPECT_EQ(sums.begin()[0].value, (few / 2 - 1) * few / 2);
  });
  expect_two_threads("many groups", [&](session& s, auto f) {
    EXPECT_EQ(size_of(s.range(0, few).group_by(f).expect(1 << 20).count()), few);
  });
  expect_two_threads("a domain", [&](session& s, auto f) {
    EXPECT_EQ(size_of(s.range(0, few).group_by(f, domain{few}).count()), few);
  });
  expect_two_threads("a large domain", [&](session& s, auto f) {
    EXPECT_EQ(size_of(s.range(0, few).group_by(f, domain{1 << 20}).count()), 1u << 20);
  });
  expect_two_threads("strings", [&](session& s, auto f) {
    static const std::string letters(few, 'x');
    const auto key = [f](int x) {
      return std::string_view(letters).substr(static_cast<std::size_t>(f(x)));
    };
    EXPECT_EQ(size_of(s.range(0, few).group_by(key).count()), few);
  });
  expect_two_threads("distinct", [&](session& s, auto f) {
    EXPECT_EQ(size_of(s.range(0, few).map(f).distinct()), few);
  });
}

TEST(slow_rows, of_other_operators_are_shared) {
  expect_two_threads("sort_by", [](session& s, auto f) {
    EXPECT_EQ(s.range(0, few).sort_by([f](int x) { return -f(x); }).collect().begin()[0], few - 1);
  });
  expect_two_threads("top", [](session& s, auto f) {
    EXPECT_EQ(s.range(0, few).top(3, f).collect().begin()[0], few - 1);
  });
  expect_two_threads("scan", [](session& s, auto f) {
    EXPECT_EQ(s.range(0, few).map(f).inclusive_scan().collect().begin()[few - 1],
              few * (few - 1) / 2);
  });
  expect_two_threads("scan of floats", [](session& s, auto f) {
    const auto sums = s.range(0, few).map([f](int x) { return 0.5 * f(x); }).inclusive_scan();
    EXPECT_EQ(sums.collect().begin()[few - 1], few * (few - 1) / 4.0);
  });
  const auto itself = [](int x) { return x; };
  const auto product = [](int a, int b) { return a * b; };
  expect_two_threads("right side of a join", [&](session& s, auto f) {
    const auto right = s.range(0, few).map([](int x) { return x * 2; }).materialise();
    EXPECT_EQ(s.range(0, few).join(right, itself, f, product).collect().size(), few / 2);
  });
  expect_two_threads("left side of a join", [&](session& s, auto f) {
    const auto right = s.range(0, few).materialise();
    EXPECT_EQ(s.range(0, few).join(right, f, itself, product).collect().size(), few);
  });
}

// The first results decide about the others: what is computed in vain is part of a round.
TEST(slow_rows, after_the_one_that_is_looked_for_are_not_begun) {
  const pretended_time pretending(a_millisecond);
  for (const unsigned threads : {2u, 5u}) {
    session s({.threads = threads, .devices = "cpu"});
    std::atomic<int> calls{0};
    // One leaf: another would be begun at the same time.
    const auto rows = s.range(0, 60'000).map([&](int x) {
      ++calls;
      return x;
    });
    EXPECT_TRUE(bool(rows.any([](int x) { return x == 40; })));
    EXPECT_LE(calls.exchange(0), 41 + 16 * static_cast<int>(threads));
    EXPECT_EQ(int(rows.filter([](int x) { return x >= 40; }).first()), 40);
    EXPECT_LE(calls.exchange(0), 41 + 16 * static_cast<int>(threads));
    EXPECT_FALSE(bool(rows.all([](int x) { return x < 40; })));
    EXPECT_LE(calls.load(), 41 + 16 * static_cast<int>(threads));
  }
}

TEST(slow_rows, throw_the_exception_of_the_first_row) {
  const pretended_time pretending(a_millisecond);
  session s({.threads = 4, .devices = "cpu"});
  const auto rows = s.range(0, 500).map([](int x) {
    if (x >= 23) throw std::out_of_range(fmt::format("row {}", x));
    return x;
  });
  const auto message_of = [](const auto& run) -> std::string {
    try {
      run();
    } catch (const std::out_of_range& e) {
      return e.what();
    }
    return "nothing thrown";
  };
  const auto of_row_23 =
      AllOf(StartsWith("row 23; thrown in map"), HasSubstr(", row 23 of range·map"));
  for (int round = 0; round < 20; ++round) {
    EXPECT_THAT(message_of([&] { rows.collect(); }), of_row_23);
    EXPECT_THAT(message_of([&] { (void)long(rows.sum()); }), of_row_23);
    EXPECT_THAT(message_of([&] { rows.group_by([](int x) { return x % 7; }).count().collect(); }),
                of_row_23);
  }
}

TEST(slow_rows, are_not_begun_once_the_query_is_cancelled) {
  const pretended_time pretending(a_millisecond);
  for (const unsigned threads : {2u, 4u}) {
    session s({.threads = threads, .devices = "cpu"});
    const auto calls_of = [&](auto run) {
      std::atomic<int> calls{0};
      std::atomic<bool> stopped{false};
      const auto rows = s.range(0, 100'000).map([&](int x) {
        if (++calls == 20) {
          s.cancel();
          stopped = true;
          stopped.notify_all();
        }
        if (calls >= 20) stopped.wait(false);
        return x;
      });
      EXPECT_THROW(run(rows), cancelled);
      return calls.load();
    };
    const int most = 20 + static_cast<int>(threads);
    const auto key = [](int x) { return x % 5; };
    const auto plus = [](int a, int b) { return a + b; };
    EXPECT_LE(calls_of([](auto rows) { rows.collect(); }), most);
    EXPECT_LE(calls_of([](auto rows) { rows.filter([](int x) { return x > 0; }).collect(); }),
              most);
    EXPECT_LE(calls_of([](auto rows) { (void)long(rows.sum()); }), most);
    EXPECT_LE(calls_of([](auto rows) { rows.sort().collect(); }), most);
    EXPECT_LE(calls_of([](auto rows) { rows.top(5).collect(); }), most);
    EXPECT_LE(calls_of([](auto rows) { rows.distinct().collect(); }), most);
    EXPECT_LE(calls_of([&](auto rows) { rows.group_by(key).count().collect(); }), most);
    EXPECT_LE(calls_of([&](auto rows) { rows.group_by(key, domain{5}).count().collect(); }), most);
    EXPECT_LE(calls_of([](auto rows) { rows.inclusive_scan().collect(); }), most);
    EXPECT_LE(calls_of([&](auto rows) { rows.inclusive_scan(plus).collect(); }), most);
    EXPECT_LE(calls_of([&](auto rows) { rows.join(rows, key, key, plus).count().get(); }), most);
  }
}

// Values wait in memory for their turn; where a row has millions, they are folded one by one.
TEST(slow_rows, with_more_values_than_are_kept_are_reduced_all_the_same) {
  const pretended_time pretending(a_millisecond);
  session s({.threads = 3, .devices = "cpu"});
  static constexpr int each = 1 << 20;
  const auto many = s.range(0, 5).flat_map([](int) { return std::views::iota(0, each); });
  EXPECT_EQ(long(many.sum()), 5L * each * (each - 1) / 2);
  const auto groups = many.group_by([](int x) { return x % 2; }).count().collect();
  EXPECT_EQ(groups.begin()[0].value, 5L * each / 2);
}

TEST(slow_rows, are_reduced_where_memory_for_their_values_is_short) {
  const pretended_time pretending(a_millisecond);
  session s({.threads = 3, .host_memory = 3 << 20, .devices = "cpu"});
  using wide = std::array<int, 1 << 15>;  // 128 KiB
  const auto rows = s.range(0, 100).map([](int x) { return wide{x}; });
  EXPECT_EQ(long(rows.sum([](const wide& w) { return w[0]; })), 4950);
  const wide found = rows.filter([](const wide& w) { return w[0] > 50; }).first();
  EXPECT_EQ(found[0], 51);
}

TEST(slow_rows, of_few_are_told_by_explain_analyze) {
  const pretended_time pretending(a_millisecond);
  session s({.threads = 2, .devices = "cpu"});
  const auto step_of = [&](int rows, auto f) {
    const auto text = s.range(0, rows).map(f).explain_analyze();
    const auto end = text.rfind(" threads\n");
    const auto begin = text.rfind(" on ", end);
    return text.substr(begin, end - begin);
  };
  EXPECT_EQ(step_of(1, [](int x) { return x; }), " on 1 of 2");
  meeting here;
  const auto meet = [&here](int row) {
    here.attend(row);
    return row;
  };
  EXPECT_EQ(step_of(few, meet), " on 2 of 2");
  EXPECT_EQ(here.alone(), 0);
}

// A call of a function of blocks has a cost of its own.
TEST(slow_rows, of_a_function_of_blocks_are_not_torn_apart) {
  const pretended_time pretending(a_millisecond);
  session s({.threads = 4, .devices = "cpu"});
  std::mutex lock;
  std::multiset<std::size_t> sizes;
  const auto f = batched<int>([&](std::span<const int> in, std::span<int> out) {
    std::copy(in.begin(), in.end(), out.begin());
    const std::lock_guard hold(lock);
    sizes.insert(in.size());
  });
  EXPECT_EQ(s.range(0, 1000).map(f).collect().size(), 1000u);
  EXPECT_EQ(sizes.count(64), 1000u / 64);
  EXPECT_EQ(sizes.count(1000 % 64), 1u);
  EXPECT_EQ(sizes.size(), 1000u / 64 + 1);
}

}  // namespace
}  // namespace pappus::testing
