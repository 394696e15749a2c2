#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "conformance/harness.h"

namespace pappus::testing {
namespace {

std::int32_t wrapping_sum(std::int32_t a, std::int32_t b) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) + static_cast<std::uint32_t>(b));
}

TEST(inclusive_scan, sums_32_bit_integers_and_wraps) {
  random numbers(31);
  for (const auto n : sizes(tile_and_more<int>)) {
    SCOPED_TRACE(n);
    const auto values =
        numbers.ints(n, std::numeric_limits<int>::min(), std::numeric_limits<int>::max());
    std::vector<int> expected(values.size());
    std::inclusive_scan(values.begin(), values.end(), expected.begin(), wrapping_sum);
    expect_rows(expected, [&](session& s) {
      return s.from(values).inclusive_scan(std::plus<std::int32_t>{});
    });
  }
}

TEST(inclusive_scan, widens_integers_as_sum_does) {
  random numbers(32);
  for (const auto n : sizes(tile_and_more<std::int64_t>)) {
    SCOPED_TRACE(n);
    const auto values = numbers.ints(n, -2'000'000'000, 2'000'000'000);
    std::vector<std::int64_t> expected;
    std::int64_t total = 0;
    for (const int value : values) expected.push_back(total += value);
    expect_rows(expected, [&](session& s) { return s.from(values).inclusive_scan(); });
  }
}

