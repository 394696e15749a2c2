// Fields that may be missing: what sorts, groups, joins and reducers make of them, beside loops.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <vector>

#include <gmock/gmock.h>

#include "conformance/harness.h"
#include "conformance/missing_readings.h"

namespace pappus::testing::missing {
namespace {

using detail::text_in;

// Untyped code looks for the byte that says whether a value is there.
template <typename T>
void expect_known_presence(const T& value) {
  std::optional<T> there(value), none;
  std::byte bytes[sizeof there];
  std::memcpy(bytes, &there, sizeof there);
  EXPECT_EQ(bytes[detail::presence_at<T>()], std::byte{1});
  EXPECT_EQ(std::memcmp(bytes, &value, sizeof value), 0);
  std::memcpy(bytes, &none, sizeof none);
  EXPECT_EQ(bytes[detail::presence_at<T>()], std::byte{0});
  std::memcpy(bytes, &value, sizeof value);
  bytes[detail::presence_at<T>()] = std::byte{1};
  std::memcpy(&none, bytes, sizeof none);
  ASSERT_TRUE(none.has_value());
  EXPECT_EQ(*none, value);
}

TEST(missing, values_are_told_by_the_byte_behind_them) {
  expect_known_presence(true);
  expect_known_presence(std::int16_t{-3});
  expect_known_presence(7);
  expect_known_presence(0.5);
  expect_known_presence(std::string_view("text"));
  expect_known_presence(date::of(2024, 2, 29));
  expect_known_presence(timestamp{-1});
}

TEST(missing, text_is_found) {
  static_assert(detail::text_of<std::optional<std::string_view>>() == text_in::views);
  static_assert(detail::text_of<reading>() == text_in::views);
  static_assert(detail::text_of<std::optional<double>>() == text_in::none);
  std::vector<detail::text_place> places;
  detail::record_type_of<reading>().add_text_places(places);
  ASSERT_EQ(places.size(), 1u);
  const reading some{1, {}, {}, {}, {}, "Delft"};
  EXPECT_EQ(detail::text_at(reinterpret_cast<const std::byte*>(&some), places[0]), "Delft");
  reading none = some;
  none.town.reset();  // its bytes are still there
  EXPECT_EQ(detail::text_at(reinterpret_cast<const std::byte*>(&none), places[0]), "");
}

template <typename Order>
std::vector<std::int32_t> sorted_ids(std::vector<reading> rows, Order order) {
  std::ranges::stable_sort(rows,
                           [&](const reading& a, const reading& b) { return order(a, b) < 0; });
  std::vector<std::int32_t> ids;
  for (const auto& one : rows) ids.push_back(one.id);
  return ids;
}
template <typename Query>
auto ids_of(const Query& rows) {
  return rows.map([](const reading& one) { return one.id; });
}

TEST(sort_by, puts_what_is_missing_last) {
  random random(301);
  for (const auto n : sizes()) {
    if (n > 70'000) continue;
    SCOPED_TRACE(n);
    const auto rows = readings(random, n);
    const auto expect = [&](auto order, auto... keys) {
      expect_rows(sorted_ids(rows, order),
                  [&](session& s) { return ids_of(s.borrow(rows).sort_by(keys...)); });
    };
    expect([](auto& a, auto& b) { return compared(a.number, b.number); }, &reading::number);
    expect([](auto& a, auto& b) { return compared(a.value, b.value, true); },
           descending(&reading::value));
    expect([](auto& a, auto& b) { return compared(a.large, b.large, true); },
           descending(&reading::large));
    expect([](auto& a, auto& b) { return compared(a.town, b.town, true); },
           descending(&reading::town));
    expect(
        [](auto& a, auto& b) {
          const auto towns = compared(a.town, b.town), grades = compared(a.grade, b.grade, true);
          return towns != 0 ? towns : grades != 0 ? grades : compared(a.value, b.value);
        },
        &reading::town, descending(&reading::grade), &reading::value);
  }
}

TEST(sort_by, puts_what_is_missing_last_in_pairs) {
  random random(302);
  const auto rows = readings(random, up_to(30'001));
  const auto key = [](const reading& one) { return pair(one.grade, one.number); };
  for (const bool down : {false, true}) {
    const auto expected = sorted_ids(rows, [&](const reading& a, const reading& b) {
      const auto grades = compared(a.grade, b.grade, down);
      return grades != 0 ? grades : compared(a.number, b.number, down);
    });
    expect_rows(expected, [&](session& s) {
      return down ? collection<std::int32_t>(ids_of(s.borrow(rows).sort_by(descending(key))))
                  : collection<std::int32_t>(ids_of(s.borrow(rows).sort_by(key)));
    });
  }
}

// Keys of more than 64 bits within arrays.
TEST(group_by, arrays_of_what_may_be_missing_have_their_keys) {
  random random(314);
  const auto rows = readings(random, up_to(5001));
  std::map<std::optional<std::int64_t>, std::int64_t, by_number> expected;
  for (const auto& one : rows) ++expected[one.large];
  for (const auto& setting : settings()) {
    SCOPED_TRACE(setting);
    session s(setting.as_options());
    const auto got = s.borrow(rows)
                         .group_by([](const reading& one) { return std::array{one.large}; })
                         .count()
                         .collect();
    ASSERT_EQ(got.size(), expected.size());
    std::size_t next = 0;
    for (const auto& [key, n] : expected) {
      EXPECT_EQ(got[next].key[0], key);
      EXPECT_EQ(got[next++].value, n);
    }
  }
}

TEST(top, takes_what_is_missing_last) {
  random random(303);
  for (const auto n : {0, 1, 5, 4097, up_to(65'537)}) {
    const auto rows = readings(random, n);
    for (const std::int64_t most : {1, 10, 5000}) {
      SCOPED_TRACE(::testing::Message() << most << " of " << n);
      const auto first = [&](auto order) {
        auto ids = sorted_ids(rows, order);
        if (std::ssize(ids) > most) ids.resize(static_cast<std::size_t>(most));
        return ids;
      };
      expect_rows(first([](auto& a, auto& b) { return compared(a.number, b.number, true); }),
                  [&](session& s) { return ids_of(s.borrow(rows).top(most, &reading::number)); });
      expect_rows(first([](auto& a, auto& b) { return compared(a.town, b.town, true); }),
                  [&](session& s) { return ids_of(s.borrow(rows).top(most, &reading::town)); });
      expect_rows(first([](auto& a, auto& b) { return compared(a.large, b.large); }),
                  [&](session& s) { return ids_of(s.borrow(rows).bottom(most, &reading::large)); });
    }
  }
}

TEST(top, of_groups_takes_what_is_missing_last) {
  random random(313);
  for (const auto n : {0, 1, 17, up_to(20'001)}) {
    const auto rows = readings(random, n);
    for (const std::int64_t most : {2, 30}) {
      SCOPED_TRACE(::testing::Message() << most << " of " << n);
      const auto best = [&](auto order) {
        std::map<std::optional<std::int8_t>, std::vector<reading>, by_number> groups;
        for (const auto& one : rows) groups[one.grade].push_back(one);
        std::vector<std::int32_t> ids;
        for (const auto& [grade, of] : groups) {
          auto own = sorted_ids(of, order);
          if (std::ssize(own) > most) own.resize(static_cast<std::size_t>(most));
          ids.insert(ids.end(), own.begin(), own.end());
        }
        return ids;
      };
      expect_rows(
          best([](auto& a, auto& b) { return compared(a.number, b.number, true); }),
          [&](session& s) {
            return ids_of(s.borrow(rows).group_by(&reading::grade).top(most, &reading::number));
          });
      expect_rows(
          best([](auto& a, auto& b) { return compared(a.value, b.value); }), [&](session& s) {
            return ids_of(s.borrow(rows).group_by(&reading::grade).bottom(most, &reading::value));
          });
    }
  }
}

/// Groups by one field have what a loop finds: rows, and what their numbers are.
template <auto Key>
void expect_groups(const std::vector<reading>& rows) {
  using key = std::remove_cvref_t<decltype(std::declval<const reading&>().*Key)>;
  struct group {
    std::int64_t rows = 0, known = 0, sum = 0, positive = 0;
    std::optional<std::int32_t> least, greatest;
  };
  std::map<key, group, by_number> expected;
  for (const auto& one : rows) {
    auto& into = expected[one.*Key];
    ++into.rows;
    if (!one.number) continue;
    ++into.known;
    into.sum += *one.number;
    into.positive += *one.number > 0 ? 1 : 0;
    into.least = std::min(into.least.value_or(*one.number), *one.number);
    into.greatest = std::max(into.greatest.value_or(*one.number), *one.number);
  }
  for (const auto& setting : settings()) {
    SCOPED_TRACE(setting);
    session s(setting.as_options());
    const auto got = s.borrow(rows)
                         .group_by(Key)
                         .aggregate(count(), count(&reading::number), sum(&reading::number),
                                    (min)(&reading::number), (max)(&reading::number),
                                    mean(&reading::number), count_if([](const reading& r) {
                                      return r.number ? std::optional(*r.number > 0) : std::nullopt;
                                    }))
                         .collect();
    ASSERT_EQ(got.size(), expected.size());
    std::size_t next = 0;
    for (const auto& [of, group] : expected) {
      const auto& [n, known, total, least, greatest, average, positive] = got[next].value;
      EXPECT_EQ(compared(got[next++].key, of), 0);
      EXPECT_EQ(n, group.rows);
      EXPECT_EQ(known, group.known);
      EXPECT_EQ(total, group.sum);
      EXPECT_EQ(positive, group.positive);
      EXPECT_EQ(least, group.least);
      EXPECT_EQ(greatest, group.greatest);
      if (group.known == 0)
        EXPECT_NE(average, average) << "NaN";
      else
        EXPECT_EQ(average, static_cast<double>(group.sum) / static_cast<double>(group.known));
    }
  }
}

TEST(group_by, has_a_group_of_what_is_missing) {
  random random(304);
  for (const auto n : sizes()) {
    if (n > 70'000) continue;
    SCOPED_TRACE(n);
    const auto rows = readings(random, n);
    expect_groups<&reading::grade>(rows);
    expect_groups<&reading::value>(rows);
    expect_groups<&reading::large>(rows);
    expect_groups<&reading::town>(rows);
  }
}

TEST(group_by, several_fields_that_may_be_missing) {
  random random(305);
  const auto rows = readings(random, up_to(20'001));
  // std::optional's own order has what is missing first: it is told by a flag before.
  std::map<std::tuple<bool, std::string_view, bool, int>, std::int64_t> in_order;
  for (const auto& one : rows)
    ++in_order[{!one.town, one.town.value_or(""), !one.grade, one.grade.value_or(0)}];
  for (const auto& setting : settings()) {
    SCOPED_TRACE(setting);
    session s(setting.as_options());
    const auto got = s.borrow(rows).group_by(&reading::town, &reading::grade).count().collect();
    ASSERT_EQ(got.size(), in_order.size());
    std::size_t next = 0;
    for (const auto& [key, n] : in_order) {
      const auto& [town, grade] = got[next].key;
      EXPECT_EQ(key, std::tuple(!town, town.value_or(""), !grade, int{grade.value_or(0)}));
      EXPECT_EQ(got[next++].value, n);
    }
  }
}

TEST(reducers, pass_over_what_is_missing) {
  random random(306);
  for (const auto n : sizes())
    for (const int known : {0, 2, 3}) {
      SCOPED_TRACE(::testing::Message() << n << " rows, " << known << " of 3 known");
      auto rows = readings(random, n, known);
      for (auto& one : rows)
        if (one.value && *one.value != *one.value) one.value = 0.5;
      std::int64_t count_of = 0, sum_of = 0;
      std::optional<double> least, greatest;
      std::optional<std::int32_t> id_of_greatest;
      for (const auto& one : rows) {
        count_of += one.number.has_value();
        sum_of += one.number.value_or(0);
        if (!one.value) continue;
        least = std::min(least.value_or(*one.value), *one.value);
        if (!greatest || *one.value > *greatest) {
          greatest = one.value;
          id_of_greatest = one.id;
        }
      }
      for (const auto& setting : settings()) {
        SCOPED_TRACE(setting);
        session s(setting.as_options());
        const auto all = s.borrow(rows);
        EXPECT_EQ(all.count(&reading::number).get(), count_of);
        EXPECT_EQ(all.sum(&reading::number).get(), sum_of);
        EXPECT_EQ(all.min(&reading::value).get(), least);
        EXPECT_EQ(all.max(&reading::value).get(), greatest);
        const auto [n_of, total, low, high, best] =
            all.aggregate(count(&reading::number), sum(&reading::number), (min)(&reading::value),
                          (max)(&reading::value), argmax(&reading::value, &reading::id))
                .get();
        EXPECT_EQ(std::tuple(n_of, total, low, high),
                  std::tuple(count_of, sum_of, least, greatest));
        ASSERT_EQ(best.has_value(), id_of_greatest.has_value());
        if (best) {
          EXPECT_EQ(best->value, *greatest);
          EXPECT_EQ(best->arg, *id_of_greatest);
        }
      }
    }
}

/// Sums and means of floats have the bits of those that are there, put where zeros stand for what
/// isn't: lanes are those of rows.
TEST(reducers, of_floats_that_may_be_missing_have_the_same_bits_everywhere) {
  random random(307);
  for (const auto n : {1, 17, 4097, up_to(200'003)}) {
    std::vector<std::optional<double>> values;
    std::vector<double> zeros;
    std::int64_t known = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      values.push_back(random.between(0, 2) > 0 ? std::optional(random.real(-1e3, 1e3))
                                                : std::nullopt);
      zeros.push_back(values.back().value_or(0));
      known += values.back().has_value();
    }
    session one(options{.threads = 1, .devices = "cpu"});
    const double expected = one.borrow(zeros).sum().get();
    expect_value(expected, [&](session& s) { return s.borrow(values).sum().get(); });
    expect_value(expected / static_cast<double>(known),
                 [&](session& s) { return s.borrow(values).mean().get(); });
    const double spread = one.borrow(values).variance().get();
    expect_value(spread, [&](session& s) { return s.borrow(values).variance().get(); });
    double squares = 0;
    for (const auto& x : values)
      if (x)
        squares += (*x - expected / static_cast<double>(known)) *
                   (*x - expected / static_cast<double>(known));
    EXPECT_NEAR(spread, squares / static_cast<double>(known), 1e-6 * (1 + spread));
  }
}

struct station {
  std::int32_t id;
  std::optional<std::int32_t> number;
};

using pairs = std::vector<pair<std::int32_t, std::int32_t>>;

/// Pairs of ids; -1: no match.
struct joined_by_hand {
  pairs inner, left, right, full;
  std::vector<std::int32_t> semi, anti;

  template <typename KeyOf>
  joined_by_hand(const std::vector<reading>& rows, const std::vector<station>& stations,
                 KeyOf key_of) {
    const auto match = [&](const reading& a, const station& b) {
      const auto key = key_of(b);
      return a.number && key && *a.number == *key;
    };
    for (const auto& a : rows) {
      const auto before = inner.size();
      for (const auto& b : stations)
        if (match(a, b)) inner.push_back({a.id, b.id});
      const bool any = inner.size() > before;
      (any ? semi : anti).push_back(a.id);
      left.insert(left.end(), inner.begin() + static_cast<std::ptrdiff_t>(before), inner.end());
      if (!any) left.push_back({a.id, -1});
    }
    full = left;
    for (const auto& b : stations) {
      const auto before = right.size();
      for (const auto& a : rows)
        if (match(a, b)) right.push_back({a.id, b.id});
      if (right.size() > before) continue;
      right.push_back({-1, b.id});
      full.push_back({-1, b.id});
    }
  }
};

template <typename Number, typename Key, typename KeyOf>
void expect_joins(const std::vector<reading>& rows, const std::vector<station>& stations,
                  Number number, Key key, KeyOf key_of) {
  const joined_by_hand expected(rows, stations, key_of);
  const auto ids = [](const reading* a, const station* b) {
    return pair<std::int32_t, std::int32_t>(a != nullptr ? a->id : -1, b != nullptr ? b->id : -1);
  };
  const auto both = [ids](const reading& a, const station& b) { return ids(&a, &b); };
  const auto left = [ids](const reading& a, const station* b) { return ids(&a, b); };
  const auto right = [ids](const reading* a, const station& b) { return ids(a, &b); };
  expect_rows(expected.inner, [&](session& s) {
    return s.borrow(rows).join(s.borrow(stations), number, key, both);
  });
  expect_rows(expected.left, [&](session& s) {
    return s.borrow(rows).left_join(s.borrow(stations), number, key, left);
  });
  expect_rows(expected.right, [&](session& s) {
    return s.borrow(rows).right_join(s.borrow(stations), number, key, right);
  });
  expect_rows(expected.full, [&](session& s) {
    return s.borrow(rows).full_join(s.borrow(stations), number, key, ids);
  });
  expect_rows(expected.semi, [&](session& s) {
    return ids_of(s.borrow(rows).semi_join(s.borrow(stations), number, key));
  });
  expect_rows(expected.anti, [&](session& s) {
    return ids_of(s.borrow(rows).anti_join(s.borrow(stations), number, key));
  });
}

TEST(join, never_matches_what_is_missing) {
  random random(308);
  for (const auto [n, m] : {pair(0, 3), pair(1, 0), pair(400, 70), pair(up_to(5001), 90)}) {
    SCOPED_TRACE(::testing::Message() << n << " and " << m << " rows");
    const auto rows = readings(random, n);
    std::vector<station> stations;
    for (std::int32_t i = 0; i < m; ++i) {
      station one{i, {}};
      if (random.between(0, 2) > 0) one.number = static_cast<std::int32_t>(random.between(-45, 45));
      stations.push_back(one);
    }
    const auto number_of = [](const station& b) { return b.number; };
    expect_joins(rows, stations, &reading::number, &station::number, number_of);
    expect_joins(rows, stations, &reading::number, &station::id,
                 [](const station& b) { return std::optional(b.id); });
    // A key of several fields, of which one is missing, is missing.
    expect_joins(
        rows, stations, [](const reading& a) { return pair(a.number, std::int8_t{7}); },
        [](const station& b) { return pair(b.number, std::int8_t{7}); }, number_of);
    expect_joins(
        rows, stations, [](const reading& a) { return std::array{a.number, a.number}; },
        [](const station& b) { return std::array{b.number, b.number}; }, number_of);
  }
}

TEST(distinct, takes_missing_values_for_equal) {
  random random(309);
  const auto rows = readings(random, up_to(10'001));
  std::vector<std::optional<std::int32_t>> numbers;
  std::vector<std::optional<std::string_view>> towns;
  for (const auto& one : rows) {
    numbers.push_back(one.number);
    towns.push_back(one.town);
  }
  const auto different = [](auto values) {
    std::ranges::stable_sort(values,
                             [](const auto& a, const auto& b) { return compared(a, b) < 0; });
    values.erase(std::unique(values.begin(), values.end()), values.end());
    return values;
  };
  for (const auto& setting : settings()) {
    SCOPED_TRACE(setting);
    session s(setting.as_options());
    EXPECT_EQ(s.borrow(numbers).distinct().collect().to_vector(), different(numbers));
    EXPECT_EQ(s.borrow(towns).distinct().collect().to_vector(), different(towns));
    EXPECT_EQ(s.borrow(numbers).intersect(s.borrow(numbers)).collect().to_vector(),
              different(numbers));
    EXPECT_TRUE(s.borrow(numbers).except(s.borrow(numbers)).collect().empty());
  }
}

TEST(lambdas, see_what_is_missing) {
  random random(310);
  for (const auto n : {0, 1, 4097, up_to(70'001)}) {
    std::vector<std::optional<float>> values;
    for (std::int64_t i = 0; i < n; ++i)
      values.push_back(random.between(0, 2) > 0
                           ? std::optional(static_cast<float>(random.between(-8, 8)))
                           : std::nullopt);
    const auto doubled = [](const std::optional<float>& x) -> std::optional<float> {
      if (!x || *x == 3) return std::nullopt;
      return 2 * *x;
    };
    std::vector<float> expected;
    for (const auto& x : values)
      if (const auto y = doubled(x); y) expected.push_back(*y + (x.value_or(0) < 0 ? 100 : 0));
    expect_rows(expected, [&](session& s) {
      return s.borrow(values)
          .map([doubled](const std::optional<float>& x) { return pair(x, doubled(x)); })
          .filter([](const auto& both) { return both.second.has_value(); })
          .map([](const auto& both) {
            return *both.second + (both.first.value_or(0) < 0 ? 100.0f : 0.0f);
          });
    });
  }
}

}  // namespace
}  // namespace pappus::testing::missing
