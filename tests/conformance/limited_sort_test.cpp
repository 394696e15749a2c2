// Of a sort whose first rows alone are read: the same rows as of all that are sorted, whatever
// moves with the keys and however rows came.
#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/harness.h"
#include "conformance/sorted_records.h"
#include "pappus/pappus.h"

namespace pappus::testing::sorted {
namespace {

// So many that the first aren't found by sorting all (cpu_ops/limited_sort.h).
constexpr std::int64_t rows_enough = 40'000;

template <typename T>
std::vector<T> part(const std::vector<T>& rows, std::int64_t first, std::int64_t n) {
  const auto begin = std::min(first, std::ssize(rows));
  const auto end = std::min(begin + n, std::ssize(rows));
  return {rows.begin() + begin, rows.begin() + end};
}

/// Calls sorted(collection) -> collection under every setting, and takes its first rows.
template <typename T, typename Before, typename Sort>
PAPPUS_UNHURRIED void expect_first_rows(const std::vector<T>& rows, Before before, Sort sorted) {
  auto expected = rows;
  std::stable_sort(expected.begin(), expected.end(), before);
  std::vector<std::int64_t> counts{0, 10, 2'400};
  if (!few_rows()) counts.insert(counts.end(), {1, 5'001, 50'000});
  for (const auto& setting : settings()) {
    SCOPED_TRACE(setting);
    const pretended_time pretending(setting.slow ? now_and_then_slow : nullptr);
    session s(setting.as_options());
    const auto all = sorted(s.from(rows));
    for (const auto n : counts)
      EXPECT_TRUE(same_rows(all.take(n).collect().to_vector(), part(expected, 0, n))) << n;
    EXPECT_TRUE(same_rows(all.skip(30).take(20).collect().to_vector(), part(expected, 30, 20)));
    expect_no_failures(s);
  }
}

TEST(limited_sort, of_integers_in_any_order) {
  random numbers(41);
  auto rows =
      numbers.ints(rows_enough, std::numeric_limits<int>::min(), std::numeric_limits<int>::max());
  const auto whole = [](int x) { return x; };
  const auto up = [](const auto& all) { return all.sort(); };
  expect_first_rows(rows, std::less<>(), up);
  expect_first_rows(rows, std::greater<>(),
                    [&](const auto& all) { return all.sort_by(descending(whole)); });
  std::sort(rows.begin(), rows.end(), std::greater<>());  // each is less than those before
  expect_first_rows(rows, std::less<>(), up);
}

TEST(limited_sort, of_keys_that_records_are_made_from_again) {
  random numbers(42);
  std::vector<std::int16_t> small;
  std::vector<std::array<std::int32_t, 3>> triples;
  for (std::int64_t i = 0; i < rows_enough; ++i) {
    small.push_back(static_cast<std::int16_t>(numbers.between(-300, 300)));
    triples.push_back({static_cast<std::int32_t>(numbers.between(-50, 50)),
                       static_cast<std::int32_t>(numbers.between(-50, 50)),
                       static_cast<std::int32_t>(i % 5)});
  }
  const auto up = [](const auto& all) { return all.sort(); };
  expect_first_rows(small, std::less<>(), up);
  expect_first_rows(triples, std::less<>(), up);
}

TEST(limited_sort, of_floats_with_ties_and_nan) {
  random numbers(43);
  const auto rows = some_readings(numbers, rows_enough);
  expect_first_rows(
      rows,
      [](const moved_reading& a, const moved_reading& b) {
        return number_before(a.value, b.value);
      },
      [](const auto& all) { return all.sort_by(&moved_reading::value); });
  expect_first_rows(
      rows,
      [](const moved_reading& a, const moved_reading& b) {
        return number_before(b.value, a.value);
      },
      [](const auto& all) { return all.sort_by(descending(&moved_reading::value)); });
}

TEST(limited_sort, of_large_records_by_keys_of_one_and_of_several_parts) {
  random numbers(44);
  const auto rows = some_wide_records(numbers, rows_enough);
  expect_first_rows(
      rows, [](const long_record& a, const long_record& b) { return a.key < b.key; },
      [](const auto& all) { return all.sort_by(&long_record::key); });
  expect_first_rows(
      rows,
      [](const long_record& x, const long_record& y) {
        if (x.a != y.a) return x.a > y.a;
        if (x.key != y.key) return x.key < y.key;
        return x.b > y.b;
      },
      [](const auto& all) {
        return all.sort_by(descending(&long_record::a), &long_record::key,
                           descending(&long_record::b));
      });
}

TEST(limited_sort, of_strings) {
  random numbers(45);
  const auto names = some_names(numbers, rows_enough);
  const auto rows = rows_of(names);
  expect_first_rows(
      rows, [](const named& a, const named& b) { return a.name < b.name; },
      [](const auto& all) { return all.sort_by(&named::name); });
  expect_first_rows(
      rows,
      [](const named& a, const named& b) {
        if (a.name != b.name) return a.name > b.name;
        return a.row > b.row;
      },
      [](const auto& all) {
        return all.sort_by(descending(&named::name), descending(&named::row));
      });
}

TEST(limited_sort, of_many_rows_whose_order_changes) {
  random numbers(47);
  const std::int64_t n = few_rows() ? rows_enough : 700'000;
  std::vector<moved_reading> rows;
  for (std::int64_t i = 0; i < n; ++i) {  // any order, a descent, many ties
    const auto place = i < n / 2 ? numbers.between(0, n) : i < 3 * n / 4 ? n - i : i % 1000;
    rows.push_back({static_cast<int>(place), static_cast<float>(i % 7), i});
  }
  const auto sorted = [](const auto& all) { return all.sort_by(&moved_reading::sensor); };
  auto expected = rows;
  std::stable_sort(
      expected.begin(), expected.end(),
      [](const moved_reading& a, const moved_reading& b) { return a.sensor < b.sensor; });
  for (const unsigned threads : {1, 3}) {
    session s(options{.threads = threads, .devices = "cpu"});
    const auto all = sorted(s.borrow(rows));
    for (const std::int64_t count : {std::int64_t{1}, std::int64_t{300}, n / 40, n / 17})
      EXPECT_TRUE(same_rows(all.take(count).collect().to_vector(), part(expected, 0, count)))
          << count << " rows, " << threads << " threads";
  }
}

struct measured {
  std::optional<int> value;
  int row;
};

TEST(limited_sort, puts_missing_keys_last) {
  random numbers(46);
  std::vector<measured> rows;
  std::int64_t present = 0;
  for (int i = 0; i < rows_enough; ++i) {
    rows.push_back({std::nullopt, i});
    if (i % 997 == 0) rows.back().value = static_cast<int>(numbers.between(-9, 9)), ++present;
  }
  for (const auto& setting : settings()) {
    SCOPED_TRACE(setting);
    session s(setting.as_options());
    const auto first =
        s.from(rows).sort_by(descending(&measured::value)).take(present + 2).collect().to_vector();
    ASSERT_EQ(std::ssize(first), present + 2);
    for (std::int64_t i = 1; i < present; ++i)
      EXPECT_GE(first[static_cast<std::size_t>(i - 1)].value,
                first[static_cast<std::size_t>(i)].value);
    EXPECT_FALSE(first[static_cast<std::size_t>(present)].value);
    EXPECT_EQ(first[static_cast<std::size_t>(present)].row, 1);
    EXPECT_EQ(first.back().row, 2);
  }
}

TEST(limited_sort, passes_on_what_a_key_throws_for_a_row_far_behind) {
  session s(options{.threads = 2});
  const auto all = s.range(0, 200'000).map([](int i) { return i * 0.5; }).sort_by([](double x) {
    if (x == 90'000) throw std::runtime_error("no such key");
    return x;
  });
  EXPECT_THROW((void)all.take(10).collect(), std::runtime_error);
}

/// Whether explain says that only the first n rows of a sort are read.
template <typename Root>
bool is_limited(const Root& root, std::int64_t n) {
  return root.explain().find("only the first " + std::to_string(n) + " rows are read") !=
         std::string::npos;
}

TEST(limited_sort, is_one_whose_rows_nobody_else_reads) {
  session s(options{.threads = 2});
  const auto all = s.range(0, 100'000).map([](int i) { return i * 7 % 1000; }).sort();
  EXPECT_TRUE(is_limited(all.take(10), 10));
  EXPECT_TRUE(is_limited(all.skip(5).take(10), 15));
  EXPECT_TRUE(is_limited(all.take(10).skip(5), 10));
  EXPECT_FALSE(is_limited(all.skip(10), 10));
  EXPECT_TRUE(is_limited(all.take(10).concat(all.take(20)), 20));
  const auto [few, sum] = s.run(all.take(10).count(), all.sum());
  EXPECT_EQ(few, 10);
  EXPECT_EQ(sum, 49'950'000);
  EXPECT_FALSE(is_limited(all.take(10).concat(all), 10));
  const auto kept = all.cache();
  EXPECT_FALSE(is_limited(kept.take(10), 10));
  EXPECT_EQ(kept.take(10).collect().size(), 10);
  EXPECT_EQ(kept.collect().size(), 100'000);
}

}  // namespace
}  // namespace pappus::testing::sorted
