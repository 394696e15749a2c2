// Reductions to one value, against references. Sums of floats follow the documented tree: 16 lanes
// by row number, leaves of 65,536 rows, leaves merged by eights, then lanes.
#include <algorithm>
#include <cmath>
#include <limits>

#include "conformance/harness.h"
#include "conformance/no_numbers.h"

namespace pappus::testing {
namespace {

constexpr std::int64_t leaf_rows = 65'536;

using lanes = std::array<double, 16>;

/// Eight leaves become one, first to last, until one is left; then the sum of its lanes.
double sum_of(std::vector<lanes> leaves) {
  if (leaves.empty()) return 0;
  while (leaves.size() > 1) {
    std::vector<lanes> parents;
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      if (i % 8 == 0) {
        parents.push_back(leaves[i]);
        continue;
      }
      for (std::size_t lane = 0; lane < leaves[i].size(); ++lane)
        parents.back()[lane] += leaves[i][lane];
    }
    leaves = std::move(parents);
  }
  auto& total = leaves.front();
  for (std::size_t lane = 1; lane < total.size(); ++lane) total[0] += total[lane];
  return total[0];
}

/// The documented tree over rows of which some may be missing (filtered out).
template <typename T, typename Keep>
double tree_sum(const std::vector<T>& rows, Keep keep) {
  std::vector<lanes> leaves;
  for (std::size_t begin = 0; begin < rows.size(); begin += leaf_rows) {
    auto& leaf = leaves.emplace_back();
    const auto end = std::min<std::size_t>(rows.size(), begin + leaf_rows);
    for (std::size_t i = begin; i < end; ++i)
      if (keep(rows[i])) leaf[i % leaf.size()] += rows[i];
  }
  return sum_of(std::move(leaves));
}
template <typename T>
double tree_sum(const std::vector<T>& rows) {
  return tree_sum(rows, [](T) { return true; });
}

/// Remembers rows in order: merging anything out of order is seen.
struct ordered {
  std::int64_t first = -1, last = -1, rows = 0;
  bool in_order = true;
  void accumulate(std::int64_t row) {
    in_order = in_order && (rows == 0 || row == last + 1);
    if (rows == 0) first = row;
    last = row;
    ++rows;
  }
  void merge(const ordered& other) {
    if (other.rows == 0) return;
    in_order = in_order && other.in_order && (rows == 0 || other.first == last + 1);
    if (rows == 0) first = other.first;
    last = other.last;
    rows += other.rows;
  }
  std::int64_t finalize() const { return in_order ? rows : -1; }
};

/// A reducer with parameters and without finalize().
struct histogram {
  int width = 1;
  std::array<std::int64_t, 8> bars{};
  void accumulate(int x) { ++bars[static_cast<std::size_t>(x / width % 8)]; }
  void merge(const histogram& other) {
    for (std::size_t i = 0; i < bars.size(); ++i) bars[i] += other.bars[i];
  }
};

/// A state of 64 KiB, so that leaves get longer.
struct table {
  std::array<std::int64_t, 8192> at{};
  void accumulate(int x) { at[static_cast<std::size_t>(x)] += x; }
  void merge(const table& other) {
    for (std::size_t i = 0; i < at.size(); ++i) at[i] += other.at[i];
  }
  std::int64_t finalize() const {
    std::int64_t hash = 0;
    for (const auto x : at) hash = hash * 31 % 1'000'003 + x;
    return hash;
  }
};

TEST(count, is_the_number_of_records) {
  for (const auto n : sizes()) {
    expect_value<std::int64_t>(n, [&](session& s) { return s.range(std::int64_t{0}, n).count(); });
    expect_value<std::int64_t>((n + 2) / 3, [&](session& s) {
      return s.range(std::int64_t{0}, n).filter([](std::int64_t i) { return i % 3 == 0; }).count();
    });
    expect_value<std::int64_t>(2 * n, [&](session& s) {
      return s.range(std::int64_t{0}, n)
          .flat_map([](std::int64_t i) { return std::array{i, i}; })
          .count();
    });
  }
}

template <typename I>
class integer_sum : public ::testing::Test {};
using integers = ::testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t,
                                  std::int32_t, std::uint32_t, std::int64_t, std::uint64_t>;
TYPED_TEST_SUITE(integer_sum, integers);

TYPED_TEST(integer_sum, has_64_bits_and_wraps_there) {
  using I = TypeParam;
  using sum_type = std::conditional_t<std::is_signed_v<I>, std::int64_t, std::uint64_t>;
  random r(11);
  for (const std::int64_t n : {0, 1, up_to(4097), up_to(200'003)}) {
    std::vector<I> rows(static_cast<std::size_t>(n));
    std::uint64_t expected = 0;
    for (auto& row : rows) {
      row = static_cast<I>(r.between(std::numeric_limits<std::int64_t>::min(),
                                     std::numeric_limits<std::int64_t>::max()));
      if (r.between(0, 9) == 0) row = std::numeric_limits<I>::max();
      if (r.between(0, 9) == 0) row = std::numeric_limits<I>::min();
      expected += static_cast<std::uint64_t>(row);
    }
    expect_value<sum_type>(static_cast<sum_type>(expected),
                           [&](session& s) { return s.borrow(rows).sum(); });
  }
}

TYPED_TEST(integer_sum, knows_the_extremes_of_its_type) {
  using I = TypeParam;
  std::vector<I> rows(up_to(100'000u), I{7});
  rows[rows.size() / 9 * 7] = std::numeric_limits<I>::max();
  rows[3] = std::numeric_limits<I>::min();
  expect_value<I>(std::numeric_limits<I>::min(), [&](session& s) { return s.borrow(rows).min(); });
  expect_value<I>(std::numeric_limits<I>::max(), [&](session& s) { return s.borrow(rows).max(); });
}

template <typename F>
class float_sum : public ::testing::Test {};
using floats = ::testing::Types<float, double>;
TYPED_TEST_SUITE(float_sum, floats);

TYPED_TEST(float_sum, follows_the_documented_tree_bit_by_bit) {
  using F = TypeParam;
  random r(12);
  for (const auto n : sizes()) {
    std::vector<F> rows(static_cast<std::size_t>(n));
    for (auto& row : rows) row = static_cast<F>(r.real(-1, 1) * std::exp2(r.between(-30, 30)));
    expect_value<double>(
        tree_sum(rows), [&](session& s) { return s.borrow(rows).sum(); }, result_is::float_sum);
    const auto keep = [](F x) { return x > F(0.001); };
    expect_value<double>(
        tree_sum(rows, keep), [&](session& s) { return s.borrow(rows).filter(keep).sum(); },
        result_is::float_sum);
  }
}

TYPED_TEST(float_sum, merges_many_leaves_by_eights) {
  using F = TypeParam;
  random r(17);
  for (const std::int64_t leaves : {8, 9, 73}) {
    std::vector<F> rows(static_cast<std::size_t>(up_to(leaves * leaf_rows + 5)));
    for (auto& row : rows) row = static_cast<F>(r.real(-1, 1));
    const auto expected = tree_sum(rows);
    for (const auto* devices : {"cpu", "test"})
      for (const unsigned threads : {1u, 3u}) {
        session s(options{.threads = threads, .devices = devices});
        EXPECT_TRUE(same_bytes(s.borrow(rows).sum().get(), expected)) << devices;
      }
  }
}

TYPED_TEST(float_sum, depends_on_rows_not_on_the_pieces_they_lie_in) {
  using F = TypeParam;
  random r(13);
  std::vector<F> rows(up_to(150'000u)), kept;
  for (auto& row : rows) row = static_cast<F>(r.real(-1, 1));
  for (const F x : rows)
    if (x > 0) kept.push_back(x);
  // Materialised, the filter's rows are renumbered.
  const auto sum_of_kept = [&](session& s) {
    return s.borrow(rows).filter([](F x) { return x > 0; }).materialise().sum();
  };
  expect_value<double>(tree_sum(kept), sum_of_kept, result_is::float_sum);
}

TYPED_TEST(float_sum, of_nothing_is_positive_zero) {
  using F = TypeParam;
  expect_value<double>(0.0, [](session& s) { return s.from(std::vector<F>{}).sum(); });
  expect_value<double>(0.0, [](session& s) { return s.from(std::vector<F>(99, -0.0)).sum(); });
}

TYPED_TEST(float_sum, of_infinities_and_nan_is_what_arithmetic_says) {
  using F = TypeParam;
  const auto sum_with = [](std::initializer_list<double> specials) {
    std::vector<F> rows(70'000, F(1));
    std::size_t i = 12'345;
    for (const double x : specials) rows[i += 20'000] = static_cast<F>(x);
    session s(options{.threads = 3});
    return s.from(rows).sum().get();
  };
  EXPECT_EQ(sum_with({infinity}), infinity);
  EXPECT_EQ(sum_with({-infinity, -infinity}), -infinity);
  EXPECT_TRUE(std::isnan(sum_with({infinity, -infinity})));
  EXPECT_TRUE(std::isnan(sum_with({nan})));
}

TEST(float_sum, of_flat_mapped_records_deals_lanes_in_turn) {
  random r(14);
  const auto rows = r.reals(up_to(80'000), -1, 1);
  // Each leaf of the tree is 65,536 input rows; its records take the 16 lanes one after another.
  std::vector<lanes> leaves;
  for (std::size_t begin = 0; begin < rows.size(); begin += leaf_rows) {
    auto& leaf = leaves.emplace_back();
    std::size_t next = 0;
    for (std::size_t i = begin; i < std::min<std::size_t>(rows.size(), begin + leaf_rows); ++i)
      for (const double x : {rows[i], rows[i] * 3, rows[i] / 7}) leaf[next++ % 16] += x;
  }
  const double expected = sum_of(std::move(leaves));
  const auto sum_of_three = [&](session& s) {
    return s.borrow(rows).flat_map([](double x) { return std::array{x, x * 3, x / 7}; }).sum();
  };
  expect_value<double>(expected, sum_of_three, result_is::float_sum);
}

TEST(sum, takes_a_projection) {
  struct sale {
    int amount;
    float price;
  };
  std::vector<sale> rows;
  for (int i = 0; i < 1000; ++i) rows.push_back({i, 0.5f});
  expect_value<std::int64_t>(499'500,
                             [&](session& s) { return s.borrow(rows).sum(&sale::amount); });
  expect_value<double>(500.0, [&](session& s) { return s.borrow(rows).sum(&sale::price); });
}

TEST(mean, divides_the_sum_by_the_count) {
  random r(15);
  for (const std::int64_t n : {1, 17, up_to(65'537), up_to(200'003)}) {
    const auto rows = r.reals(n, -5, 50);
    expect_value<double>(
        tree_sum(rows) / static_cast<double>(n), [&](session& s) { return s.borrow(rows).mean(); },
        result_is::float_sum);
  }
  expect_value<double>(2.5, [](session& s) { return s.from(std::vector{1, 2, 3, 4}).mean(); });
}

TEST(variance, is_the_population_variance) {
  expect_value<double>(1.25, [](session& s) { return s.from(std::vector{1, 2, 3, 4}).variance(); });
  expect_value<double>(0.0, [](session& s) { return s.from(std::vector{42.0}).variance(); });
  random r(16);
  const auto rows = r.reals(up_to(200'003), -5, 50);
  long double mean = 0, squares = 0;
  for (const double x : rows) mean += x;
  mean /= static_cast<long double>(rows.size());
  for (const double x : rows) squares += (x - mean) * (x - mean);
  const auto exact = static_cast<double>(squares / static_cast<long double>(rows.size()));
  double first = 0;
  {
    session s(options{.threads = 1});
    first = s.borrow(rows).variance();
  }
  EXPECT_NEAR(first, exact, 1e-12 * exact);
  expect_value<double>(
      first, [&](session& s) { return s.borrow(rows).variance(); }, result_is::float_sum);
}

TEST(variance, survives_a_large_offset) {
  std::vector<double> rows;
  for (int i = 0; i < 100'000; ++i) rows.push_back(1e9 + i % 2);
  session s(options{.threads = 2});
  EXPECT_NEAR(s.borrow(rows).variance().get(), 0.25, 1e-6);
}

TEST(mean_and_variance, of_nothing_and_of_nan_are_nan) {
  session s(options{.threads = 2});
  const auto none = s.from(std::vector<double>{});
  EXPECT_TRUE(std::isnan(none.mean().get()));
  EXPECT_TRUE(std::isnan(none.variance().get()));
  const auto one = s.from(std::vector{1.0, nan, 2.0});
  EXPECT_TRUE(std::isnan(one.mean().get()));
  EXPECT_TRUE(std::isnan(one.variance().get()));
}

TEST(min_and_max, put_nan_after_every_number) {
  const std::vector<double> rows{3, nan, -infinity, infinity, nan, 2};
  expect_value<double>(-infinity, [&](session& s) { return s.from(rows).min(); });
  session s(options{.threads = 3, .chunk_rows = 2});
  EXPECT_TRUE(std::isnan(s.from(rows).max().get()));
  const std::vector<double> numbers{1, nan, 5};
  EXPECT_EQ(s.from(numbers).min().get(), 1);
  const std::vector<double> only(5, nan);
  EXPECT_TRUE(std::isnan(s.from(only).min().get()));
  EXPECT_TRUE(std::isnan(s.from(only).max().get()));
}

TEST(min_and_max, keep_the_first_of_equals) {
  expect_value<double>(-0.0, [](session& s) { return s.from(std::vector{1.0, -0.0, 0.0}).min(); });
  expect_value<double>(0.0, [](session& s) { return s.from(std::vector{0.0, -0.0, -1.0}).max(); });

  struct ranked {
    int rank, row;
    bool operator<(const ranked& other) const { return rank < other.rank; }
  };
  std::vector<ranked> rows;
  random r(17);
  const auto n = up_to(200'003);
  for (int i = 0; i < n; ++i) rows.push_back({static_cast<int>(r.between(0, 50)), i});
  const auto least = std::min_element(rows.begin(), rows.end());
  const auto greatest = std::max_element(rows.begin(), rows.end());
  for (const auto& setting : settings()) {
    SCOPED_TRACE(setting);
    session s(setting.as_options());
    EXPECT_EQ(s.borrow(rows).min().get().row, least->row);
    EXPECT_EQ(s.borrow(rows).max().get().row, greatest->row);
    expect_no_failures(s);
  }
}

TEST(min_and_max, agree_with_a_loop) {
  random r(18);
  for (const auto n : sizes()) {
    if (n == 0) continue;
    const auto rows = r.reals(n, -1e300, 1e300);
    expect_value<double>(*std::min_element(rows.begin(), rows.end()),
                         [&](session& s) { return s.borrow(rows).min(); });
    expect_value<double>(*std::max_element(rows.begin(), rows.end()),
                         [&](session& s) { return s.borrow(rows).max(); });
  }
}

TEST(first, is_the_first_record_that_is_left) {
  const auto n = up_to(200'000), last_dropped = n / 4 * 3;
  expect_value<int>(last_dropped + 1, [=](session& s) {
    return s.range(0, n).filter([=](int i) { return i > last_dropped; }).first();
  });
  expect_value<int>(5, [n](session& s) { return s.range(5, n).first(); });
}

TEST(first, stops_reading_once_it_is_found) {
  session s(options{.threads = 2});
  // All 2^33 rows would take half a minute.
  EXPECT_EQ(s.range(std::int64_t{1}, std::int64_t{1} << 33)
                .filter([](std::int64_t i) { return i % 1'000 == 0; })
                .first()
                .get(),
            1000);
}

template <typename Query>
PAPPUS_UNHURRIED void expect_usage_error(const char* text, Query query) {
  for (const auto& setting : settings()) {
    SCOPED_TRACE(setting);
    session s(setting.as_options());
    try {
      query(s).get();
      FAIL() << "no error";
    } catch (const usage_error& e) {
      EXPECT_STREQ(e.what(), text);
    }
  }
}

TEST(min_max_and_first, of_nothing_are_errors) {
  expect_usage_error("min: expected at least one record, got none",
                     [](session& s) { return s.range(0, 0).min(); });
  const auto n = up_to(70'000);
  expect_usage_error("max: expected at least one record, got none", [n](session& s) {
    return s.range(0, n).filter([](int) { return false; }).max();
  });
  expect_usage_error("first: expected at least one record, got none", [n](session& s) {
    return s.range(0, n).filter([](int i) { return i < 0; }).first();
  });
}

TEST(any_and_all, look_for_a_witness) {
  for (const int wanted : {0, 1, 70'000, 200'000}) {
    const auto n = up_to(wanted);
    SCOPED_TRACE(n);
    const int last = n - 1;
    expect_value<bool>(
        n > 0, [&](session& s) { return s.range(0, n).any([last](int i) { return i == last; }); });
    expect_value<bool>(false,
                       [&](session& s) { return s.range(0, n).any([](int i) { return i < 0; }); });
    expect_value<bool>(
        n == 0, [&](session& s) { return s.range(0, n).all([last](int i) { return i != last; }); });
    expect_value<bool>(true,
                       [&](session& s) { return s.range(0, n).all([](int i) { return i >= 0; }); });
  }
}

TEST(reduce, accumulates_and_merges_in_row_order) {
  for (const auto n : sizes())
    expect_value<std::int64_t>(
        n, [&](session& s) { return s.range(std::int64_t{0}, n).template reduce<ordered>(); });
}

TEST(reduce, starts_from_the_reducer_it_was_given) {
  random r(19);
  const auto rows = r.ints(up_to(200'003), 0, 1'000'000);
  histogram expected{.width = 125'001};
  for (const int x : rows) expected.accumulate(x);
  for (const auto& setting : settings()) {
    SCOPED_TRACE(setting);
    session s(setting.as_options());
    const histogram got = s.borrow(rows).reduce(histogram{.width = 125'001});
    EXPECT_EQ(got.bars, expected.bars);
    EXPECT_EQ(got.width, expected.width);
    expect_no_failures(s);
  }
}

TEST(reduce, takes_states_larger_than_a_stack_page) {
  random r(20);
  const auto rows = r.ints(up_to(200'003), 0, 8191);
  table expected;
  for (const int x : rows) expected.accumulate(x);
  expect_value<std::int64_t>(expected.finalize(),
                             [&](session& s) { return s.borrow(rows).template reduce<table>(); });
}

TEST(reduce, folds_with_an_associative_operator) {
  random r(21);
  for (const auto n : sizes()) {
    const auto rows = r.ints(n, 0, 1'000'000);
    int bits = 0;
    for (const int x : rows) bits ^= x;
    expect_value<int>(bits, [&](session& s) {
      return s.borrow(rows).reduce(0, [](int a, int b) { return a ^ b; });
    });
  }
}

TEST(reduce, respects_the_order_of_an_operator_that_does_not_commute) {
  // Composition of affine maps modulo a prime: associative, not commutative.
  struct affine {
    std::int64_t a, b;
    bool operator==(const affine&) const = default;
  };
  const auto after = [](const affine& f, const affine& g) {
    return affine{f.a * g.a % 1'000'003, (g.a * f.b + g.b) % 1'000'003};
  };
  random r(22);
  std::vector<affine> rows(up_to(200'003u));
  for (auto& row : rows) row = {r.between(1, 1'000'002), r.between(0, 1'000'002)};
  affine expected{1, 0};
  for (const auto& row : rows) expected = after(expected, row);
  for (const auto& setting : settings()) {
    SCOPED_TRACE(setting);
    session s(setting.as_options());
    EXPECT_TRUE(s.borrow(rows).reduce(affine{1, 0}, after).get() == expected);
    expect_no_failures(s);
  }
}

TEST(run, computes_several_results_at_once) {
  session s(options{.threads = 2});
  const auto rows = s.range(0, 100'000).map([](int i) { return i % 100; }).materialise();
  const auto [total, most, even] =
      s.run(rows.sum(), rows.max(), rows.filter([](int i) { return i % 2 == 0; }).count());
  EXPECT_EQ(total, 4'950'000);
  EXPECT_EQ(most, 99);
  EXPECT_EQ(even, 50'000);
}

struct projected {
  std::int32_t sensor;
  double value;
};

TEST(aggregates, take_projections_as_map_would) {
  random r(17);
  std::vector<projected> rows(up_to(20'000));
  for (auto& row : rows) row = {static_cast<std::int32_t>(r.between(-50, 50)), r.real(-1, 1)};
  session s(options{.threads = 2});
  const auto all = s.from(rows);
  const auto values = all.map(&projected::value);
  const auto squared = [](const projected& x) { return x.value * x.value; };
  EXPECT_EQ(all.sum(&projected::value).get(), values.sum().get());
  EXPECT_EQ(all.mean(&projected::value).get(), values.mean().get());
  EXPECT_EQ(all.variance(squared).get(), all.map(squared).variance().get());
  EXPECT_EQ(all.min(&projected::value).get(), values.min().get());
  EXPECT_EQ(all.max(squared).get(), all.map(squared).max().get());
  EXPECT_EQ(all.first(&projected::sensor).get(), rows.front().sensor);
}

}  // namespace
}  // namespace pappus::testing
