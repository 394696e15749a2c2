// approx_count_distinct: near the count, and the same everywhere.
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

namespace pappus::approximate_tests {
namespace {

using namespace testing;

template <typename T>
std::int64_t estimate(const std::vector<T>& values) {
  reducers::approx_count_distinct<T> all;
  for (const T& value : values) all.accumulate(value);
  return all.finalize();
}

/// Relative errors for counts of different numbers, of several kinds, no two of which share any.
std::vector<double> errors(std::int64_t count, std::uint64_t first) {
  std::vector<double> made;
  for (const std::uint64_t step : {1u, 2u, 1000u, 4096u, 1'000'003u, 0x9e3779b9u}) {
    first += 1u << 30;
    std::vector<std::uint64_t> integers;
    std::vector<double> floats;
    for (std::int64_t i = 0; i < count; ++i) {
      integers.push_back(first + static_cast<std::uint64_t>(i) * step);
      floats.push_back(static_cast<double>(integers.back()) / 7);
    }
    for (const auto got : {estimate(integers), estimate(floats)})
      made.push_back(static_cast<double>(got) / static_cast<double>(count) - 1);
  }
  return made;
}

TEST(approx_count_distinct, has_the_error_that_it_states) {
  double squares = 0, worst = 0;
  std::size_t n = 0;
  for (std::uint64_t first = 0; first < 10; ++first)
    for (const double error : errors(20'000, first << 40)) {
      squares += error * error;
      worst = std::max(worst, std::abs(error));
      ++n;
    }
  EXPECT_NEAR(std::sqrt(squares / static_cast<double>(n)), 0.023, 0.004);  // of 120
  EXPECT_LT(worst, 4 * 0.023);
}

TEST(approx_count_distinct, of_few_is_nearer) {
  for (const std::int64_t count : {1, 2, 3, 10, 30})
    for (const double error : errors(count, 0))
      EXPECT_LE(std::abs(error) * static_cast<double>(count), count <= 10 ? 1.001 : 3) << count;
  EXPECT_EQ(estimate(std::vector<int>{}), 0);
  EXPECT_EQ(estimate(std::vector<int>(1000, 7)), 1);
}

TEST(approx_count_distinct, has_equal_keys_once) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(estimate(std::vector{0.0, -0.0, nan, -nan, 1.0}), 3);
  const std::string same = "ab";  // elsewhere in memory
  EXPECT_EQ(estimate(std::vector<std::string_view>{"", "a", "ab", "b", same}), 4);
}

struct place {
  std::string_view name;
  std::int32_t number;
};

TEST(approx_count_distinct, looks_at_all_of_a_key) {
  std::vector<std::string> names;
  for (int i = 0; i < 3000; ++i) names.push_back("a street of a long name, " + std::to_string(i));
  std::vector<std::string_view> texts;
  std::vector<place> places;
  std::vector<pair<std::int32_t, std::int64_t>> pairs;
  std::vector<std::array<std::int64_t, 3>> arrays;
  for (int i = 0; i < 30'000; ++i) {
    texts.push_back(names[static_cast<std::size_t>(i) / 10]);
    places.push_back({texts.back(), i % 10});
    pairs.push_back({i / 10, i % 10});
    arrays.push_back({i / 10, 5, i % 10});
  }
  EXPECT_NEAR(static_cast<double>(estimate(texts)), 3000, 3000 * 0.07);
  EXPECT_NEAR(static_cast<double>(estimate(places)), 30'000, 30'000 * 0.07);
  EXPECT_NEAR(static_cast<double>(estimate(pairs)), 30'000, 30'000 * 0.07);
  EXPECT_NEAR(static_cast<double>(estimate(arrays)), 30'000, 30'000 * 0.07);
}

struct seen {
  std::int64_t key;
  std::int32_t value;
};

TEST(approx_count_distinct, is_the_same_everywhere) {
  random random(91);
  for (const std::int64_t n : {0, 1, 4097, up_to(100'003)}) {
    SCOPED_TRACE(::testing::Message() << n << " rows");
    std::vector<seen> rows(static_cast<std::size_t>(n));
    std::vector<std::int32_t> values;
    std::map<std::int64_t, std::vector<std::int32_t>> groups;
    for (auto& [key, value] : rows) {
      key = random.between(0, 40);
      value = static_cast<std::int32_t>(random.between(0, 20'000));
      values.push_back(value);
      groups[key].push_back(value);
    }
    expect_value(estimate(values), [&](session& s) {
      return get<0>(s.borrow(rows).aggregate(approx_count_distinct(&seen::value)).get());
    });
    std::vector<keyed<std::int64_t, std::int64_t>> expected;
    for (const auto& [key, of] : groups) expected.push_back({key, estimate(of)});
    expect_rows(expected, [&](session& s) {
      return s.borrow(rows)
          .group_by(&seen::key)
          .aggregate(approx_count_distinct(&seen::value), count())
          .map([](const auto& g) {
            return keyed<std::int64_t, std::int64_t>{g.key, get<0>(g.value)};
          });
    });
    expect_rows(expected, [&](session& s) {
      return s.borrow(rows)
          .group_by(&seen::key, domain{41})
          .aggregate(approx_count_distinct(&seen::value), count())
          .filter([](const auto& g) { return get<1>(g.value) > 0; })
          .map([](const auto& g) {
            return keyed<std::int64_t, std::int64_t>{g.key, get<0>(g.value)};
          });
    });
  }
}

/// How far the rank of a sample's quantile is from the one asked for, of n: values are 0 to n - 1.
double rank_error(const std::vector<std::int32_t>& values, double p, std::int64_t leaf) {
  reducers::approx_quantile<std::int32_t> all(p);
  for (std::size_t begin = 0; begin < values.size(); begin += static_cast<std::size_t>(leaf)) {
    reducers::approx_quantile<std::int32_t> part(p);
    const auto end = std::min(begin + static_cast<std::size_t>(leaf), values.size());
    for (std::size_t i = begin; i < end; ++i) part.accumulate(values[i]);
    all.merge(part);
  }
  const auto n = static_cast<double>(values.size());
  return std::abs(all.finalize() - p * (n - 1)) / n;
}

TEST(approx_quantile, has_the_error_that_it_states) {
  random random(92);
  double squares = 0;
  int n = 0;
  for (const std::int32_t size : {3000, 30'000, 300'000}) {
    std::vector<std::int32_t> sorted(static_cast<std::size_t>(size));
    for (std::int32_t i = 0; i < size; ++i) sorted[static_cast<std::size_t>(i)] = i;
    auto shuffled = sorted, backwards = sorted;
    std::ranges::reverse(backwards);
    for (std::size_t i = shuffled.size() - 1; i > 0; --i)
      std::swap(
          shuffled[i],
          shuffled[static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(i)))]);
    for (const auto* values : {&sorted, &shuffled, &backwards})
      for (const std::int64_t leaf : {10, 997, 65'536, 1'000'000})
        for (const double p : {0.01, 0.1, 0.25, 0.5, 0.75, 0.95, 0.999}) {
          const double error = rank_error(*values, p, leaf);
          EXPECT_LT(error, 0.015) << size << " values, leaves of " << leaf << ", " << p;
          squares += error * error;
          ++n;
        }
    EXPECT_EQ(rank_error(shuffled, 0, 1000), 0);
    EXPECT_EQ(rank_error(shuffled, 1, 1000), 0);
  }
  EXPECT_LT(std::sqrt(squares / n), 0.004);
}

TEST(approx_quantile, of_few_values_is_one_of_them) {
  session s;
  const auto of = [&](std::vector<double> values, double p) {
    return get<0>(s.from(values).aggregate(approx_quantile(p)).get());
  };
  EXPECT_TRUE(std::isnan(of({}, 0.5)));
  EXPECT_EQ(of({7}, 0.3), 7);
  EXPECT_EQ(of({3, 1, 2}, 0.5), 2);
  EXPECT_EQ(of({3, 1, std::nan(""), 2}, 0.7), 3);
  EXPECT_TRUE(std::isnan(of({3, 1, std::nan(""), 2}, 1)));
  std::vector<double> values;
  for (int i = 0; i < 500; ++i) values.push_back(i * 7 % 500);
  for (int i = 0; i < 500; ++i) EXPECT_EQ(of(values, i / 499.0), i);
  EXPECT_THAT(
      [] { approx_quantile(1.5); },
      ::testing::ThrowsMessage<usage_error>("approx_quantile: expected p from 0 to 1, got 1.5"));
}

TEST(approx_quantile, is_the_same_everywhere) {
  random random(93);
  for (const std::int64_t n : {0, 1, 4097, up_to(300'007)}) {
    SCOPED_TRACE(::testing::Message() << n << " rows");
    std::vector<seen> rows(static_cast<std::size_t>(n));
    for (auto& [key, value] : rows) {
      key = random.between(0, 40);
      value = static_cast<std::int32_t>(random.between(0, 20'000));
    }
    const auto of_all = [&](session& s) {
      return get<0>(s.borrow(rows).aggregate(approx_quantile(0.9, &seen::value), count()).get());
    };
    const auto of_groups = [&](session& s) {
      return s.borrow(rows)
          .group_by(&seen::key)
          .aggregate(approx_quantile(0.5, &seen::value), approx_count_distinct(&seen::value))
          .map([](const auto& g) { return keyed<std::int64_t, double>{g.key, get<0>(g.value)}; });
    };
    session one(options{.threads = 1, .devices = "cpu"});
    expect_value(of_all(one), of_all);
    const auto expected = of_groups(one).collect().to_vector();
    for (const auto& setting : settings()) {
      if (std::string_view(setting.devices) != "cpu") continue;  // they have leaves of their own
      SCOPED_TRACE(setting);
      session s(setting.as_options());
      EXPECT_TRUE(same_rows(of_groups(s).collect().to_vector(), expected));
    }
    const auto exact = one.borrow(rows).group_by(&seen::key).median(&seen::value).collect();
    ASSERT_EQ(exact.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i)
      EXPECT_NEAR(expected[i].value, exact[i].value, n < 5000 ? 2000 : 20'000 * 0.015);
  }
}

static_assert(detail::text_of<reducers::approx_quantile<float>>() == detail::text_in::none);
static_assert(detail::text_of<reducers::approx_count_distinct<std::string_view>>() ==
              detail::text_in::none);
static_assert(sizeof(reducers::approx_count_distinct<double>) == 2048);

}  // namespace
}  // namespace pappus::approximate_tests
