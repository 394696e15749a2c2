// rolling: aggregates of windows, against each window by itself.
#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>

#include "conformance/harness.h"

namespace pappus::rolling_tests {
namespace {

using namespace testing;
using ::testing::ThrowsMessage;

struct price {
  std::int64_t share;
  std::int64_t close;
};
std::vector<price> prices(random& random, std::int64_t n) {
  std::vector<price> made(static_cast<std::size_t>(n));
  for (auto& one : made) one = {random.between(0, 5), random.between(-1000, 1000)};
  return made;
}

/// f(window) for each row's window.
template <typename F>
auto of_windows(const std::vector<std::int64_t>& values, std::int64_t n, F f) {
  std::vector<decltype(f(std::span<const std::int64_t>()))> made;
  const std::span<const std::int64_t> all(values);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::size_t length = std::min(i + 1, static_cast<std::size_t>(n));
    made.push_back(f(all.subspan(i + 1 - length, length)));
  }
  return made;
}
std::int64_t sum_of(std::span<const std::int64_t> window) {
  std::int64_t sum = 0;
  for (const auto x : window) sum += x;
  return sum;
}
std::int64_t greatest_of(std::span<const std::int64_t> window) {
  return *std::ranges::max_element(window);
}
/// Depends on the order of values.
struct mixing {
  std::uint64_t value = 0, factor = 1;
  void accumulate(std::int64_t x) {
    value = value * 31 + static_cast<std::uint64_t>(x);
    factor *= 31;
  }
  void merge(const mixing& other) {
    value = value * other.factor + other.value;
    factor *= other.factor;
  }
  std::int64_t finalize() const { return static_cast<std::int64_t>(value >> 1); }
};
std::int64_t mixed(std::span<const std::int64_t> window) {
  mixing all;
  for (const auto x : window) all.accumulate(x);
  return all.finalize();
}

TEST(rolling, is_what_each_window_yields) {
  random random(121);
  for (const std::int64_t n : {0, 1, 5, 4097, up_to(30'011)}) {
    const auto rows = prices(random, n);
    std::vector<std::int64_t> values;
    for (const auto& one : rows) values.push_back(one.close);
    for (const std::int64_t length : {1, 2, 7, 1000, 4096}) {
      if (length == 1000 && n > 5000) continue;
      SCOPED_TRACE(::testing::Message() << n << " rows, windows of " << length);
      if (length < 1000 || n < 5000) {
        expect_rows(of_windows(values, length, sum_of),
                    [&](session& s) { return s.borrow(rows).rolling(length, sum(&price::close)); });
        expect_rows(of_windows(values, length, mixed), [&](session& s) {
          return s.borrow(rows).rolling(length, reduced<mixing>(&price::close));
        });
      }
    }
    expect_rows(of_windows(values, 3, greatest_of), [&](session& s) {
      return s.borrow(rows).rolling(3, count(), (max)(&price::close)).map([](const auto& both) {
        return get<1>(both);
      });
    });
    expect_rows(of_windows(values, 3, std::ssize<std::span<const std::int64_t>>),
                [&](session& s) { return s.borrow(rows).map(&price::close).rolling(3, count()); });
  }
}

TEST(rolling, of_filtered_rows_has_windows_of_these) {
  random random(122);
  const auto rows = prices(random, up_to(std::int64_t{5000}));
  std::vector<std::int64_t> values;
  for (const auto& one : rows)
    if (one.close > 0) values.push_back(one.close);
  expect_rows(of_windows(values, 10, sum_of), [&](session& s) {
    return s.borrow(rows)
        .filter([](const price& one) { return one.close > 0; })
        .rolling(10, sum(&price::close));
  });
}

TEST(rolling, of_groups_begins_anew_in_each) {
  random random(123);
  const auto rows = prices(random, up_to(std::int64_t{3000}));
  std::vector<std::int64_t> expected;
  for (std::int64_t share = 0; share <= 5; ++share) {
    std::vector<std::int64_t> values;
    for (const auto& one : rows)
      if (one.share == share) values.push_back(one.close);
    const auto sums = of_windows(values, 20, sum_of);
    expected.insert(expected.end(), sums.begin(), sums.end());
  }
  expect_rows(expected, [&](session& s) {
    return s.borrow(rows)
        .group_by(&price::share)
        .flat_map_groups([](std::int64_t, std::span<const price> of) {
          return rolling(of, 20, sum(&price::close));
        });
  });
}

TEST(rolling, refuses_windows_of_nothing) {
  session s;
  EXPECT_THAT([&] { s.range(0, 5).rolling(0, sum()); },
              ThrowsMessage<usage_error>("rolling: expected windows of 1 to 4096 rows, got 0"));
  EXPECT_THAT([&] { s.range(0, 5).rolling(4097, sum()); },
              ThrowsMessage<usage_error>("rolling: expected windows of 1 to 4096 rows, got 4097"));
}

}  // namespace
}  // namespace pappus::rolling_tests
