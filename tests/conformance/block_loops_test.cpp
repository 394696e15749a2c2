// What the vectorised forms of loops must not change: the first of equal extremes, filtered records
// of every size, results too large for the caches.
#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <vector>

#include "conformance/harness.h"
#include "conformance/no_numbers.h"

namespace pappus::testing {
namespace {

template <typename T>
T first_extreme(const std::vector<T>& values, bool greatest) {
  T best = values.front();
  for (const T& x : values)
    if (greatest ? reducers::orders_before(best, x) : reducers::orders_before(x, best)) best = x;
  return best;
}

template <typename T>
PAPPUS_UNHURRIED void expect_extremes(const std::vector<T>& values) {
  for (const bool fused : {false, true}) {
    const auto query = [&](session& s) { return s.from(values); };
    const auto mapped = [&](session& s) { return s.from(values).map([](T x) { return x; }); };
    expect_value(first_extreme(values, false),
                 [&](session& s) { return fused ? mapped(s).min().get() : query(s).min().get(); });
    expect_value(first_extreme(values, true),
                 [&](session& s) { return fused ? mapped(s).max().get() : query(s).max().get(); });
  }
}

TEST(extremes, are_the_first_of_equal_values_to_the_bit) {
  random numbers(41);
  const double other_nan = std::bit_cast<double>(0xfff8'0000'0000'0007);
  const std::array<double, 6> rare{-0.0, 0.0, nan, other_nan, infinity, -infinity};
  for (const int kinds : {2, 3, 4, 6}) {
    for (const std::size_t n : {1u, 2u, 17u, up_to(4097u), up_to(70'001u)}) {
      SCOPED_TRACE(::testing::Message() << kinds << " kinds, " << n << " rows");
      std::vector<double> values(n);
      for (double& value : values)
        value = rare[static_cast<std::size_t>(numbers.between(0, kinds - 1))];
      expect_extremes(values);
      for (double& value : values)
        if (value == 0) value *= static_cast<double>(numbers.between(0, 1));
      expect_extremes(values);
    }
  }
}

TEST(extremes, know_the_ends_of_every_integer) {
  random numbers(42);
  std::vector<std::int64_t> wide;
  std::vector<std::uint8_t> narrow;
  std::vector<float> floats;
  for (int i = 0; i < up_to(10'000); ++i) {
    wide.push_back(numbers.between(INT64_MIN, INT64_MAX));
    narrow.push_back(static_cast<std::uint8_t>(numbers.between(3, 250)));
    floats.push_back(static_cast<float>(numbers.real(-1e30, 1e30)));
  }
  wide[wide.size() / 10 * 7] = INT64_MIN;
  wide[wide.size() / 10 * 7 + 1] = INT64_MAX;
  expect_extremes(wide);
  expect_extremes(narrow);
  expect_extremes(floats);
  expect_extremes(std::vector<std::int32_t>(5000, INT32_MIN));
  expect_extremes(std::vector<std::int32_t>(5000, INT32_MAX));
}

template <typename T, typename Make>
PAPPUS_UNHURRIED void expect_filtered(Make make) {
  random numbers(43);
  for (const auto n : sizes()) {
    SCOPED_TRACE(n);
    std::vector<T> values, expected;
    for (std::int64_t i = 0; i < n; ++i) values.push_back(make(numbers.between(0, 1000)));
    const auto keep = [](const T& x) { return reinterpret_cast<const std::uint8_t&>(x) % 3 == 0; };
    std::copy_if(values.begin(), values.end(), std::back_inserter(expected), keep);
    session s(options{.threads = 2});
    EXPECT_TRUE(same_rows(s.from(values).filter(keep).collect().to_vector(), expected));
  }
}

struct no_default {
  std::int64_t value;
  explicit no_default(std::int64_t x) : value(x) {}
};

TEST(filter, keeps_records_of_every_size_in_order) {
  expect_filtered<std::uint8_t>([](std::int64_t i) { return static_cast<std::uint8_t>(i); });
  expect_filtered<std::int16_t>([](std::int64_t i) { return static_cast<std::int16_t>(i); });
  expect_filtered<std::int32_t>([](std::int64_t i) { return static_cast<std::int32_t>(i); });
  expect_filtered<double>([](std::int64_t i) { return std::bit_cast<double>(i); });
  expect_filtered<std::array<int, 3>>([](std::int64_t i) {
    const int x = static_cast<int>(i);
    return std::array{x, -x, x + 1};
  });
  expect_filtered<std::array<std::int64_t, 5>>(
      [](std::int64_t i) { return std::array<std::int64_t, 5>{i, i, i, i, -i}; });
  expect_filtered<no_default>([](std::int64_t i) { return no_default(i); });
}

TEST(collect, writes_large_results_of_any_record_size) {
  constexpr int n = 5'000'011;
  for (const setting& chosen : {setting{1, 0}, setting{3, 4097}}) {
    session s(options{.threads = chosen.threads, .chunk_rows = chosen.chunk_rows});
    const auto doubled = s.range(0, n).map([](int i) { return 2 * i; }).collect();
    const auto triples = s.range(0, n).map([](int i) { return std::array{i, 1, -i}; }).collect();
    bool same = true;
    for (int i = 0; i < n; ++i) {
      same &= doubled[static_cast<std::size_t>(i)] == 2 * i;
      same &= triples[static_cast<std::size_t>(i)] == std::array{i, 1, -i};
    }
    EXPECT_TRUE(same);
  }
}

}  // namespace
}  // namespace pappus::testing
