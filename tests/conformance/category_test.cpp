// Categories against the same queries of std::string_view: equal results, but for their types.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <unistd.h>

#include "conformance/harness.h"

namespace pappus::testing::category_queries {
namespace {

/// The same records, with text of either kind.
template <typename Text>
struct flight_of {
  Text carrier;
  std::optional<Text> to;
  std::int32_t delay;
};
using flight = flight_of<category>;
using text_flight = flight_of<std::string_view>;

static_assert(sizeof(flight) == 16 && sizeof(category) == 4);
static_assert(detail::text_of<flight>() == detail::text_in::none, "there is none to be copied");
static_assert(detail::field_count<flight>() == 3);

/// Few different ones, some of which begin others; in the dictionary in another order than theirs.
std::string_view drawn_text(random& random) {
  static const std::vector<std::string> some = [] {
    std::vector<std::string> made{"",   "b",  "ba", "a", "more than eight bytes", "more than eight",
                                  "zz", "B9", "aa", "y", std::string("a\0", 2),   "\xFF\xFE"};
    for (int i = 70; i > 0; --i) made.push_back("t" + std::to_string(i));
    for (const auto& text : made) category{text};
    return made;
  }();
  return some[static_cast<std::size_t>(random.between(0, std::ssize(some) - 1))];
}

struct both {
  std::vector<flight> coded;
  std::vector<text_flight> plain;
};
both drawn(std::int64_t n, std::uint64_t seed) {
  random random(seed);
  both rows;
  for (std::int64_t i = 0; i < n; ++i) {
    text_flight one{drawn_text(random), drawn_text(random),
                    static_cast<std::int32_t>(random.between(-60, 600))};
    if (random.between(0, 4) == 0) one.to.reset();
    rows.plain.push_back(one);
    rows.coded.push_back({one.carrier, one.to, one.delay});
  }
  return rows;
}

// Results as text, so that those of both kinds can be compared.
template <typename T>
std::string shown(const std::vector<T>& rows) {
  std::string all;
  for (const auto& row : rows) all += detail::shown_text(row) + '\n';
  return all;
}

/// query(session's rows) yields the same of both kinds of records, under every setting.
template <typename Query>
PAPPUS_UNHURRIED void expect_same(const Query& query,
                                  const std::vector<std::int64_t>& lengths = {0, 1, 17, 4097}) {
  for (const auto n : lengths) {
    SCOPED_TRACE(n);
    const auto rows = drawn(n, 7 + static_cast<std::uint64_t>(n));
    session plain({.threads = 1, .devices = "cpu"});
    const auto expected = shown(query(plain.from(rows.plain)).collect().to_vector());
    for (const auto& setting : settings()) {
      SCOPED_TRACE(setting);
      const pretended_time pretending(setting.slow ? now_and_then_slow : nullptr);
      session s(setting.as_options());
      ASSERT_EQ(shown(query(s.from(rows.coded)).collect().to_vector()), expected);
      expect_no_failures(s);
    }
  }
}

constexpr auto carrier_of = [](const auto& x) { return x.carrier; };
constexpr auto destination_of = [](const auto& x) { return x.to; };
constexpr auto delay_of = [](const auto& x) { return x.delay; };
constexpr auto both_of = [](const auto& x) { return pair{x.carrier, x.delay % 5}; };
constexpr auto first_rows = []<typename K, typename T>(const K& key, std::span<const T> rows) {
  return pair{key, rows.front().delay};
};
constexpr auto pair_of = [](const auto& a, const auto& b) { return pair{a, b.delay}; };
constexpr auto pair_or_none = [](const auto& a, const auto* b) {
  return pair{a, b == nullptr ? 0 : b->delay};
};

TEST(categories, group_in_the_order_of_their_texts) {
  expect_same([](const auto& rows) { return rows.group_by(carrier_of).mean(delay_of); },
              {0, 1, 2, 17, 4097, 65'537, 200'003});
  expect_same([](const auto& rows) {
    return rows.group_by(carrier_of)
        .aggregate(count(), min(delay_of), first(carrier_of), max(carrier_of));
  });
}

TEST(categories, group_by_several_keys_and_by_what_is_missing) {
  expect_same([](const auto& rows) { return rows.group_by(destination_of).count(); });
  expect_same([](const auto& rows) { return rows.group_by(both_of).sum(delay_of); });
  expect_same(
      [](const auto& rows) { return rows.group_by(destination_of, delay_of, carrier_of).count(); });
}

TEST(categories, of_more_than_16_bytes_of_keys_are_packed) {
  expect_same([](const auto& rows) {
    return rows
        .group_by(carrier_of, destination_of, delay_of, [](const auto& x) { return x.delay * 2.5; })
        .count();
  });
}

TEST(categories, map_groups_in_the_order_of_their_texts) {
  expect_same([](const auto& rows) { return rows.group_by(carrier_of).map_groups(first_rows); });
  expect_same(
      [](const auto& rows) { return rows.group_by(destination_of).map_groups(first_rows); });
  expect_same([](const auto& rows) { return rows.group_by(both_of).map_groups(first_rows); });
  expect_same([](const auto& rows) { return rows.group_by(carrier_of).top(2, delay_of); });
}

TEST(categories, sort_by_their_texts) {
  expect_same([](const auto& rows) { return rows.sort_by(carrier_of); }, {0, 1, 17, 4097, 65'537});
  expect_same([](const auto& rows) {
    return rows.sort_by(descending(destination_of), ascending(delay_of), carrier_of);
  });
  expect_same([](const auto& rows) { return rows.top(5, carrier_of); });
  expect_same([](const auto& rows) { return rows.bottom(5, destination_of); });
}

// Of std::string_view they are no keys of sort_by.
TEST(categories, sort_as_parts_of_keys) {
  const auto rows = drawn(5000, 3);
  auto expected = rows.coded;
  std::ranges::stable_sort(expected, [](const flight& a, const flight& b) {
    if (a.to.has_value() != b.to.has_value()) return a.to.has_value();
    if (a.to && *a.to != *b.to) return *a.to > *b.to;
    return a.delay % 5 != b.delay % 5 ? a.delay % 5 > b.delay % 5 : a.carrier > b.carrier;
  });
  for (const auto& setting : settings()) {
    SCOPED_TRACE(setting);
    session s(setting.as_options());
    const auto sorted = s.from(rows.coded)
                            .sort_by(descending([](const flight& x) {
                              return pair{x.to, pair{x.delay % 5, x.carrier}};
                            }))
                            .collect()
                            .to_vector();
    ASSERT_EQ(shown(sorted), shown(expected));
  }
}

TEST(categories, are_keys_of_joins) {
  expect_same(
      [](const auto& rows) { return rows.join(rows.take(40), carrier_of, carrier_of, pair_of); });
  expect_same([](const auto& rows) {
    return rows.left_join(rows.skip(5).take(40), carrier_of, carrier_of, pair_or_none);
  });
  expect_same(
      [](const auto& rows) { return rows.semi_join(rows.take(20), carrier_of, carrier_of); });
  expect_same([](const auto& rows) {
    return rows.asof_join(rows.take(30), carrier_of, carrier_of, delay_of, delay_of, pair_or_none);
  });
}

TEST(categories, that_are_missing_match_nothing) {
  const auto rows = drawn(3000, 11);
  std::vector<pair<std::int32_t, std::int32_t>> expected;
  for (const auto& a : rows.coded)
    for (std::size_t i = 0; i < 30; ++i)
      if (a.to && rows.coded[i].to == a.to) expected.push_back({a.delay, rows.coded[i].delay});
  expect_rows(expected, [&](session& s) {
    const auto all = s.from(rows.coded);
    return all.join(all.take(30), &flight::to, &flight::to, [](const flight& a, const flight& b) {
      return pair<std::int32_t, std::int32_t>{a.delay, b.delay};
    });
  });
}

// On one side alone, too.
TEST(categories, that_may_be_missing_match_those_that_are_there) {
  const auto rows = drawn(3000, 17);
  std::vector<std::int32_t> expected;
  for (const auto& a : rows.coded)
    if (a.to && std::ranges::any_of(rows.coded.begin(), rows.coded.begin() + 9,
                                    [&](const flight& b) { return b.carrier == *a.to; }))
      expected.push_back(a.delay);
  ASSERT_GT(expected.size(), 100u);
  expect_rows(expected, [&](session& s) {
    const auto all = s.from(rows.coded);
    return all.semi_join(all.take(9), &flight::to, &flight::carrier).map(&flight::delay);
  });
}

// Of std::string_view they are no keys of joins.
TEST(categories, join_as_parts_of_keys) {
  const auto rows = drawn(3000, 13);
  std::vector<std::int32_t> expected;
  for (const auto& a : rows.coded)
    for (std::size_t i = 0; i < 300; ++i)
      if (both_of(rows.coded[i]) == both_of(a)) {
        expected.push_back(a.delay);
        break;
      }
  ASSERT_GT(expected.size(), 100u);
  expect_rows(expected, [&](session& s) {
    const auto all = s.from(rows.coded);
    return all.semi_join(all.take(300), both_of, both_of).map(&flight::delay);
  });
}

TEST(categories, have_groups_as_ranges_in_the_order_of_texts) {
  expect_same([](const auto& rows) { return rows.group_by(carrier_of).median(delay_of); });
  expect_same(
      [](const auto& rows) { return rows.group_by(destination_of).quantile(0.9, delay_of); });
  expect_same([](const auto& rows) {
    return rows.group_by(carrier_of).quantiles(std::array{0.0, 0.3}, delay_of);
  });
  expect_same([](const auto& rows) { return rows.group_by(carrier_of).count_distinct(delay_of); });
}

TEST(categories, are_counted) {
  expect_same([](const auto& rows) { return rows.map(carrier_of).distinct(); });
  expect_same([](const auto& rows) { return rows.value_counts(carrier_of); });
  expect_same(
      [](const auto& rows) { return rows.group_by(carrier_of).count_distinct(destination_of); });
  expect_same(
      [](const auto& rows) { return rows.group_by(destination_of).count_distinct(carrier_of); });
  const auto rows = drawn(20'000, 5);
  session s;
  const auto coded = s.from(rows.coded);
  const auto plain = s.from(rows.plain);
  EXPECT_EQ(coded.count_distinct(&flight::to).get(),
            plain.map([](const text_flight& x) { return x.to.value_or("none of the texts"); })
                    .count_distinct()
                    .get() -
                1);
  EXPECT_EQ(coded.max(&flight::carrier).get().text(), plain.max(&text_flight::carrier).get());
  EXPECT_EQ(coded.min(&flight::to).get()->text(), "");
}

TEST(categories, are_sets) {
  expect_same([](const auto& rows) {
    return rows.map(carrier_of).take(9).union_with(rows.map(carrier_of).skip(3000));
  });
  expect_same([](const auto& rows) {
    return rows.map(carrier_of).intersect(rows.map(carrier_of).skip(4000));
  });
  expect_same([](const auto& rows) {
    return rows.map(carrier_of).except(rows.map(carrier_of).skip(4000)).sort();
  });
}

TEST(categories, are_compared_with_text_and_with_each_other) {
  const auto rows = drawn(4097, 2);
  const category more = "more than eight";
  std::vector<std::int32_t> expected;
  for (const auto& x : rows.plain)
    if (x.carrier == "more than eight" || x.carrier == "b" || x.carrier > "t60")
      expected.push_back(x.delay);
  expect_rows(expected, [&](session& s) {
    return s.from(rows.coded)
        .filter([more](const flight& x) {
          return x.carrier == more || x.carrier == "b" || x.carrier > "t60";
        })
        .map(&flight::delay);
  });
}

TEST(categories, equal_a_captured_one) {
  const auto rows = drawn(4097, 9);
  const category wanted = "t7";
  const auto query = [&](session& s) {
    return s.from(rows.coded)
        .filter([wanted](const flight& x) { return x.carrier == wanted; })
        .map(&flight::delay);
  };
  std::vector<std::int32_t> expected;
  for (const auto& x : rows.plain)
    if (x.carrier == "t7") expected.push_back(x.delay);
  expect_rows(expected, query);
#ifdef PAPPUS_TEST_LAMBDAS_ON_OPENCL
  if (opencl_devices() == 0) return;
  session s({.devices = "opencl:0"});
  EXPECT_THAT(query(s).explain(), ::testing::ContainsRegex("launch s1 [^\n]*opencl:0, chunk"));
#endif
}

TEST(categories, are_made_of_text_on_all_threads) {
  struct named {
    std::array<char, 8> name;
  };
  std::vector<named> names(100'000);
  for (std::size_t i = 0; i < names.size(); ++i)
    std::snprintf(names[i].name.data(), 8, "n%zu", i * 7919 % 5003);
  std::vector<std::int64_t> expected;
  for (const auto& setting : settings()) {
    SCOPED_TRACE(setting);
    session s(setting.as_options());
    const auto groups = s.from(names)
                            .map([](const named& x) { return category(x.name.data()); })
                            .group_by(detail::to_itself{})
                            .count()
                            .collect();
    ASSERT_EQ(groups.size(), 5003u);
    EXPECT_TRUE(std::ranges::is_sorted(groups, {}, [](const auto& x) { return x.key.text(); }));
    for (const auto& group : groups)
      ASSERT_NEAR(static_cast<double>(group.value), 100'000 / 5003.0, 1) << group.key.text();
  }
}

TEST(categories, are_values_of_other_operators) {
  expect_same(
      [](const auto& rows) {
        return rows.group_by(carrier_of)
            .aggregate(argmax(delay_of, destination_of), approx_count_distinct(carrier_of),
                       last(destination_of));
      },
      {1, 17, 4097});
  expect_same([](const auto& rows) {
    return rows.sort_by(delay_of).group_by(carrier_of).over(lag(destination_of));
  });
  expect_same([](const auto& rows) {
    return rows.map(carrier_of).concat(rows.map(carrier_of).reverse()).take(5000).skip(3);
  });
  expect_same([](const auto& rows) { return rows.group_by(carrier_of).take(2); });
  expect_same([](const auto& rows) {
    return rows.full_join(rows.take(30), carrier_of, carrier_of, [](const auto* a, const auto* b) {
      return pair{a == nullptr ? 0 : a->delay, b == nullptr ? 0 : b->delay};
    });
  });
}

TEST(categories, name_files) {
  const auto folder =
      std::filesystem::temp_directory_path() / ("pappus-categories-" + std::to_string(::getpid()));
  session s;
  s.from(std::vector<flight>{{"AB", {}, 1}, {"KL", "x", 2}, {"AB", "y", 3}})
      .write_by(&flight::carrier, (folder / "{}.csv").string());
  std::ifstream file(folder / "AB.csv");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}),
            "carrier,to,delay\nAB,,1\nAB,y,3\n");
  EXPECT_TRUE(std::filesystem::exists(folder / "KL.csv"));
  std::filesystem::remove_all(folder);
}

TEST(categories, are_shown_as_text) {
  session s({.devices = "cpu"});
  std::ostringstream to;
  to << category("AB") << ' '
     << s.from(std::vector<flight>{{"AB", "c\nd", 1}, {"", {}, 2}}).collect();
  EXPECT_EQ(to.str(),
            "AB carrier   to        delay\n"
            "category  category    i32\n"
            "AB        c\\nd          1\n"
            "          null          2\n"
            "2 rows\n");
}

TEST(categories, group_and_join_on_a_device_and_sort_on_the_cpu) {
  const auto rows = drawn(100, 1);
  session s({.devices = "test:seed=1+delay_us=0"});
  const auto all = s.from(rows.coded);
  EXPECT_THAT(
      all.group_by(&flight::carrier).mean(&flight::delay).explain(),
      ::testing::ContainsRegex("launch s1 group_by.mean: group_by.mean, [^\n]*test:[0-9]+, chunk"));
  EXPECT_THAT(all.semi_join(all.take(9), &flight::carrier, &flight::carrier).explain(),
              ::testing::ContainsRegex("launch s[0-9] semi_join: [^\n]*test:[0-9]+, chunk"));
  EXPECT_THAT(all.sort_by(&flight::carrier).explain(),
              ::testing::HasSubstr("sort_by: keys that are strings or wider than 8 bytes are "
                                   "sorted on the CPU"));
}

}  // namespace
}  // namespace pappus::testing::category_queries
