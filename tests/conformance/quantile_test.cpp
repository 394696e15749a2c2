// Medians and quantiles of all rows and of groups, against sorted values.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>

#include "conformance/harness.h"

namespace pappus::quantile_tests {
namespace {

using namespace testing;

using ::testing::ThrowsMessage;

constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

/// NaN comes last.
template <typename T>
double quantile_of(std::vector<T> values, double p) {
  if (values.empty()) return no_number;
  std::ranges::sort(values, [](const T& a, const T& b) {
    if constexpr (std::is_floating_point_v<T>)
      if (std::isnan(a) || std::isnan(b)) return !std::isnan(a) && std::isnan(b);
    return a < b;
  });
  const double at = p * static_cast<double>(values.size() - 1);
  const auto rank = static_cast<std::size_t>(at);
  const double fraction = at - static_cast<double>(rank);
  const auto low = static_cast<double>(values[rank]);
  if (fraction == 0) return low + 0.0;
  const auto high = static_cast<double>(values[rank + 1]);
  return low == high ? low + 0.0 : std::isnan(high) ? high : low + (high - low) * fraction;
}

constexpr std::array some{0.0, 0.25, 0.5, 0.95, 1.0};

template <typename T>
void expect_quantiles(const std::vector<T>& values) {
  std::array<double, some.size()> expected{};
  for (std::size_t i = 0; i < some.size(); ++i) expected[i] = quantile_of(values, some[i]);
  for (const auto& setting : settings()) {
    SCOPED_TRACE(setting);
    session s(setting.as_options());
    const auto rows = s.borrow(values);
    EXPECT_TRUE(same_bytes(rows.quantiles(some).get(), expected));
    EXPECT_TRUE(same_bytes(rows.median().get(), expected[2]));
    EXPECT_TRUE(same_bytes(rows.quantile(0.95).get(), expected[3]));
  }
}

template <typename T>
std::vector<T> drawn_values(random& random, std::int64_t n, std::int64_t low, std::int64_t high) {
  std::vector<T> values(static_cast<std::size_t>(n));
  for (T& x : values) x = static_cast<T>(random.between(low, high));
  return values;
}

TEST(quantile, of_all_rows_lies_between_sorted_values) {
  random random(81);
  for (const auto n : sizes()) {
    SCOPED_TRACE(::testing::Message() << n << " rows");
    expect_quantiles(drawn_values<std::int32_t>(random, n, -1000, 1000));
    expect_quantiles(random.reals(n, -5, 1e6));
  }
}

TEST(quantile, takes_numbers_of_any_type) {
  random random(82);
  const std::int64_t n = up_to(5001);
  expect_quantiles(drawn_values<std::int8_t>(random, n, -128, 127));
  expect_quantiles(drawn_values<std::uint16_t>(random, n, 0, 65535));
  expect_quantiles(drawn_values<std::uint64_t>(random, n, 0, INT64_MAX));
  expect_quantiles(drawn_values<std::int64_t>(random, n, INT64_MIN, INT64_MAX));
  expect_quantiles(drawn_values<float>(random, n, -30, 30));
}

/// Shapes for which a sample tells little: most rows are equal, or one is far from the others.
TEST(quantile, of_skewed_rows_is_exact) {
  random random(83);
  const std::int64_t n = up_to(300'001);
  auto values = random.reals(n, 0, 1);
  for (auto& x : values) x = x < 0.7 ? 3 : x < 0.9 ? 4 : x;
  expect_quantiles(values);
  for (std::size_t i = 0; i < values.size(); ++i)  // of each 32 rows one is small, which recurs
    values[i] = i % 32 == 0 ? 0 : 1e9 + static_cast<double>(i);
  expect_quantiles(values);
  values.assign(values.size(), 7);
  values[values.size() / 2] = 1e300;
  expect_quantiles(values);
}

TEST(quantile, counts_not_a_number_as_the_greatest) {
  random random(84);
  for (const std::int64_t n : {1, 2, 20, 4097}) {
    auto values = random.reals(n, -1, 1);
    for (auto& x : values)
      x = x < -0.9 ? no_number : x < -0.5 ? -0.0 : x < 0 ? 0.0 : x > 0.99 ? HUGE_VAL : x;
    std::array<double, some.size()> expected{};
    for (std::size_t i = 0; i < some.size(); ++i) expected[i] = quantile_of(values, some[i]);
    session s;
    const auto got = s.borrow(values).quantiles(some).get();
    for (std::size_t i = 0; i < some.size(); ++i)
      EXPECT_TRUE(got[i] == expected[i] || (std::isnan(got[i]) && std::isnan(expected[i])))
          << n << " rows, " << some[i] << ": " << got[i] << " instead of " << expected[i];
  }
}

TEST(quantile, between_infinities_is_infinite_unless_both_count) {
  session s;
  EXPECT_EQ(s.from({-HUGE_VAL, 5.0}).median().get(), -HUGE_VAL);
  EXPECT_EQ(s.from({5.0, HUGE_VAL}).median().get(), HUGE_VAL);
  EXPECT_EQ(s.from({HUGE_VAL, HUGE_VAL}).median().get(), HUGE_VAL);
  EXPECT_TRUE(std::isnan(s.from({-HUGE_VAL, HUGE_VAL}).median().get()));
  EXPECT_EQ(s.from({-1.5e308, 1.5e308}).median().get(), 0);
}

struct seen {
  std::int64_t key;
  double value;
  std::int64_t other;
};
std::vector<seen> seen_rows(random& random, std::int64_t n, std::int64_t keys) {
  std::vector<seen> rows(static_cast<std::size_t>(n));
  for (auto& [key, value, other] : rows) {
    key = random.between(0, random.between(0, keys - 1));  // smaller ones are more frequent
    value = static_cast<double>(random.between(-400, 400)) / 8;
    other = random.between(-1000, 1000);
  }
  return rows;
}

template <typename Value>
auto by_key(const std::vector<seen>& rows, Value value, double p) {
  std::map<std::int64_t, std::vector<decltype(value(rows[0]))>> groups;
  for (const auto& one : rows) groups[one.key].push_back(value(one));
  std::vector<keyed<std::int64_t, double>> made;
  for (const auto& [key, values] : groups) made.push_back({key, quantile_of(values, p)});
  return made;
}
double value_of(const seen& one) { return one.value; }
std::int64_t other_of(const seen& one) { return one.other; }
bool is_kept(const seen& one) { return one.other % 3 != 0; }

TEST(quantile, of_groups_lies_between_sorted_values) {
  random random(85);
  for (const std::int64_t keys : {1, 7, 3000})
    for (const auto n :
         {std::int64_t{0}, std::int64_t{1}, std::int64_t{4097}, up_to(std::int64_t{65'537})}) {
      SCOPED_TRACE(::testing::Message() << n << " rows, " << keys << " keys");
      const auto rows = seen_rows(random, n, keys);
      expect_rows(by_key(rows, value_of, 0.5), [&](session& s) {
        return s.borrow(rows).group_by(&seen::key).median(&seen::value);
      });
      expect_rows(by_key(rows, other_of, 0.95), [&](session& s) {
        return s.borrow(rows).group_by(&seen::key).quantile(0.95, &seen::other);
      });
      std::vector<seen> kept;
      std::ranges::copy_if(rows, std::back_inserter(kept), is_kept);
      expect_rows(by_key(kept, value_of, 0.25), [&](session& s) {
        return s.borrow(rows).filter(is_kept).group_by(&seen::key).quantile(0.25, &seen::value);
      });
    }
}

TEST(quantile, of_groups_yields_several) {
  random random(86);
  const auto rows = seen_rows(random, up_to(std::int64_t{20'000}), 40);
  session s;
  const auto got = s.borrow(rows).group_by(&seen::key).quantiles(some, &seen::value).collect();
  for (std::size_t i = 0; i < some.size(); ++i) {
    const auto expected = by_key(rows, value_of, some[i]);
    ASSERT_EQ(got.size(), expected.size());
    for (std::size_t g = 0; g < expected.size(); ++g) {
      EXPECT_EQ(got[g].key, expected[g].key);
      EXPECT_EQ(got[g].value[i], expected[g].value);
    }
  }
}

TEST(quantile, of_groups_has_keys_of_every_kind) {
  random random(87);
  const auto rows = seen_rows(random, up_to(std::int64_t{5000}), 6);
  static const std::array<std::string_view, 6> names{"a", "bb", "a name of many letters",
                                                     "c", "d",  "e"};
  const auto name = [](const seen& one) { return names[static_cast<std::size_t>(one.key)]; };
  std::map<std::string_view, double> expected;
  for (const auto& [key, value] : by_key(rows, value_of, 0.5))
    expected[names[static_cast<std::size_t>(key)]] = value;
  session s;
  const auto all = s.borrow(rows);
  std::map<std::string_view, double> got, kept;
  for (const auto& [key, value] : all.group_by(name).median(&seen::value).collect())
    got[key] = value;
  EXPECT_EQ(got, expected);
  for (const auto& [key, value] :
       all.filter([](const seen&) { return true; }).group_by(name).median(&seen::value).collect())
    kept[key] = value;
  EXPECT_EQ(kept, expected);
  const auto both = all.group_by(&seen::key, name).median(&seen::value).collect();
  EXPECT_EQ(both.size(), expected.size());
  for (const auto& [key, value] : both) EXPECT_EQ(value, expected[get<1>(key)]);
}

TEST(quantile, of_a_domains_groups_without_rows_is_not_a_number) {
  const std::vector<seen> rows{{1, 2, 0}, {1, 4, 0}, {3, 9, 0}};
  expect_rows(
      std::vector<keyed<std::int64_t, double>>{
          {0, no_number}, {1, 3}, {2, no_number}, {3, 9}, {4, no_number}},
      [&](session& s) {
        return s.borrow(rows).group_by(&seen::key, domain{5}).median(&seen::value);
      });
  expect_rows(std::vector<keyed<std::int64_t, double>>{{0, no_number}, {1, 2}, {2, no_number}},
              [&](session& s) {
                return s.borrow(rows)
                    .filter([](const seen& one) { return one.value < 4; })
                    .group_by(&seen::key, domain{3})
                    .median(&seen::value);
              });
}

TEST(quantile, refuses_what_is_no_part) {
  session s;
  const auto rows = s.from({1.0, 2.0});
  EXPECT_THAT([&] { rows.quantile(1.5); },
              ThrowsMessage<usage_error>("quantile: expected p from 0 to 1, got 1.5"));
  EXPECT_THAT([&] { rows.quantile(95); },
              ThrowsMessage<usage_error>("quantile: expected p from 0 to 1, got 95"));
  EXPECT_THAT([&] { rows.quantiles(std::array{0.5, no_number}); },
              ThrowsMessage<usage_error>("quantiles: expected p from 0 to 1, got nan"));
  EXPECT_THAT([&] { rows.group_by([](double x) { return int(x); }).quantile(-0.1); },
              ThrowsMessage<usage_error>("quantile: expected p from 0 to 1, got -0.1"));
}

TEST(quantile, passes_on_what_projections_throw) {
  session s;
  const auto rows = s.range(0, 10'000);
  const auto refuses = [](int x) {
    if (x == 7777) throw std::runtime_error("7777");
    return x;
  };
  EXPECT_THAT([&] { rows.median(refuses).get(); },
              ThrowsMessage<std::runtime_error>(::testing::HasSubstr("7777")));
  EXPECT_THAT([&] { rows.group_by([](int x) { return x % 3; }).median(refuses).collect(); },
              ThrowsMessage<std::runtime_error>(::testing::HasSubstr("7777")));
}

TEST(map_groups, calls_its_function_with_what_a_projection_makes) {
  random random(88);
  for (const auto n : {std::int64_t{0}, std::int64_t{1}, up_to(std::int64_t{20'000})}) {
    const auto rows = seen_rows(random, n, 50);
    std::map<std::int64_t, std::uint64_t> mixed;
    const auto mix = [](std::uint64_t so_far, std::int64_t x) {
      return so_far * 31 + static_cast<std::uint64_t>(x);
    };
    for (const auto& one : rows)
      if (is_kept(one)) mixed[one.key] = mix(mixed[one.key], one.other);
    std::vector<keyed<std::int64_t, std::uint64_t>> expected;
    for (const auto& [key, of] : mixed) expected.push_back({key, of});
    const auto f = [mix](std::int64_t key, std::span<const std::int64_t> others) {
      std::uint64_t all = 0;
      for (const auto x : others) all = mix(all, x);
      return keyed<std::int64_t, std::uint64_t>{key, all};
    };
    expect_rows(expected, [&](session& s) {
      return s.borrow(rows).filter(is_kept).group_by(&seen::key).map_groups(f, &seen::other);
    });
    expect_rows(expected, [&](session& s) {
      return s.borrow(rows)
          .filter(is_kept)
          .materialise()
          .group_by(&seen::key)
          .map_groups(f, &seen::other);
    });
  }
}

}  // namespace
}  // namespace pappus::quantile_tests
