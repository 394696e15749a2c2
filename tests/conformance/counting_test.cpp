// count_distinct, value_counts, histogram and describe, against maps and sets.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>

#include "conformance/harness.h"

namespace pappus::counting_tests {
namespace {

using namespace testing;

using ::testing::ThrowsMessage;

struct visit {
  std::int64_t page;
  std::int32_t visitor;
  float seconds;
  std::string_view from;
};
using counted = keyed<std::int64_t, std::int64_t>;

constexpr std::array<std::string_view, 5> places{"", "a", "b", "a place far away", "a place near"};

std::vector<visit> visits(random& random, std::int64_t n, std::int64_t pages,
                          std::int64_t visitors) {
  std::vector<visit> made(static_cast<std::size_t>(n));
  for (auto& [page, visitor, seconds, from] : made) {
    page = random.between(0, random.between(0, pages - 1));
    visitor = static_cast<std::int32_t>(random.between(-visitors, visitors));
    seconds = static_cast<float>(random.between(-8, 80)) / 4;
    from = places[static_cast<std::size_t>(random.between(0, 4))];
  }
  return made;
}
bool is_kept(const visit& one) { return one.visitor % 3 != 0; }

template <typename Value>
std::vector<counted> distinct_by_page(const std::vector<visit>& rows, Value value) {
  std::map<std::int64_t, std::set<decltype(value(rows[0]))>> groups;
  for (const auto& one : rows) groups[one.page].insert(value(one));
  std::vector<counted> made;
  for (const auto& [page, values] : groups) made.push_back({page, std::ssize(values)});
  return made;
}
std::int32_t visitor_of(const visit& one) { return one.visitor; }
std::string_view from_of(const visit& one) { return one.from; }

TEST(count_distinct, of_all_rows_is_the_size_of_a_set) {
  random random(101);
  for (const std::int64_t n : {0, 1, 17, 4097, up_to(65'537)}) {
    SCOPED_TRACE(::testing::Message() << n << " rows");
    const auto rows = visits(random, n, 7, 3000);
    std::set<std::int32_t> visitors;
    std::set<std::string_view> from;
    for (const auto& one : rows) {
      visitors.insert(one.visitor);
      from.insert(one.from);
    }
    expect_value(static_cast<std::int64_t>(visitors.size()),
                 [&](session& s) { return s.borrow(rows).count_distinct(&visit::visitor).get(); });
    expect_value(static_cast<std::int64_t>(from.size()),
                 [&](session& s) { return s.borrow(rows).count_distinct(&visit::from).get(); });
  }
  session s;
  EXPECT_EQ(s.from({3, 5, 3}).count_distinct().get(), 2);
}

TEST(count_distinct, of_groups_is_the_size_of_their_sets) {
  random random(102);
  for (const std::int64_t pages : {1, 40, 3000})
    for (const std::int64_t n : {0, 1, 4097, up_to(65'537)}) {
      SCOPED_TRACE(::testing::Message() << n << " rows, " << pages << " pages");
      const auto rows = visits(random, n, pages, 200);
      expect_rows(distinct_by_page(rows, visitor_of), [&](session& s) {
        return s.borrow(rows).group_by(&visit::page).count_distinct(&visit::visitor);
      });
      expect_rows(distinct_by_page(rows, from_of), [&](session& s) {
        return s.borrow(rows).group_by(&visit::page).count_distinct(&visit::from);
      });
      std::vector<visit> kept;
      std::ranges::copy_if(rows, std::back_inserter(kept), is_kept);
      expect_rows(distinct_by_page(kept, visitor_of), [&](session& s) {
        return s.borrow(rows)
            .filter(is_kept)
            .group_by(&visit::page)
            .count_distinct(&visit::visitor);
      });
      expect_rows(distinct_by_page(kept, from_of), [&](session& s) {
        return s.borrow(rows).filter(is_kept).group_by(&visit::page).count_distinct(&visit::from);
      });
    }
}

TEST(count_distinct, takes_keys_of_every_kind) {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<visit> rows{{1, 1, 0.0F, "a"}, {1, 1, -0.0F, "b"}, {1, 2, nan, "a"},
                                {3, 2, -nan, "a"}, {3, 2, nan, "a"},   {1, 1, 5, "a"}};
  const std::vector<counted> of_seconds{{0, 0}, {1, 3}, {2, 0}, {3, 1}};
  expect_rows(of_seconds, [&](session& s) {
    return s.borrow(rows).group_by(&visit::page, domain{4}).count_distinct(&visit::seconds);
  });
  const std::vector<counted> of_both{{0, 0}, {1, 3}, {2, 0}, {3, 1}};
  expect_rows(of_both, [&](session& s) {
    return s.borrow(rows).group_by(&visit::page, domain{4}).count_distinct([](const visit& one) {
      return pair<std::int32_t, std::string_view>{one.visitor, one.from};
    });
  });
  session s;
  const auto by_text = s.borrow(rows).group_by(&visit::from).count_distinct(&visit::page).collect();
  ASSERT_EQ(by_text.size(), 2u);
  EXPECT_EQ(by_text[0].key, "a");
  EXPECT_EQ(by_text[0].value, 2);
  EXPECT_EQ(by_text[1].value, 1);
  EXPECT_EQ(s.borrow(rows).count_distinct(&visit::seconds).get(), 3);
}

TEST(value_counts, have_the_most_frequent_first_then_the_least) {
  random random(103);
  for (const std::int64_t n : {0, 1, 200, 4097, up_to(65'537)}) {
    const auto rows = visits(random, n, 60, 9);
    std::map<std::int64_t, std::int64_t> counts;
    for (const auto& one : rows) ++counts[one.page];
    std::vector<counted> expected;
    for (const auto& [page, of] : counts) expected.push_back({page, of});
    std::ranges::stable_sort(expected, std::greater{}, &counted::value);
    expect_rows(expected, [&](session& s) { return s.borrow(rows).value_counts(&visit::page); });
  }
  session s;
  const auto words = s.from({std::string_view("b"), std::string_view("a"), std::string_view("b")});
  const auto top = words.value_counts().collect();
  EXPECT_EQ(top[0].key, "b");
  EXPECT_EQ(top[0].value, 2);
}

TEST(value_counts, have_the_most_frequent_pairs_first_then_the_least) {
  random random(105);
  const auto rows = visits(random, 4097, 20, 5);
  std::map<std::pair<std::int64_t, std::string_view>, std::int64_t> counts;
  for (const auto& one : rows) ++counts[{one.page, one.from}];
  std::vector<keyed<results<std::int64_t, std::string_view>, std::int64_t>> expected;
  for (const auto& [key, of] : counts) expected.push_back({{key.first, key.second}, of});
  std::ranges::stable_sort(expected, std::greater{}, [](const auto& of) { return of.value; });
  session s;
  const auto found =
      s.borrow(rows)
          .value_counts([](const visit& v) { return std::int64_t{v.page}; }, &visit::from)
          .collect();
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(found[i].key, expected[i].key) << i;
    EXPECT_EQ(found[i].value, expected[i].value) << i;
  }
}

TEST(by_value, chooses_and_sorts_groups) {
  session s;
  const auto counts = s.from({3, 1, 3, 2, 3, 1}).group_by([](int x) { return x; }).count();
  const auto keys = [](const auto& rows) {
    std::vector<int> all;
    for (const auto& row : rows.collect()) all.push_back(row.key);
    return all;
  };
  EXPECT_EQ(keys(counts.top(2, by_value)), (std::vector{3, 1}));
  EXPECT_EQ(keys(counts.sort_by(by_value)), (std::vector{2, 1, 3}));
  EXPECT_EQ(keys(counts.sort_by(descending(by_key))), (std::vector{3, 2, 1}));
}

std::vector<histogram_bin> reference(const std::vector<double>& values,
                                     const std::vector<double>& borders) {
  std::vector<histogram_bin> made;
  for (std::size_t i = 0; i + 1 < borders.size(); ++i) {
    const bool last = i + 2 == borders.size();
    made.push_back({borders[i], borders[i + 1], std::ranges::count_if(values, [&](double x) {
                      return x >= borders[i] &&
                             (x < borders[i + 1] || (last && x == borders.back()));
                    })});
  }
  return made;
}

TEST(histogram, counts_what_lies_between_borders) {
  random random(104);
  const struct {
    std::int64_t n;
    double low, high;
  } all[] = {{1, -1, 1}, {10, 0, 1}, {7, 0.1, 0.8}, {3, -1e300, 1e200}, {1000, -0.5, 1.5}};
  for (const auto rows : {0, 1, 4097, up_to(65'537)}) {
    auto values = random.reals(rows, -0.2, 1.2);
    for (std::size_t i = 0; i < values.size(); i += 5) values[i] = std::round(values[i] * 10) / 10;
    for (std::size_t i = 1; i < values.size(); i += 50)
      values[i] = i % 2 == 0 ? std::nan("") : i % 3 == 0 ? HUGE_VAL : -0.0;
    for (const auto& [n, low, high] : all) {
      std::vector<double> borders;
      for (std::int64_t i = 0; i < n; ++i)
        borders.push_back(low + static_cast<double>(i) * ((high - low) / static_cast<double>(n)));
      borders.push_back(high);
      expect_rows(reference(values, borders),
                  [&](session& s) { return s.borrow(values).histogram(n, low, high); });
    }
  }
}

TEST(histogram, refuses_what_has_no_parts) {
  session s;
  const auto rows = s.from({1.0, 2.0});
  EXPECT_THAT(
      [&] { rows.histogram(0, 0, 1); },
      ThrowsMessage<usage_error>("histogram: expected 1 to 1099511627776 parts, got 0 of them"));
  EXPECT_THAT([&] { rows.histogram(5, 1, 1); },
              ThrowsMessage<usage_error>(
                  "histogram: expected numbers low < high, got low = 1 and high = 1"));
  EXPECT_THAT([&] { rows.histogram(5, 0, HUGE_VAL); },
              ThrowsMessage<usage_error>(
                  "histogram: expected numbers low < high, got low = 0 and high = inf"));
  EXPECT_THAT([&] { rows.histogram(1 << 20, 1, std::nextafter(1, 2)); },
              ThrowsMessage<usage_error>(::testing::HasSubstr("narrower than numbers are apart")));
}

TEST(describe, tells_what_its_parts_tell_alone) {
  random random(105);
  for (const auto n : {1, 2, 5000}) {
    const auto rows = visits(random, n, 9, 100);
    session s;
    const auto all = s.borrow(rows);
    const auto got = all.describe(&visit::seconds).first().get();
    EXPECT_EQ(got.count, n);
    EXPECT_EQ(got.mean, all.mean(&visit::seconds).get());
    EXPECT_EQ(got.min, (all.min)(&visit::seconds).get());
    EXPECT_EQ(got.max, (all.max)(&visit::seconds).get());
    EXPECT_EQ(got.q25, all.quantile(0.25, &visit::seconds).get());
    EXPECT_EQ(got.q50, all.median(&visit::seconds).get());
    EXPECT_EQ(got.q75, all.quantile(0.75, &visit::seconds).get());
    double squares = 0;
    for (const auto& one : rows)
      squares += std::pow(static_cast<double>(one.seconds) - got.mean, 2);
    if (n == 1)
      EXPECT_TRUE(std::isnan(got.std));
    else
      EXPECT_NEAR(got.std, std::sqrt(squares / (n - 1)), 1e-9);

    const auto groups = all.group_by(&visit::page).describe(&visit::seconds).collect();
    const auto medians = all.group_by(&visit::page).median(&visit::seconds).collect();
    const auto means = all.group_by(&visit::page).mean(&visit::seconds).collect();
    ASSERT_EQ(groups.size(), medians.size());
    for (std::size_t i = 0; i < groups.size(); ++i) {
      EXPECT_EQ(groups[i].key, medians[i].key);
      EXPECT_EQ(groups[i].value.q50, medians[i].value);
      EXPECT_EQ(groups[i].value.mean, means[i].value);
    }
  }
}

TEST(describe, of_nothing_counts_nothing) {
  session s;
  const auto got = s.from(std::vector<double>{}).describe().first().get();
  EXPECT_EQ(got.count, 0);
  for (const double one : {got.mean, got.std, got.min, got.q25, got.q50, got.q75, got.max})
    EXPECT_TRUE(std::isnan(one));
}

}  // namespace
}  // namespace pappus::counting_tests
