#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/harness.h"
#include "conformance/no_numbers.h"
#include "conformance/sorted_records.h"

namespace pappus::testing::sorted {
namespace {

TEST(sort, orders_integers_of_every_size) {
  random numbers(11);
  for (const auto n : sizes()) {
    SCOPED_TRACE(n);
    auto values = numbers.ints(n, std::numeric_limits<int>::min(), std::numeric_limits<int>::max());
    if (n > 3) {
      values[0] = std::numeric_limits<int>::max();
      values[1] = values[2] = std::numeric_limits<int>::min();
    }
    auto expected = values;
    std::sort(expected.begin(), expected.end());
    expect_rows(expected, [&](session& s) { return s.from(values).sort(); });
  }
}

template <typename T>
PAPPUS_UNHURRIED void expect_sorted_both_ways(std::uint64_t seed) {
  random numbers(seed);
  std::vector<T> values;
  for (int i = 0; i < 20'000; ++i) values.push_back(static_cast<T>(numbers.between(-300, 1 << 20)));
  auto expected = values;
  std::sort(expected.begin(), expected.end());
  session s(options{.threads = 2});
  EXPECT_TRUE(same_rows(s.from(values).sort().collect().to_vector(), expected));
  std::sort(expected.begin(), expected.end(), std::greater<>());
  const auto whole = [](T value) { return value; };
  EXPECT_TRUE(same_rows(s.from(values).sort_by(descending(whole)).collect().to_vector(), expected));
}

TEST(sort, knows_integers_of_every_width) {
  expect_sorted_both_ways<std::int8_t>(1);
  expect_sorted_both_ways<std::uint8_t>(2);
  expect_sorted_both_ways<std::int16_t>(3);
  expect_sorted_both_ways<std::uint32_t>(4);
  expect_sorted_both_ways<std::int64_t>(5);
  expect_sorted_both_ways<std::uint64_t>(6);
}

TEST(sort, puts_nan_last_and_keeps_zeros_and_nan_bits_as_they_came) {
  const double other_nan = std::bit_cast<double>(0xfff8'0000'0000'0007);
  const std::vector<double> values{nan, 1,    -0.0,   infinity, other_nan, 0.0, -infinity,
                                   nan, -0.0, 5e-324, -5e-324,  1.7e308,   0.0, other_nan};
  auto expected = values;
  std::stable_sort(expected.begin(), expected.end(), number_before<double>);
  expect_rows(expected, [&](session& s) { return s.from(values).sort(); });
  auto down = values;
  std::stable_sort(down.begin(), down.end(),
                   [](double a, double b) { return number_before(b, a); });
  expect_rows(down, [&](session& s) {
    return s.from(values).sort_by(descending([](double x) { return x; }));
  });
}

TEST(sort_by, keeps_rows_with_equal_keys_in_their_order) {
  random numbers(12);
  for (const auto n : sizes()) {
    SCOPED_TRACE(n);
    const auto rows = some_readings(numbers, n);
    auto expected = rows;
    std::stable_sort(expected.begin(), expected.end(),
                     [](const moved_reading& a, const moved_reading& b) {
                       return number_before(a.value, b.value);
                     });
    expect_rows(expected, [&](session& s) { return s.from(rows).sort_by(&moved_reading::value); });
  }
}

TEST(sort_by, mixes_directions_of_several_keys) {
  random numbers(13);
  const auto rows = some_readings(numbers, up_to(50'000));
  auto expected = rows;
  std::stable_sort(expected.begin(), expected.end(),
                   [](const moved_reading& a, const moved_reading& b) {
                     if (a.sensor != b.sensor) return a.sensor > b.sensor;
                     if (number_before(a.value, b.value)) return true;
                     if (number_before(b.value, a.value)) return false;
                     return a.row % 7 > b.row % 7;
                   });
  expect_rows(expected, [&](session& s) {
    return s.from(rows).sort_by(descending(&moved_reading::sensor),
                                ascending(&moved_reading::value),
                                descending([](const moved_reading& r) { return r.row % 7; }));
  });
}

TEST(sort_by, gathers_large_records) {
  random numbers(14);
  for (const auto n : {0, 1, up_to(4097), up_to(60'000)}) {
    const auto rows = some_wide_records(numbers, n);
    auto expected = rows;
    std::stable_sort(expected.begin(), expected.end(),
                     [](const long_record& x, const long_record& y) { return x.key < y.key; });
    expect_rows(expected, [&](session& s) { return s.from(rows).sort_by(&long_record::key); });
  }
}

TEST(sort_by, takes_more_keys_than_fit_sixteen_bytes) {
  random numbers(15);
  const auto rows = some_wide_records(numbers, up_to(30'000));
  auto expected = rows;
  std::stable_sort(expected.begin(), expected.end(),
                   [](const long_record& x, const long_record& y) {
                     if (x.a != y.a) return x.a > y.a;
                     if (x.key != y.key) return x.key < y.key;
                     return x.b > y.b;
                   });
  expect_rows(expected, [&](session& s) {
    return s.from(rows).sort_by(descending(&long_record::a), &long_record::key,
                                descending(&long_record::b));
  });
}

TEST(sort_by, orders_strings_by_bytes_and_keeps_ties) {
  random numbers(16);
  for (const auto n : sizes()) {
    SCOPED_TRACE(n);
    const auto names = some_names(numbers, n);
    const auto rows = rows_of(names);
    auto up = rows, down = rows;
    std::stable_sort(up.begin(), up.end(),
                     [](const named& a, const named& b) { return a.name < b.name; });
    std::stable_sort(down.begin(), down.end(),
                     [](const named& a, const named& b) { return a.name > b.name; });
    expect_rows(up, [&](session& s) { return s.from(rows).sort_by(&named::name); });
    session s(options{.threads = 3});
    EXPECT_TRUE(
        same_rows(s.from(rows).sort_by(descending(&named::name)).collect().to_vector(), down));
  }
}

TEST(sort_by, orders_strings_that_share_long_beginnings) {
  random numbers(17);
  std::vector<std::string> names;
  for (int i = 0; i < 20'000; ++i)
    names.push_back(std::string(200, 'x') + std::to_string(numbers.between(0, 50)) +
                    std::string(40, 'y') + std::to_string(numbers.between(0, 50)));
  const auto rows = rows_of(names);
  auto expected = rows;
  std::stable_sort(expected.begin(), expected.end(),
                   [](const named& a, const named& b) { return a.name < b.name; });
  expect_rows(expected, [&](session& s) { return s.from(rows).sort_by(&named::name); });
}

TEST(sort_by, mixes_strings_and_numbers) {
  random numbers(18);
  const auto names = some_names(numbers, 30'000);
  const auto rows = rows_of(names);
  auto expected = rows;
  std::stable_sort(expected.begin(), expected.end(), [](const named& a, const named& b) {
    if (a.group != b.group) return a.group < b.group;
    if (a.name != b.name) return a.name > b.name;
    return a.row > b.row;
  });
  expect_rows(expected, [&](session& s) {
    return s.from(rows).sort_by(&named::group, descending(&named::name), descending(&named::row));
  });
}

TEST(sort_by, sorts_what_fused_operators_yield) {
  random numbers(19);
  const auto values = numbers.ints(up_to(100'000), -1000, 1000);
  std::vector<std::int64_t> expected;
  for (const int value : values)
    if (value % 3 != 0) expected.push_back(value * 2LL);
  std::stable_sort(expected.begin(), expected.end(),
                   [](std::int64_t a, std::int64_t b) { return std::abs(a) < std::abs(b); });
  expect_rows(expected, [&](session& s) {
    return s.from(values)
        .map([](int x) { return x * 2LL; })
        .filter([](long long x) { return x % 3 != 0; })
        .map([](long long x) { return std::int64_t{x}; })
        .sort_by([](std::int64_t x) { return x < 0 ? -x : x; });
  });
  std::vector<std::int32_t> odd_sizes;
  for (int i = 10; i-- > 0;) odd_sizes.push_back(i);
  auto sorted = odd_sizes;
  std::sort(sorted.begin(), sorted.end());
  expect_rows(sorted,
              [](session& s) { return s.range(0, 10).map([](int i) { return 9 - i; }).sort(); });
}

struct triple {
  int a, b, c;
};

TEST(sort_by, moves_records_of_odd_sizes) {
  random numbers(20);
  std::vector<triple> rows;
  const auto n = up_to(10'000);
  for (int i = 0; i < n; ++i) rows.push_back({static_cast<int>(numbers.between(0, 9)), i, -i});
  auto expected = rows;
  std::stable_sort(expected.begin(), expected.end(),
                   [](const triple& x, const triple& y) { return x.a < y.a; });
  expect_rows(expected, [&](session& s) { return s.from(rows).sort_by(&triple::a); });
}

TEST(sort_by, passes_on_what_a_key_throws) {
  session s(options{.threads = 2});
  const auto query = s.range(0, 100'000).map([](int i) { return i * 0.5; }).sort_by([](double x) {
    if (x == 40'000) throw std::runtime_error("no such key");
    return x;
  });
  EXPECT_THROW((void)query.collect(), std::runtime_error);
}

TEST(top, is_the_beginning_of_a_descending_sort) {
  random numbers(21);
  for (const auto n : sizes()) {
    SCOPED_TRACE(n);
    const auto rows = some_readings(numbers, n);
    auto sorted = rows;
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const moved_reading& a, const moved_reading& b) {
                       return number_before(b.value, a.value);
                     });
    for (const std::int64_t wanted : {std::int64_t{1}, std::int64_t{10}, std::int64_t{5000}}) {
      auto expected = sorted;
      expected.resize(static_cast<std::size_t>(std::min(wanted, n)));
      expect_rows(expected,
                  [&](session& s) { return s.from(rows).top(wanted, &moved_reading::value); });
    }
  }
}

TEST(top, finds_the_greatest_wherever_they_are) {
  random numbers(22);
  const auto values = numbers.reals(up_to(200'003), -1e9, 1e9);
  auto expected = values;
  std::sort(expected.begin(), expected.end(), std::greater<>());
  expected.resize(100);
  expect_rows(expected, [&](session& s) { return s.from(values).top(100); });
  auto least = values;
  std::sort(least.begin(), least.end());
  least.resize(7);
  expect_rows(least, [&](session& s) { return s.from(values).bottom(7); });
}

TEST(top, takes_none_all_and_very_many) {
  random numbers(23);
  const auto values = numbers.ints(100'000, -50, 50);
  auto expected = values;
  std::sort(expected.begin(), expected.end(), std::greater<>());
  session s(options{.threads = 2});
  const auto data = s.from(values);
  EXPECT_EQ(data.top(0).collect().size(), 0u);
  EXPECT_EQ(data.top(-5).collect().size(), 0u);
  EXPECT_TRUE(same_rows(data.top(1'000'000).collect().to_vector(), expected));
  expected.resize(70'000);
  EXPECT_TRUE(same_rows(data.top(70'000).collect().to_vector(), expected));
  expected.resize(60'000);
  EXPECT_TRUE(same_rows(data.top(60'000).collect().to_vector(), expected));
}

TEST(top, sees_through_filters_and_flat_maps) {
  random numbers(24);
  const auto values = numbers.ints(up_to(50'000), -10'000, 10'000);
  std::vector<int> kept, doubled;
  for (const int value : values) {
    if (value % 2 == 0) kept.push_back(value);
    doubled.insert(doubled.end(), {value, value + 1});
  }
  for (auto* list : {&kept, &doubled}) {
    std::stable_sort(list->begin(), list->end());
    list->resize(20);
  }
  expect_rows(kept, [&](session& s) {
    return s.from(values).filter([](int x) { return x % 2 == 0; }).bottom(20);
  });
  expect_rows(doubled, [&](session& s) {
    return s.from(values).flat_map([](int x) { return std::array{x, x + 1}; }).bottom(20);
  });
}

TEST(top, orders_by_strings) {
  random numbers(25);
  const auto names = some_names(numbers, 20'000);
  const auto rows = rows_of(names);
  auto expected = rows;
  std::stable_sort(expected.begin(), expected.end(),
                   [](const named& a, const named& b) { return a.name > b.name; });
  expected.resize(50);
  expect_rows(expected, [&](session& s) { return s.from(rows).top(50, &named::name); });
}

}  // namespace
}  // namespace pappus::testing::sorted
