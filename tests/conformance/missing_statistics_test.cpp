// Quantiles, different values and their like of fields that may be missing, beside loops; several
// aggregates of them, beside each alone.
#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include "conformance/harness.h"
#include "conformance/missing_readings.h"

namespace pappus::testing::missing {
namespace {

double quantile_by_hand(std::vector<double> values, double p) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  std::ranges::sort(values, reducers::orders_before<double>);
  const double at = p * static_cast<double>(values.size() - 1);
  const auto low = static_cast<std::size_t>(at);
  const double fraction = at - static_cast<double>(low);
  return fraction == 0 ? values[low] : values[low] + (values[low + 1] - values[low]) * fraction;
}

/// What statistics find of one field of rows, and of its groups by grade.
template <auto Field>
void expect_statistics(const std::vector<reading>& rows) {
  using value =
      detail::present<std::remove_cvref_t<decltype(std::declval<const reading&>().*Field)>>;
  std::map<std::optional<std::int8_t>, std::vector<value>, by_number> groups;
  std::vector<double> all;
  for (const auto& one : rows) {
    auto& group = groups[one.grade];
    if (!(one.*Field)) continue;
    group.push_back(*(one.*Field));
    all.push_back(static_cast<double>(*(one.*Field)));
  }
  const auto different = [](auto values) {
    std::ranges::sort(values, reducers::orders_before<typename decltype(values)::value_type>);
    const auto same = [](auto a, auto b) { return a == b || (a != a && b != b); };
    return std::distance(values.begin(), std::unique(values.begin(), values.end(), same));
  };
  const auto same_number = [](double a, double b) { return a == b || (a != a && b != b); };
  for (const auto& setting : settings()) {
    SCOPED_TRACE(setting);
    session s(setting.as_options());
    const auto table = s.borrow(rows);
    EXPECT_TRUE(same_number(table.quantile(0.3, Field).get(), quantile_by_hand(all, 0.3)));
    EXPECT_EQ(table.count_distinct(Field).get(), different(all));
    EXPECT_EQ(table.describe(Field).collect()[0].count, std::ssize(all));
    const auto medians = table.group_by(&reading::grade).median(Field).collect();
    const auto counts = table.group_by(&reading::grade).count_distinct(Field).collect();
    ASSERT_EQ(medians.size(), groups.size());
    ASSERT_EQ(counts.size(), groups.size());
    std::size_t next = 0;
    for (const auto& [grade, values] : groups) {
      const std::vector<double> numbers(values.begin(), values.end());
      EXPECT_EQ(compared(medians[next].key, grade), 0);
      EXPECT_TRUE(same_number(medians[next].value, quantile_by_hand(numbers, 0.5)));
      EXPECT_EQ(counts[next++].value, different(values));
    }
  }
}

TEST(statistics, pass_over_what_is_missing) {
  random random(311);
  for (const auto n : {0, 1, 2, 17, 4097, up_to(65'537)}) {
    SCOPED_TRACE(n);
    const auto rows = readings(random, n);
    expect_statistics<&reading::number>(rows);
    expect_statistics<&reading::value>(rows);
    expect_statistics<&reading::grade>(rows);
  }
}

TEST(statistics, of_numbers_keep_no_text) {
  using detail::text_in, detail::text_of;
  using number = std::optional<double>;
  EXPECT_EQ(text_of<reducers::mean<number>>(), text_in::none);
  EXPECT_EQ(text_of<reducers::variance<std::optional<int>>>(), text_in::none);
  EXPECT_EQ(text_of<reducers::min<number>>(), text_in::none);
  EXPECT_EQ(text_of<reducers::max<std::optional<int>>>(), text_in::none);
  EXPECT_NE(text_of<reducers::max<std::optional<std::string_view>>>(), text_in::none);
}

TEST(statistics, of_text_and_large_numbers_pass_over_what_is_missing) {
  random random(312);
  const auto rows = readings(random, up_to(10'001));
  std::map<std::optional<std::int8_t>,
           std::pair<std::map<std::string_view, int>, std::map<std::int64_t, int>>, by_number>
      groups;
  std::int64_t positive = 0;
  for (const auto& one : rows) {
    auto& [towns, numbers] = groups[one.grade];
    if (one.town) ++towns[*one.town];
    if (one.large) ++numbers[*one.large];
    positive += one.number.value_or(-1) >= 0;
  }
  for (const auto& setting : settings()) {
    SCOPED_TRACE(setting);
    session s(setting.as_options());
    const auto by = s.borrow(rows).group_by(&reading::grade);
    const auto towns = by.count_distinct(&reading::town).collect();
    const auto numbers = by.count_distinct(&reading::large).collect();
    const auto about = by.aggregate(approx_count_distinct(&reading::town)).collect();
    ASSERT_EQ(towns.size(), groups.size());
    std::size_t next = 0;
    for (const auto& [grade, of] : groups) {
      EXPECT_EQ(towns[next].value, std::ssize(of.first));
      EXPECT_EQ(numbers[next].value, std::ssize(of.second));
      EXPECT_EQ(get<0>(about[next++].value), std::ssize(of.first)) << "so few are counted exactly";
    }
    EXPECT_EQ(s.borrow(rows).histogram(1, 0, 100, &reading::number).collect()[0].count, positive);
  }
}

/// Several aggregates of fields of integers, whose blocks are reduced in registers.
auto figures_of(const auto& of) {
  return of.aggregate(count(), count(&reading::number), mean(&reading::number),
                      variance(&reading::number), (pappus::min)(&reading::number),
                      (pappus::max)(&reading::number), mean(&reading::large),
                      (pappus::max)(&reading::large), mean(&reading::id));
}

bool same_bits(double a, double b) { return same_bytes(a, b) || (a != a && b != b); }

/// Each alone.
void expect_figures(const auto& got, const auto& of) {
  const auto& [rows, n, average, deviation, least, most, large, largest, ids] = got;
  EXPECT_EQ(rows, of.count().get());
  EXPECT_EQ(n, of.count(&reading::number).get());
  EXPECT_TRUE(same_bits(average, of.mean(&reading::number).get()));
  EXPECT_TRUE(same_bits(deviation, of.variance(&reading::number).get()));
  EXPECT_EQ(least, (of.min)(&reading::number).get());
  EXPECT_EQ(most, (of.max)(&reading::number).get());
  EXPECT_TRUE(same_bits(large, of.mean(&reading::large).get()));
  EXPECT_EQ(largest, (of.max)(&reading::large).get());
  EXPECT_TRUE(same_bits(ids, of.mean(&reading::id).get()));
}

/// Several with sums of floats, whose lanes are those of rows.
void expect_sums(const auto& of) {
  const auto [ids, average, total, grades, numbers] =
      of.aggregate(sum(&reading::id), mean(&reading::value), sum(&reading::value),
                   sum([](const reading& r) { return r.grade; }), sum(&reading::number))
          .get();
  EXPECT_EQ(ids, of.sum(&reading::id).get());
  EXPECT_TRUE(same_bits(average, of.mean(&reading::value).get()));
  EXPECT_TRUE(same_bits(total, of.sum(&reading::value).get()));
  EXPECT_EQ(grades, of.sum(&reading::grade).get());
  EXPECT_EQ(numbers, of.sum(&reading::number).get());
}

TEST(statistics, of_several_fields_that_may_be_missing_are_those_of_each) {
  random random(313);
  for (const auto n : {0, 1, 17, 4097, up_to(65'537)})
    for (const int known : {0, 1, 3}) {
      SCOPED_TRACE(::testing::Message() << n << " rows, " << known << " of 3 known");
      auto rows = readings(random, n, known);
      for (auto& one : rows)  // some sums have more than 64 bits
        if (one.large && random.between(0, 3) == 0)
          one.large = std::numeric_limits<std::int64_t>::max() - *one.large % 1000;
      for (const auto& setting : settings()) {
        SCOPED_TRACE(setting);
        session s(setting.as_options());
        const auto all = s.borrow(rows);
        const auto some = all.filter([](const reading& r) { return r.grade.has_value(); });
        const auto twice = all.flat_map([](const reading& r) { return std::array{r, r}; });
        expect_figures(figures_of(all).get(), all);
        expect_figures(figures_of(some).get(), some);
        expect_figures(figures_of(twice).get(), twice);
        for (const auto& [grade, of] : figures_of(all.group_by(&reading::grade)).collect())
          expect_figures(of, all.filter([grade = grade](const reading& r) {
            return compared(r.grade, grade) == 0;
          }));
        if (!adds_as_documented(setting)) continue;
        expect_sums(all);
        expect_sums(some);
        expect_sums(twice);
      }
    }
}

}  // namespace
}  // namespace pappus::testing::missing
