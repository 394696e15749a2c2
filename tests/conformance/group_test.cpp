#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <map>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/harness.h"
#include "support/raw_file.h"

namespace pappus::testing {
namespace {

struct row {
  std::int32_t key;
  std::int32_t number;
  double value;
};

/// A user's reducer over records or their values.
struct total {
  double sum = 0;
  std::int64_t n = 0;
  void accumulate(const row& r) { accumulate(r.value); }
  void accumulate(double value) {
    sum += value;
    ++n;
  }
  void merge(const total& other) {
    sum += other.sum;
    n += other.n;
  }
  friend bool operator==(const total&, const total&) = default;
};

/// Values are multiples of 1/4, so that sums are exact whatever the order of addition.
std::vector<row> rows_of(random& random, std::int64_t n, int keys) {
  std::vector<row> rows(static_cast<std::size_t>(n));
  for (row& r : rows)
    r = {static_cast<std::int32_t>(random.between(0, keys - 1)),
         static_cast<std::int32_t>(random.between(-1000, 1000)),
         0.25 * static_cast<double>(random.between(-1000, 1000))};
  return rows;
}

/// With few rows: enough for more groups than a device's hash tables take, where there are as many.
int few_rows_of(int keys) { return keys < 100'000 ? 1501 : 20'011; }

/// Values whose sum depends on the order of addition.
std::vector<row> inexact_rows(random& random, std::int64_t n, int keys) {
  auto rows = rows_of(random, n, keys);
  for (row& r : rows) r.value = random.real(-1, 1) * std::exp(random.real(-20, 20));
  return rows;
}

std::vector<keyed<std::int32_t, total>> totals_of(const std::vector<row>& rows, int domain = 0) {
  std::map<std::int32_t, total> groups;
  for (int key = 0; key < domain; ++key) groups[key];
  for (const row& r : rows) groups[r.key].accumulate(r);
  std::vector<keyed<std::int32_t, total>> expected;
  for (const auto& [key, value] : groups) expected.push_back({key, value});
  return expected;
}

/// Comparison by ==, for records with padding.
template <typename T, typename Query>
PAPPUS_UNHURRIED void expect_equal_rows(const std::vector<T>& expected, Query query) {
  for (const auto& setting : settings()) {
    SCOPED_TRACE(setting);
    session s(setting.as_options());
    const auto got = query(s).collect().to_vector();
    ASSERT_EQ(got.size(), expected.size());
    for (std::size_t i = 0; i < got.size(); ++i)
      ASSERT_TRUE(got[i] == expected[i]) << "row " << i << " differs";
    expect_no_failures(s);
  }
}

/// The first result of a query, bit by bit the same under all settings of a kind of device. Kinds
/// (the CPU, devices like one, GPUs) may add floats in different orders.
template <typename Query>
PAPPUS_UNHURRIED void expect_same_sums(Query query) {
  using groups = std::vector<std::array<std::uint64_t, 3>>;
  groups first_on_cpu, first_on_device, first_on_gpu;
  for (const auto& setting : settings()) {
    SCOPED_TRACE(setting);
    session s(setting.as_options());
    groups got;
    for (const auto& group : query(s).collect())
      got.push_back({static_cast<std::uint64_t>(group.key),
                     std::bit_cast<std::uint64_t>(group.value.sum),
                     static_cast<std::uint64_t>(group.value.n)});
    const bool on_cpu = std::string_view(setting.devices) == "cpu";
    auto& first = on_cpu                        ? first_on_cpu
                  : adds_as_documented(setting) ? first_on_device
                                                : first_on_gpu;
    if (first.empty()) first = got;
    EXPECT_EQ(got, first);
    expect_no_failures(s);
  }
  ASSERT_EQ(first_on_device.size(), first_on_cpu.size());
  for (const auto* on : {&first_on_device, &first_on_gpu}) {
    if (on->empty()) continue;  // there is no GPU
    for (std::size_t i = 0; i < first_on_cpu.size(); ++i) {
      EXPECT_EQ((*on)[i][0], first_on_cpu[i][0]);
      const auto sum = std::bit_cast<double>(first_on_cpu[i][1]);
      EXPECT_NEAR(std::bit_cast<double>((*on)[i][1]), sum, 1e-12 * std::abs(sum) + 1e-300);
      EXPECT_EQ((*on)[i][2], first_on_cpu[i][2]);
    }
  }
}

TEST(group_by, matches_a_map_for_all_sizes_and_few_or_many_keys) {
  random random(41);
  for (const int keys : {1, 7, 100'000}) {
    for (const auto n : sizes(few_rows_of(keys))) {
      SCOPED_TRACE(::testing::Message() << n << " rows, " << keys << " keys");
      const auto rows = rows_of(random, n, keys);
      expect_equal_rows(totals_of(rows), [&](session& s) {
        return s.borrow(rows).group_by(&row::key).reduce<total>();
      });
    }
  }
}

TEST(group_by, keeps_empty_groups_of_a_domain) {
  random random(42);
  for (const auto n : {0, 1, up_to(5000), up_to(70'000)}) {
    for (const int keys : {1, 10, 3000, 200'000}) {  // the last one's table is partitioned
      SCOPED_TRACE(::testing::Message() << n << " rows, " << keys << " keys");
      const auto rows = rows_of(random, n, (keys + 1) / 2);
      expect_equal_rows(totals_of(rows, keys), [&](session& s) {
        return s.borrow(rows).group_by(&row::key, domain{keys}).reduce<total>(&row::value);
      });
    }
  }
}

TEST(group_by, adds_floats_in_an_order_that_no_setting_changes) {
  random random(43);
  for (const int keys : {3, 1000, 60'000, 200'000}) {
    SCOPED_TRACE(::testing::Message() << keys << " keys");
    const auto rows = inexact_rows(random, up_to(200'003, few_rows_of(keys)), keys);
    expect_same_sums(
        [&](session& s) { return s.borrow(rows).group_by(&row::key).reduce<total>(&row::value); });
    expect_same_sums([&](session& s) {
      return s.borrow(rows).group_by(&row::key, domain{keys}).reduce<total>(&row::value);
    });
  }
}

TEST(group_by, changes_to_partitions_when_many_groups_follow_few) {
  random random(44);
  auto rows = rows_of(random, 1'100'000, 50);
  const auto many = rows_of(random, 300'000, 200'000);
  rows.insert(rows.end(), many.begin(), many.end());
  const auto expected = totals_of(rows);
  for (const unsigned threads : {1u, 4u}) {
    session s(options{.threads = threads});
    EXPECT_EQ(s.borrow(rows).group_by(&row::key).reduce<total>().collect().to_vector(), expected);
  }
}

TEST(group_by, streams_files_in_windows_of_any_size_to_the_same_sums) {
  random random(50);
  const auto rows = inexact_rows(random, 300'007, 90'000);
  const std::string path = ::testing::TempDir() + "pappus_group_test.raw";
  write_records(path, rows);
  std::vector<std::vector<keyed<std::int32_t, total>>> first;
  for (const std::size_t memory : {std::size_t{30} << 20, std::size_t{1} << 30}) {
    session s(options{.threads = 2, .host_memory = memory});
    const auto file = s.raw<row>(path);
    const auto few = [](const row& r) { return r.key % 100; };
    const std::vector<std::vector<keyed<std::int32_t, total>>> got{
        file.group_by(few).reduce<total>().collect().to_vector(),
        file.group_by(few, domain{100}).reduce<total>().collect().to_vector(),
        file.group_by(&row::key).reduce<total>(&row::value).collect().to_vector(),
        file.group_by(&row::key, domain{90'000}).reduce<total>(&row::value).collect().to_vector()};
    if (first.empty()) first = got;
    EXPECT_TRUE(got == first) << memory << " bytes";
  }
  EXPECT_EQ(first[3].size(), 90'000u);
  std::remove(path.c_str());
}

TEST(group_by, groups_the_same_with_a_wrong_hint) {
  random random(45);
  const auto rows = rows_of(random, up_to(50'000), 300);
  for (const std::int64_t hint : {std::int64_t{0}, std::int64_t{1}, std::int64_t{10'000'000}})
    expect_equal_rows(totals_of(rows), [&](session& s) {
      return s.borrow(rows).group_by(&row::key).expect(hint).reduce<total>(&row::value);
    });
}

TEST(group_by, has_the_usual_reductions) {
  const std::vector<row> rows{{2, 5, 1.5}, {1, 7, 2}, {2, -3, 0.5}, {2, 4, 4}};
  session s(options{.threads = 2});
  const auto groups = s.borrow(rows).group_by(&row::key);
  const auto values = [](const auto& collection) {
    return collection.values().collect().to_vector();
  };
  EXPECT_EQ(values(groups.count()), (std::vector<std::int64_t>{1, 3}));
  EXPECT_EQ(values(groups.sum(&row::number)), (std::vector<std::int64_t>{7, 6}));
  EXPECT_EQ(values(groups.sum(&row::value)), (std::vector<double>{2, 6}));
  EXPECT_EQ(values(groups.min(&row::number)), (std::vector<int>{7, -3}));
  EXPECT_EQ(values(groups.max(&row::value)), (std::vector<double>{2, 4}));
  EXPECT_EQ(values(groups.mean(&row::value)), (std::vector<double>{2, 2}));
  EXPECT_EQ(values(groups.variance(&row::number))[0], 0);
  EXPECT_EQ(values(groups.first(&row::number)), (std::vector<int>{7, 5}));
  EXPECT_EQ(groups.first().collect()[1].value.number, 5);
  EXPECT_EQ(groups.keys().collect().to_vector(), (std::vector<int>{1, 2}));
  const std::vector<int> numbers{3, 4, 5, 6};
  const auto odd = s.borrow(numbers).group_by([](int x) { return x % 2 != 0; });
  EXPECT_EQ(values(odd.sum()), (std::vector<std::int64_t>{10, 8}));
  EXPECT_EQ(values(odd.max()), (std::vector<int>{6, 5}));
}

TEST(group_by, takes_fused_stages_of_any_shape) {
  const auto n = up_to(std::int64_t{100'003});
  std::map<int, std::int64_t> counts;
  for (std::int64_t i = 0; i < n; ++i)
    if (i % 3 != 0)
      for (int copy = 0; copy < 2; ++copy) ++counts[static_cast<int>((i + copy) % 11)];
  std::vector<keyed<int, std::int64_t>> expected;
  for (const auto& [key, count] : counts) expected.push_back({key, count});
  const auto query = [n](session& s) {
    return s.range(0, n)
        .filter([](std::int64_t i) { return i % 3 != 0; })
        .flat_map([](std::int64_t i) { return std::array<std::int64_t, 2>{i, i + 1}; })
        .map([](std::int64_t i) { return static_cast<int>(i % 11); });
  };
  const auto itself = [](int x) { return x; };
  expect_equal_rows(expected, [&](session& s) { return query(s).group_by(itself).count(); });
  expect_equal_rows(expected,
                    [&](session& s) { return query(s).group_by(itself, domain{11}).count(); });
}

struct place {
  std::int16_t country;
  bool capital;
  float height;
};

TEST(group_by, orders_composite_keys_by_their_fields) {
  const std::vector<place> places{{3, true, 1}, {-3, false, 2}, {3, false, -1}, {3, false, 5}};
  session s(options{.threads = 2});
  const auto got = s.borrow(places).group_by([](const place& p) { return p; }).count().collect();
  ASSERT_EQ(got.size(), 4u);
  EXPECT_EQ(got[0].key.country, -3);
  EXPECT_EQ(got[1].key.height, -1);
  EXPECT_EQ(got[2].key.height, 5);
  EXPECT_TRUE(got[3].key.capital);
}

TEST(group_by, takes_keys_of_sixteen_bytes) {
  random random(46);
  using key = pair<std::int64_t, std::int64_t>;
  std::vector<key> keys;
  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> counts;
  for (int i = 0; i < 60'000; ++i) {
    keys.push_back({random.between(-100, 100) << 50, random.between(-100, 100)});
    ++counts[{keys.back().first, keys.back().second}];
  }
  std::vector<keyed<key, std::int64_t>> expected;
  for (const auto& [k, n] : counts) expected.push_back({{k.first, k.second}, n});
  expect_equal_rows(expected, [&](session& s) {
    return s.borrow(keys).group_by([](const key& k) { return k; }).count();
  });
}

TEST(group_by, treats_all_nans_and_both_zeros_as_one_key_each) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  const std::vector<double> values{nan, 0.0, -nan, -0.0, inf, -inf, 1};
  session s(options{.threads = 2});
  const auto got = s.borrow(values).group_by([](double x) { return x; }).count().collect();
  ASSERT_EQ(got.size(), 5u);
  EXPECT_EQ(got[0].key, -inf);
  EXPECT_TRUE(got[1].key == 0 && !std::signbit(got[1].key));
  EXPECT_EQ(got[1].value, 2);
  EXPECT_EQ(got[3].key, inf);
  EXPECT_TRUE(std::isnan(got[4].key));
  EXPECT_EQ(got[4].value, 2);
}

TEST(group_by, groups_strings_in_byte_order) {
  random random(47);
  for (const int distinct : {1, 40, 30'000}) {
    SCOPED_TRACE(::testing::Message() << distinct << " strings");
    std::vector<std::string> names;
    for (int i = 0; i < distinct; ++i)
      names.push_back(i == 0 ? ""
                             : std::string(static_cast<std::size_t>(i % 20), 'x') +
                                   std::to_string(i * 7919 % 100'003));
    std::vector<std::string_view> values;
    std::map<std::string_view, std::int64_t> counts;
    for (int i = 0; i < 60'000; ++i) {
      values.push_back(names[static_cast<std::size_t>(random.between(0, distinct - 1))]);
      ++counts[values.back()];
    }
    std::vector<keyed<std::string_view, std::int64_t>> expected;
    for (const auto& [key, count] : counts) expected.push_back({key, count});
    expect_equal_rows(expected, [&](session& s) {
      return s.borrow(values).group_by([](std::string_view text) { return text; }).count();
    });
  }
}

TEST(group_by, hands_shared_data_to_its_key_function) {
  const auto query = [](session& s) {
    const std::vector<int> borders{10, 100, 1000};
    return s.range(0, 5000).group_by(
        [](int x, std::span<const int> sorted) {
          int key = 0;
          for (const int border : sorted) key += x >= border;
          return key;
        },
        s.from(borders).shared(), domain{5});
  };
  const std::vector<keyed<int, std::int64_t>> expected{
      {0, 10}, {1, 90}, {2, 900}, {3, 4000}, {4, 0}};
  expect_equal_rows(expected, [&](session& s) { return query(s).count(); });
}

TEST(group_by, calls_a_batched_key_function_with_blocks) {
  const auto query = [](session& s) {
    return s.range(0, 30'001)
        .filter([](int x) { return x % 5 != 0; })
        .materialise()
        .group_by(
            batched<int>([](std::span<const int> in, std::span<const int> by, std::span<int> out) {
              for (std::size_t i = 0; i < in.size(); ++i) out[i] = in[i] % by[0];
            }),
            s.from(std::vector<int>{3}).shared());
  };
  std::array<std::int64_t, 3> sums{};
  for (int x = 0; x < 30'001; ++x)
    if (x % 5 != 0) sums[static_cast<std::size_t>(x % 3)] += x;
  const std::vector<keyed<int, std::int64_t>> expected{{0, sums[0]}, {1, sums[1]}, {2, sums[2]}};
  expect_equal_rows(expected, [&](session& s) { return query(s).sum(); });
}

TEST(group_by, names_a_key_outside_the_domain) {
  session s(options{.threads = 2});
  for (const std::int64_t size : {std::int64_t{10}, std::int64_t{1'000'000}}) {
    const auto query = s.range(std::int64_t{0}, std::int64_t{1} << 21)
                           .map([size](std::int64_t i) { return i == 5 ? -size : i % size; })
                           .group_by([](std::int64_t x) { return x; }, domain{size})
                           .count();
    const auto k = std::to_string(size);
    try {
      query.collect();
      FAIL() << "expected a usage_error";
    } catch (const usage_error& e) {
      EXPECT_EQ(std::string(e.what()), "group_by: key -" + k + " lies outside domain{" + k +
                                           "}: expected 0 <= key < " + k +
                                           "; enlarge the domain, filter such records out or leave "
                                           "the domain out");
    }
  }
}

TEST(group_by, names_the_first_key_of_a_domain_that_has_no_greatest_value) {
  session s(options{.threads = 2});
  for (const std::int64_t size : {std::int64_t{10}, std::int64_t{1'000'000}}) {
    const auto groups = s.range(std::int64_t{0}, size)
                            .filter([](std::int64_t x) { return x != 3 && x != 7; })
                            .group_by([](std::int64_t x) { return x; }, domain{size});
    const auto expect_error = [](const auto& query, const std::string& reducer) {
      try {
        query.collect();
        FAIL() << "expected a usage_error";
      } catch (const usage_error& e) {
        EXPECT_EQ(std::string(e.what()),
                  "group_by." + reducer +
                      ": key 3 of the domain has no records: expected at least one; leave the "
                      "domain out, and the groups that have records stay, or use reduce<R>() with "
                      "a reducer whose finalize() has a value for none");
      }
    };
    expect_error(groups.max(), "max");
    expect_error(groups.min(), "min");
    expect_error(groups.first(), "first");
  }
}

TEST(group_by, refuses_a_negative_domain) {
  session s(options{.threads = 1});
  const auto itself = [](int x) { return x; };
  try {
    s.range(0, 3).group_by(itself, domain{-1});
    FAIL() << "expected a usage_error";
  } catch (const usage_error& e) {
    EXPECT_STREQ(e.what(), "group_by: expected domain{k} with k >= 0, got domain{-1}");
  }
}

TEST(group_by, hands_on_what_a_key_function_throws) {
  session s(options{.threads = 2});
  const auto query = s.range(0, 1'000'000)
                         .group_by([](int x) {
                           if (x == 700'000) throw std::domain_error("no key");
                           return x;
                         })
                         .count();
  EXPECT_THROW(query.collect(), std::domain_error);
}

TEST(map_groups, sees_each_group_in_row_order) {
  random random(48);
  const auto rows = rows_of(random, up_to(20'011), 500);
  std::map<int, std::vector<int>> numbers;
  for (const row& r : rows) numbers[r.key].push_back(r.number);
  // A hash that depends on the order.
  const auto mixed = [](const auto& group, auto number) {
    std::int64_t sum = 0;
    for (const auto& element : group) sum = (sum * 31 + number(element)) % 1'000'003;
    return sum;
  };
  std::vector<pair<std::int64_t, std::int64_t>> expected;
  for (const auto& [key, group] : numbers)
    expected.push_back({key, mixed(group, [](int x) { return x; })});
  const auto f = [mixed](int key, std::span<const row> group) {
    return pair<std::int64_t, std::int64_t>{key,
                                            mixed(group, [](const row& r) { return r.number; })};
  };
  expect_rows(expected,
              [&](session& s) { return s.borrow(rows).group_by(&row::key).map_groups(f); });
  expect_rows(expected, [&](session& s) {
    return s.borrow(rows).filter([](const row&) { return true; }).group_by(&row::key).map_groups(f);
  });
}

TEST(map_groups, hands_empty_groups_of_a_domain_to_the_function) {
  const std::vector<int> values{3, 1, 3};
  const std::vector<std::int64_t> expected{0, 1, 0, 2, 0};
  expect_rows(expected, [&](session& s) {
    return s.borrow(values)
        .group_by([](int x) { return x; }, domain{5})
        .map_groups([](int, std::span<const int> group) {
          return static_cast<std::int64_t>(group.size());
        });
  });
}

TEST(map_groups, takes_strings_as_keys) {
  const std::vector<std::string_view> words{"pear", "fig", "apple", "fig", "pear", "fig"};
  const std::vector<pair<std::int64_t, std::int64_t>> expected{{5, 1}, {3, 3}, {4, 2}};
  expect_rows(expected, [&](session& s) {
    return s.borrow(words)
        .group_by([](std::string_view word) { return word; })
        .map_groups([](std::string_view word, std::span<const std::string_view> group) {
          return pair<std::int64_t, std::int64_t>{static_cast<std::int64_t>(word.size()),
                                                  static_cast<std::int64_t>(group.size())};
        });
  });
}

TEST(distinct, yields_one_of_each_in_ascending_order) {
  random random(49);
  for (const int most : {0, 5, 1'000'000}) {
    const auto values = random.ints(up_to(100'000, few_rows_of(most)), -most, most);
    const std::set<int> unique(values.begin(), values.end());
    expect_rows(std::vector<int>(unique.begin(), unique.end()),
                [&](session& s) { return s.borrow(values).distinct(); });
  }
  session s(options{.threads = 2});
  EXPECT_EQ(s.range(0, 0).distinct().collect().size(), 0u);
  const std::vector<std::string_view> words{"b", "a", "b"};
  EXPECT_EQ(s.borrow(words).distinct().collect().to_vector(),
            (std::vector<std::string_view>{"a", "b"}));
}

}  // namespace
}  // namespace pappus::testing
