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

static_assert(detail::text_of<reducers::approx_count_distinct<std::string_view>>() ==
              detail::text_in::none);
static_assert(sizeof(reducers::approx_count_distinct<double>) == 2048);

}  // namespace
}  // namespace pappus::approximate_tests