TEST(inclusive_scan, narrows_where_the_operator_does) {
  random numbers(37);
  std::vector<std::int64_t> values;
  for (int i = 0; i < up_to(70'000, tile_and_more<std::uint32_t>); ++i)
    values.push_back(numbers.between(INT64_MIN, INT64_MAX));
  std::vector<std::uint32_t> expected;
  std::uint32_t total = 3;
  for (const std::int64_t value : values) {
    expected.push_back(total);
    total += static_cast<std::uint32_t>(value);
  }
  expect_rows(expected, [&](session& s) {
    return s.from(values).exclusive_scan(std::uint32_t{3}, std::plus<std::uint32_t>{});
  });
}

TEST(inclusive_scan, sums_64_bit_integers_past_their_range) {
  const std::vector<std::uint64_t> values(up_to(5000u), UINT64_MAX / 3);
  std::vector<std::uint64_t> expected(values.size());
  std::inclusive_scan(values.begin(), values.end(), expected.begin());
  expect_rows(expected, [&](session& s) { return s.from(values).inclusive_scan(); });
}

TEST(inclusive_scan, writes_large_results_past_the_caches) {
  constexpr int n = 5'000'011;  // 20 MB
  std::vector<int> values(n), expected(n);
  for (int i = 0; i < n; ++i) values[static_cast<std::size_t>(i)] = i % 1009 - 504;
  std::partial_sum(values.begin(), values.end(), expected.begin());
  for (const setting& chosen : {setting{1, 0}, setting{3, 4097}}) {
    session s(options{.threads = chosen.threads, .chunk_rows = chosen.chunk_rows});
    const auto data = s.borrow(values);
    EXPECT_TRUE(same_rows(data.inclusive_scan(std::plus<int>{}).collect().to_vector(), expected));
    EXPECT_TRUE(same_rows(data.exclusive_scan(0, std::plus<int>{}).skip(1).collect().to_vector(),
                          {expected.begin(), expected.end() - 1}));
    const auto least = data.inclusive_scan([](int a, int b) { return a < b ? a : b; }).collect();
    EXPECT_EQ(least.back(), *std::min_element(values.begin(), values.end()));
    EXPECT_TRUE(std::is_sorted(least.begin(), least.end(), std::greater<>()));
  }
}

TEST(inclusive_scan, adds_floats_in_an_order_of_its_own) {
  random numbers(33);
  const auto values = numbers.reals(up_to(200'003, tile_and_more<double>), -1e6, 1e6);
  std::vector<double> got;
  {
    session s(options{.threads = 1});
    got = s.from(values).inclusive_scan().collect().to_vector();
  }
  double total = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    total += values[i];
    ASSERT_NEAR(got[i], total, 1e-3) << "row " << i;
  }
  expect_rows(
      got, [&](session& s) { return s.from(values).inclusive_scan(); }, result_is::float_sum);
}

TEST(inclusive_scan, lets_the_operator_decide_about_nan_and_zeros) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> values{-0.0, -0.0, 1, nan, 2};
  session s(options{.threads = 2});
  const auto got = s.from(values).inclusive_scan().collect();
  EXPECT_TRUE(std::signbit(got[0]));
  EXPECT_TRUE(std::signbit(got[1]));
  EXPECT_EQ(got[2], 1);
  EXPECT_TRUE(std::isnan(got[3]));
  EXPECT_TRUE(std::isnan(got[4]));
}

struct affine {  // x -> scale x + shift, modulo 2^64: associative, not commutative
  std::uint64_t scale, shift;
};
affine compose(affine f, affine g) { return {f.scale * g.scale, f.shift * g.scale + g.shift}; }

TEST(inclusive_scan, takes_any_associative_operator_over_any_record) {
  random numbers(34);
  for (const auto n : sizes(tile_and_more<affine>)) {
    SCOPED_TRACE(n);
    std::vector<affine> values;
    for (std::int64_t i = 0; i < n; ++i)
      values.push_back({static_cast<std::uint64_t>(numbers.between(0, INT64_MAX)),
                        static_cast<std::uint64_t>(numbers.between(0, INT64_MAX))});
    std::vector<affine> expected(values.size());
    std::inclusive_scan(values.begin(), values.end(), expected.begin(), compose);
    expect_rows(expected, [&](session& s) { return s.from(values).inclusive_scan(fn<compose>); });
  }
}

TEST(inclusive_scan, fuses_with_what_comes_before) {
  random numbers(35);
  const auto values = numbers.ints(up_to(100'000, tile_and_more<int>), -1000, 1000);
  std::vector<int> mapped, filtered;
  int all = 0, some = 0;
  for (const int value : values) {
    mapped.push_back(all += value * 3);
    if (value % 3 == 0) filtered.push_back(some += value);
  }
  expect_rows(mapped, [&](session& s) {
    return s.from(values).map([](int x) { return x * 3; }).inclusive_scan(std::plus<>{});
  });
  expect_rows(filtered, [&](session& s) {
    return s.from(values).filter([](int x) { return x % 3 == 0; }).inclusive_scan(std::plus<int>{});
  });
}

TEST(exclusive_scan, starts_with_its_initial_value) {
  random numbers(36);
  for (const auto n : sizes(tile_and_more<int>)) {
    SCOPED_TRACE(n);
    const auto values = numbers.ints(n, -1000, 1000);
    std::vector<int> sums(values.size());
    std::exclusive_scan(values.begin(), values.end(), sums.begin(), 100);
    expect_rows(sums,
                [&](session& s) { return s.from(values).exclusive_scan(100, std::plus<>{}); });
    std::vector<std::int64_t> greatest(values.size());
    const auto max = [](std::int64_t a, std::int64_t b) { return a < b ? b : a; };
    std::exclusive_scan(values.begin(), values.end(), greatest.begin(), std::int64_t{-1}, max);
    expect_rows(greatest,
                [&](session& s) { return s.from(values).exclusive_scan(std::int64_t{-1}, max); });
  }
}

TEST(scan, passes_on_what_the_operator_throws) {
  for (const unsigned threads : {1u, 2u, 8u}) {
    session s(options{.threads = threads});
    const auto query = s.range(0, 1'000'000).inclusive_scan([](int a, int b) {
      if (b == 500'000) throw std::runtime_error("no such number");
      return a < b ? b : a;
    });
    EXPECT_THROW((void)query.collect(), std::runtime_error);
    const auto mapped = s.range(0, 1'000'000)
                            .map([](int x) {
                              if (x == 500'000) throw std::runtime_error("no such number");
                              return x;
                            })
                            .inclusive_scan();
    EXPECT_THROW((void)mapped.collect(), std::runtime_error);
  }
}

TEST(scan, stops_when_it_is_cancelled) {
  session s(options{.threads = 4});
  const auto query = s.range(std::int64_t{0}, 100'000'000).map([&s](std::int64_t x) {
    if (x == 200'000) s.cancel();
    return x;
  });
  EXPECT_THROW((void)query.inclusive_scan().collect(), cancelled);
  const std::int64_t sum = s.range(0, 10).inclusive_scan().skip(9).sum();
  EXPECT_EQ(sum, 45);
}

}  // namespace
}  // namespace pappus::testing
