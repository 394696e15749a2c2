// Means and variances of numbers whose sums leave 64 bits or whose mean is far from zero.
#include <cmath>
#include <limits>

#include "conformance/harness.h"

namespace pappus::testing {
namespace {

constexpr std::int64_t now_us = 1'700'000'000'000'000;  // microseconds since 1970
constexpr auto least = std::numeric_limits<std::int64_t>::min();
constexpr auto greatest = std::numeric_limits<std::uint64_t>::max();

struct event {
  int key;
  std::int64_t at;
  std::uint64_t hash;
};

/// Keys 0, ..., groups - 1 in turn. Each group has as many times a second before now_us as after
/// it.
std::vector<event> events(std::int64_t n, int groups) {
  std::vector<event> all(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i)
    all[static_cast<std::size_t>(i)] = {static_cast<int>(i % groups),
                                        now_us + (i / groups % 2 == 0 ? -1'000'000 : 1'000'000),
                                        greatest - static_cast<std::uint64_t>(i / groups % 2)};
  return all;
}

TEST(mean, of_integers_does_not_overflow) {
  const auto n = up_to(std::int64_t{200'000}) / 4 * 4;
  const auto rows = events(n, 2);
  expect_value<double>(static_cast<double>(now_us),
                       [&](session& s) { return s.borrow(rows).map(&event::at).mean(); });
  expect_value<double>(0x1p64, [&](session& s) { return s.borrow(rows).map(&event::hash).mean(); });
  const std::vector<std::int64_t> lows(static_cast<std::size_t>(n), least);
  expect_value<double>(-0x1p63, [&](session& s) { return s.borrow(lows).mean(); });
}

TEST(mean, of_integers_is_the_nearest_double) {
  // Their sum is 2^53 + 1 and no double.
  const std::vector<std::int64_t> rows{(std::int64_t{1} << 53) - 1, 1, 1};
  expect_value<double>(0x1.5555555555555p51 + 0.5,
                       [&](session& s) { return s.borrow(rows).mean(); });
}

template <typename I>
class extremes : public ::testing::Test {};
using mean_integers =
    ::testing::Types<bool, std::int8_t, std::uint16_t, std::int32_t, std::int64_t, std::uint64_t>;
TYPED_TEST_SUITE(extremes, mean_integers);

TYPED_TEST(extremes, have_a_mean_and_a_variance) {
  using limits = std::numeric_limits<TypeParam>;
  struct row {
    int key;
    TypeParam value;
  };
  const auto n = up_to(std::int64_t{80'000}) / 8 * 8;
  std::vector<row> rows(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < rows.size(); ++i)
    rows[i] = {static_cast<int>(i / 2 % 4), i % 2 == 0 ? limits::min() : limits::max()};
  const long double width = static_cast<long double>(limits::max()) - limits::min();
  const auto mean = static_cast<double>(limits::min() + width / 2);
  const auto variance = static_cast<double>(width / 2 * (width / 2));
  expect_value(mean, [&](session& s) { return s.borrow(rows).map(&row::value).mean(); });
  expect_value(variance, [&](session& s) { return s.borrow(rows).map(&row::value).variance(); });
  expect_value(mean, [&](session& s) {
    return s.borrow(rows).filter([](const row& r) { return r.key != 3; }).map(&row::value).mean();
  });
  expect_value(variance, [&](session& s) {
    return s.borrow(rows)
        .filter([](const row& r) { return r.key != 3; })
        .map(&row::value)
        .variance();
  });
  expect_value(mean, [&](session& s) {
    return s.borrow(rows)
        .flat_map([](const row& r) { return std::array{r.value, r.value, r.value}; })
        .mean();
  });
  const std::vector<double> means(4, mean), variances(4, variance);
  const auto by_key = [&](session& s) { return s.borrow(rows).group_by(&row::key); };
  const auto by_known = [&](session& s) { return s.borrow(rows).group_by(&row::key, domain{4}); };
  expect_rows(means, [&](session& s) { return by_key(s).mean(&row::value).values(); });
  expect_rows(means, [&](session& s) { return by_known(s).mean(&row::value).values(); });
  expect_rows(variances, [&](session& s) { return by_key(s).variance(&row::value).values(); });
  expect_rows(variances, [&](session& s) { return by_known(s).variance(&row::value).values(); });
}

TEST(grouped_means, of_timestamps_are_right_in_few_and_in_many_groups) {
  for (const int groups : {1, 5, 375}) {
    const auto rows = events(up_to(std::int64_t{240'000}) / (4 * groups) * (4 * groups), groups);
    if (rows.empty()) continue;
    SCOPED_TRACE(groups);
    const std::vector<double> means(static_cast<std::size_t>(groups), now_us);
    const std::vector<double> variances(static_cast<std::size_t>(groups), 1e12);
    expect_rows(means, [&](session& s) {
      return s.borrow(rows).group_by(&event::key).mean(&event::at).values();
    });
    expect_rows(variances, [&](session& s) {
      return s.borrow(rows).group_by(&event::key).variance(&event::at).values();
    });
  }
}

TEST(grouped_means, of_timestamps_are_right_in_very_many_groups) {
  const auto rows = events(240'000, 60'000);
  session s(options{.devices = "cpu"});
  const auto means = s.borrow(rows).group_by(&event::key).mean(&event::at).collect();
  for (const auto& [key, mean] : means) ASSERT_EQ(mean, now_us) << key;
}

TEST(variance, of_doubles_far_from_zero_keeps_its_digits) {
  random random(17);
  std::vector<double> rows(static_cast<std::size_t>(up_to(std::int64_t{200'003})));
  for (double& x : rows) x = static_cast<double>(now_us + random.between(-1000, 1000));
  std::vector<double> outlier = rows;
  outlier.front() = 0;
  for (const auto& values : {rows, outlier}) {
    long double mean = 0, squares = 0;
    for (const double x : values) mean += static_cast<long double>(x) - now_us;
    mean /= static_cast<long double>(values.size());
    for (const double x : values) {
      const auto difference = static_cast<long double>(x) - now_us - mean;
      squares += difference * difference;
    }
    const auto exact = static_cast<double>(squares / static_cast<long double>(values.size()));
    double first = 0;
    {
      session s(options{.threads = 1, .devices = "cpu"});
      first = s.borrow(values).variance();
    }
    EXPECT_NEAR(first, exact, 1e-11 * exact);
    expect_value<double>(
        first, [&](session& s) { return s.borrow(values).variance(); }, result_is::float_sum);
  }
}

}  // namespace
}  // namespace pappus::testing
