// group_by and distinct on devices: the CPU's answers, however little memory there is.
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <iostream>
#include <limits>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "device_ops/coded_readings.h"
#include "device_ops/stage_runner.h"
#include "devices/registry.h"
#include "pappus/pappus.h"

namespace pappus::testing {
namespace {

struct row {
  std::int32_t key;
  std::int32_t number;
  double value;
};

constexpr std::size_t mebibyte = std::size_t{1} << 20;

struct setting {
  std::string devices;
  std::size_t memory;
  options as_options() const { return {.threads = 2, .devices = devices, .device_memory = memory}; }
};

/// Test devices: one and two, little memory, and one that isn't like a CPU.
const std::vector<setting>& test_devices() {
  static const std::vector<setting> all{
      {"test:seed=1", 64 * mebibyte},
      {"test:seed=2", 24 * mebibyte},  // room for one leaf
      {"test:seed=3,test:seed=4+memory=48MiB", 64 * mebibyte},
      {"test:seed=5+like=gpu+memory=256MiB+buffer=64MiB", 256 * mebibyte},
  };
  return all;
}

/// Compares all bytes but padding.
template <typename T>
bool same(const T& a, const T& b) {
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}
template <typename K, typename V>
bool same(const keyed<K, V>& a, const keyed<K, V>& b) {
  return same(a.key, b.key) && same(a.value, b.value);
}

template <typename Expected, typename Found>
void expect_same_records(const Expected& expected, const Found& found) {
  ASSERT_EQ(expected.size(), found.size());
  for (std::size_t i = 0; i < found.size(); ++i)
    ASSERT_TRUE(same(expected[i], found[i])) << "record " << i;
}

/// Runs ask(session) -> collection on the CPU and on a device, and compares: expect(cpu, device).
template <typename Ask, typename Same>
void compare(const setting& where, Ask&& ask, Same&& expect) {
  SCOPED_TRACE(where.devices);
  session cpu(options{.threads = 2, .devices = "cpu"}), other(where.as_options());
  expect(ask(cpu).collect(), ask(other).collect());
  for (const auto& fault : other.device_faults()) ADD_FAILURE() << fault;
}
template <typename Ask>
void expect_same_bytes(const setting& where, Ask&& ask) {
  compare(where, ask,
          [](const auto& cpu, const auto& device) { expect_same_records(cpu, device); });
}
template <typename Ask>
void expect_close(const setting& where, Ask&& ask) {
  compare(where, ask, [](const auto& cpu, const auto& device) {
    ASSERT_EQ(cpu.size(), device.size());
    for (std::size_t i = 0; i < cpu.size(); ++i) {
      ASSERT_EQ(cpu[i].key, device[i].key);
      ASSERT_NEAR(cpu[i].value, device[i].value, 1e-12 * std::abs(cpu[i].value)) << cpu[i].key;
    }
  });
}
template <typename Ask>
void expect_same_bytes_on_test_devices(Ask&& ask) {
  for (const auto& where : test_devices()) expect_same_bytes(where, ask);
}

/// Whether a query's last stage runs on a device, or why not.
template <typename Query>
void expect_on_device(const setting& where, const Query& query) {
  const auto text = query.explain_analyze();
  EXPECT_NE(text.find("ran on " + where.devices.substr(0, where.devices.find(':'))),
            std::string::npos)
      << text;
}

std::vector<row> rows_of(std::int64_t n, std::int64_t keys, std::uint64_t seed) {
  std::cout << "seed " << seed << '\n';
  std::mt19937_64 random(seed);
  std::vector<row> rows(static_cast<std::size_t>(n));
  for (auto& r : rows)
    r = {static_cast<std::int32_t>(static_cast<std::int64_t>(random() % std::uint64_t(keys)) -
                                   keys / 2),
         static_cast<std::int32_t>(random() % 2001) - 1000,
         std::ldexp(static_cast<double>(random() % 1'000'000), -10)};
  return rows;
}

constexpr std::array<std::int64_t, 7> sizes{0, 1, 2, 4097, 32'768, 65'537, 200'003};

TEST(group_on_device, sums_integers_by_any_key_like_the_cpu) {
  for (const auto n : sizes)
    for (const std::int64_t keys : {1, 7, 5'000, 1'000'000}) {
      SCOPED_TRACE(std::to_string(n) + " rows, " + std::to_string(keys) + " keys");
      const auto rows = rows_of(n, keys, 1);
      for (const auto& where : {test_devices()[0], test_devices()[3]})
        expect_same_bytes(where, [&](session& s) {
          return s.borrow(rows).group_by(&row::key).sum(&row::number);
        });
    }
}

TEST(group_on_device, needs_no_device_code_where_it_runs_host_functions) {
  const auto rows = rows_of(10'000, 10, 2);
  for (const auto& where : test_devices()) {
    session s(where.as_options());
    expect_on_device(where,
                     s.borrow(rows).group_by([](const row& r) { return r.key % 3; }).count());
  }
}

TEST(group_on_device, merges_leaves_of_many_chunks_and_devices) {
  const auto rows = rows_of(1'500'000, 300'000, 3);
  expect_same_bytes_on_test_devices(
      [&](session& s) { return s.borrow(rows).group_by(&row::key).sum(&row::number); });
  for (const auto& where : test_devices())
    expect_close(where,
                 [&](session& s) { return s.borrow(rows).group_by(&row::key).sum(&row::value); });
}

TEST(group_on_device, takes_rows_that_filters_leave) {
  const auto rows = rows_of(200'003, 100, 4);
  for (const int most : {-1000, -999, 0, 1001})  // none, few, half of them, all
    expect_same_bytes_on_test_devices([&](session& s) {
      return s.borrow(rows)
          .filter([most](const row& r) { return r.number < most; })
          .group_by(&row::key)
          .sum(&row::number);
    });
}

TEST(group_on_device, counts_and_finds_distinct_keys) {
  const auto rows = rows_of(200'003, 4'000, 5);
  expect_same_bytes_on_test_devices([&](session& s) {
    return s.borrow(rows).map([](const row& r) { return std::int64_t{r.key} << 32; }).distinct();
  });
  expect_same_bytes_on_test_devices(
      [&](session& s) { return s.borrow(rows).group_by(&row::key).count(); });
}

TEST(group_on_device, has_one_group_for_nan_and_one_for_both_zeros) {
  auto numbers = std::vector<double>(100'001);
  const std::array some{0.0,
                        -0.0,
                        1.5,
                        -1.5,
                        std::numeric_limits<double>::infinity(),
                        std::nan("1"),
                        -std::nan("2"),
                        std::numeric_limits<double>::denorm_min()};
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = some[i * i % some.size()];
  expect_same_bytes_on_test_devices([&](session& s) { return s.borrow(numbers).distinct(); });
}

/// A user's reducer whose state isn't a number, and whose merge isn't commutative.
struct last_two {
  std::int32_t before = 0, last = 0;
  std::int64_t n = 0;
  void accumulate(std::int32_t x) {
    before = last;
    last = x;
    ++n;
  }
  void merge(const last_two& other) {
    if (other.n == 0) return;
    before = other.n == 1 ? last : other.before;
    last = other.last;
    n += other.n;
  }
  std::int64_t finalize() const { return before * std::int64_t{10'000} + last; }
};

TEST(group_on_device, accumulates_and_merges_in_row_order) {
  const auto rows = rows_of(700'001, 50, 6);
  expect_same_bytes_on_test_devices([&](session& s) {
    return s.borrow(rows).group_by(&row::key).reduce<last_two>(&row::number);
  });
  expect_same_bytes_on_test_devices([&](session& s) {
    return s.borrow(rows)
        .group_by([](const row& r) { return r.key + 25; }, domain{50})
        .reduce<last_two>(&row::number);
  });
}

// Devices that aren't like a CPU have an order of their own: group_order_test.cpp.
TEST(group_on_device, adds_floats_of_a_small_domain_in_the_order_of_the_cpu) {
  auto rows = rows_of(300'003, 2, 7);
  std::mt19937_64 random(7);
  for (auto& r : rows) {
    r.key = static_cast<std::int32_t>(random() % 90);
    r.value = std::exp(static_cast<double>(random() % 4000) / 100 - 20);
  }
  for (const int n : {90, 100, 4000}) {
    const auto ask = [&](session& s) {
      return s.borrow(rows).group_by(&row::key, domain{n}).sum(&row::value);
    };
    for (const auto& where : test_devices()) {
      if (where.devices.find("like=gpu") == std::string::npos)
        expect_same_bytes(where, ask);
      else
        expect_close(where, ask);
    }
    expect_same_bytes({"test:seed=8", 2 * mebibyte}, ask);
  }
}

TEST(group_on_device, moves_to_the_cpu_where_memory_is_too_small_for_a_leaf) {
  const auto rows = rows_of(200'003, 1000, 16);
  const setting small{"test:seed=9", mebibyte};
  session cpu(options{.devices = "cpu"}), other(small.as_options());
  const auto ask = [&](session& s) { return s.borrow(rows).group_by(&row::key).sum(&row::number); };
  expect_same_records(ask(cpu).collect(), ask(other).collect());
  ASSERT_EQ(other.device_faults().size(), 1u);
  EXPECT_NE(other.device_faults()[0].find("not even 200003 rows fit"), std::string::npos)
      << other.device_faults()[0];
}

TEST(group_on_device, has_a_record_for_each_key_of_a_large_domain) {
  auto rows = rows_of(100'000, 90'000, 8);
  for (auto& r : rows) r.key += 45'000;
  expect_same_bytes_on_test_devices([&](session& s) {
    return s.borrow(rows).group_by(&row::key, domain{100'000}).sum(&row::number);
  });
  expect_same_bytes_on_test_devices([&](session& s) {
    return s.borrow(rows)
        .group_by([](const row& r) { return std::int64_t{r.key}; }, domain{100'000})
        .count();
  });
}

TEST(group_on_device, of_no_rows_has_the_groups_of_its_domain) {
  const std::vector<row> none;
  expect_same_bytes_on_test_devices(
      [&](session& s) { return s.borrow(none).group_by(&row::key, domain{5}).sum(&row::number); });
  expect_same_bytes_on_test_devices(
      [&](session& s) { return s.borrow(none).group_by(&row::key).sum(&row::number); });
}

template <typename Ask>
std::string complaint(const setting& where, Ask&& ask) {
  session s(where.as_options());
  try {
    ask(s);
  } catch (const usage_error& e) {
    return e.what();
  }
  return "none";
}

TEST(group_on_device, complains_of_keys_outside_the_domain_like_the_cpu) {
  auto rows = rows_of(70'000, 1, 9);
  rows[66'000].key = -1;
  for (const int size : {10, 100'000}) {
    const auto ask = [&](session& s) {
      s.borrow(rows).group_by(&row::key, domain{size}).count().collect();
    };
    const auto expected = complaint({"cpu", 0}, ask);
    EXPECT_NE(expected.find("key -1 lies outside"), std::string::npos) << expected;
    for (const auto& where : test_devices()) EXPECT_EQ(complaint(where, ask), expected);
    for (const auto& device : devices::all_devices())
      EXPECT_EQ(complaint({device->about().name, 64 * mebibyte}, ask), expected);
  }
}

TEST(group_on_device, lets_through_what_a_key_function_throws) {
  auto rows = rows_of(1000, 5, 10);
  rows[700].number = 5000;
  for (const auto& where : test_devices()) {
    session s(where.as_options());
    const auto groups = s.borrow(rows).group_by(
        [](const row& r) { return r.number > 1000 ? throw std::out_of_range("5000") : r.key; });
    EXPECT_THROW(groups.count().collect(), std::out_of_range);
  }
}

TEST(group_on_device, leaves_strings_and_long_keys_to_the_cpu) {
  const std::vector<row> rows = rows_of(100, 5, 11);
  session s(test_devices()[0].as_options());
  const auto strings = s.borrow(rows).group_by([](const row&) { return std::string_view("x"); });
  EXPECT_NE(strings.count().explain().find("its keys are strings"), std::string::npos)
      << strings.count().explain();
  EXPECT_EQ(strings.count().collect().size(), 1u);
  const auto longs = s.borrow(rows).group_by(
      [](const row& r) { return pair<std::int64_t, std::int64_t>{r.key, r.number}; });
  EXPECT_NE(longs.count().explain().find("more than 8 bytes"), std::string::npos);
}

// Few groups go through a hash table a leaf; a leaf with more than it has room for is sorted.

constexpr std::int32_t table_groups = 16384;  // that a hash table has room for
constexpr std::int64_t leaf_rows = 262'144;   // of what is below

TEST(group_on_device, finds_few_groups_in_one_pass) {
  const auto launches = [](const std::vector<row>& rows) {
    session s(test_devices()[0].as_options());
    return s.borrow(rows).group_by(&row::key).sum(&row::number).explain_analyze();
  };
  auto rows = rows_of(20'000, 1, 18);
  for (std::size_t i = 0; i < rows.size(); ++i)
    rows[i].key = static_cast<std::int32_t>(i) % table_groups;
  EXPECT_NE(launches(rows).find(": 1 launches"), std::string::npos) << launches(rows);
  rows.back().key = table_groups;
  EXPECT_EQ(launches(rows).find(": 1 launches"), std::string::npos) << launches(rows);
}

TEST(group_on_device, has_as_many_groups_as_a_table_has_room_for_or_one_more) {
  auto rows = rows_of(600'001, 1, 19);
  for (const int keys : {table_groups - 1, table_groups, table_groups + 1}) {
    SCOPED_TRACE(keys);
    for (std::size_t i = 0; i < rows.size(); ++i)
      rows[i].key = static_cast<int>(static_cast<unsigned>(i % static_cast<std::size_t>(keys)) *
                                     1'000'003u);  // wraps: some are negative
    expect_same_bytes_on_test_devices(
        [&](session& s) { return s.borrow(rows).group_by(&row::key).sum(&row::number); });
  }
}

/// Rows with few keys, but for those of one leaf.
std::vector<row> rows_with_keys_in_one_leaf(std::int64_t full_leaf) {
  auto rows = rows_of(5 * leaf_rows - 777, 90, 20);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].value *= 0.1;  // so that sums are rounded
    if (static_cast<std::int64_t>(i) / leaf_rows == full_leaf)
      rows[i].key = static_cast<int>(i % 100'003);
  }
  return rows;
}

TEST(group_on_device, adds_floats_in_one_order_whichever_leaves_are_sorted) {
  session cpu(options{.threads = 2, .devices = "cpu"});
  for (const std::int64_t full_leaf : {-1, 0, 2}) {
    SCOPED_TRACE(full_leaf);
    const auto rows = rows_with_keys_in_one_leaf(full_leaf);
    const auto ask = [&](session& s) {
      return s.borrow(rows).group_by(&row::key).sum(&row::value);
    };
    session one(test_devices()[0].as_options());
    const auto expected = ask(one).collect();
    for (const auto& where : test_devices()) {
      SCOPED_TRACE(where.devices);
      session s(where.as_options());
      expect_same_records(expected, ask(s).collect());
      EXPECT_TRUE(s.device_faults().empty());
    }
    for (const auto& device : devices_of_all_kinds())
      for (const std::int64_t chunk_rows : {std::int64_t{0}, std::int64_t{1}, leaf_rows * 2}) {
        SCOPED_TRACE(device.name + ", chunks of " + std::to_string(chunk_rows));
        expect_same_records(expected, records_of<keyed<std::int32_t, double>>(run_on(
                                          device, *detail::access::node(ask(cpu)), chunk_rows)));
      }
  }
}

// What follows is compiled for the device.

/// On every OpenCL device, and each as if it weren't like a CPU.
/// \param exactly  what is asked for has the same bits however leaves are cut; else only devices
///                 that are like a CPU are asked
template <typename Ask>
void expect_same_bytes_where_compiled(Ask&& ask, bool exactly = true) {
  auto all = compiling_devices();
  if (!exactly)
    std::erase_if(all, [](const auto& device) { return !device.used->about().like_cpu; });
  if (all.empty()) GTEST_SKIP() << "there is no OpenCL device";
  session cpu(options{.threads = 2, .devices = "cpu"});
  const auto query = ask(cpu);
  const auto expected = query.collect();
  using record = typename decltype(expected)::value_type;
  ASSERT_EQ(refusal(*detail::access::node(query)), "");
  for (const auto& device : all) {
    SCOPED_TRACE(device.name);
    expect_same_records(expected, records_of<std::remove_const_t<record>>(
                                      run_on(device, *detail::access::node(query))));
  }
}

TEST(group_on_device, runs_on_opencl_where_a_session_names_it) {
  if (devices::all_devices().empty()) GTEST_SKIP() << "there is no OpenCL device";
  const auto rows = rows_of(300'000, 1000, 17);
  const setting where{devices::all_devices()[0]->about().name, 64 * mebibyte};
  const auto ask = [&](session& s) { return s.borrow(rows).group_by(&row::key).sum(&row::number); };
  expect_same_bytes(where, ask);
  session s(where.as_options());
  expect_on_device(where, ask(s));
}

TEST(group_on_device, compiles_for_keys_of_both_widths_and_any_reducer) {
  const auto rows = rows_of(600'001, 20'000, 12);
  expect_same_bytes_where_compiled(
      [&](session& s) { return s.borrow(rows).group_by(&row::key).sum(&row::number); });
  expect_same_bytes_where_compiled(
      [&](session& s) { return s.borrow(rows).group_by(&row::value).max(&row::number); });
  expect_same_bytes_where_compiled(
      [&](session& s) { return s.borrow(rows).group_by(&row::key).first(); });
  expect_same_bytes_where_compiled(
      [&](session& s) { return s.borrow(rows).group_by(&row::number).count(); });
}

/// Keys whose bits are all alike, among others.
template <typename Key>
std::vector<Key> extreme_keys(std::size_t n) {
  using limits = std::numeric_limits<Key>;
  constexpr std::array<Key, 6> some{limits::max(), 0, limits::min(), 1, limits::max() - 1, 77};
  std::vector<Key> keys(n);
  for (std::size_t i = 0; i < n; ++i) keys[i] = some[i * i % 11 % some.size()];
  return keys;
}

TEST(group_on_device, takes_the_least_and_the_greatest_key) {
  const auto ints = extreme_keys<std::int32_t>(10'001);
  const auto numbers = extreme_keys<std::uint64_t>(10'001);
  const detail::to_itself itself;
  const auto count = [&](session& s) { return s.borrow(ints).group_by(itself).count(); };
  const auto sum = [&](session& s) { return s.borrow(numbers).group_by(itself).sum(); };
  expect_same_bytes_on_test_devices(count);
  expect_same_bytes_on_test_devices(sum);
  expect_same_bytes_where_compiled(count);
  expect_same_bytes_where_compiled(sum);
}

TEST(group_on_device, compiles_without_values) {
  const auto rows = rows_of(300'000, 1'000'000, 13);
  std::vector<std::int64_t> numbers;
  for (const auto& r : rows) numbers.push_back(std::int64_t{r.key} * 1'000'003);
  expect_same_bytes_where_compiled([&](session& s) { return s.borrow(numbers).distinct(); });
}

TEST(group_on_device, compiles_for_small_and_large_domains) {
  auto rows = rows_of(400'003, 5000, 14);
  for (auto& r : rows) r.key += 2500;
  for (const int n : {5000, 300'000})
    expect_same_bytes_where_compiled([&](session& s) {
      return s.borrow(rows).group_by(&row::key, domain{n}).mean(&row::number);
    });
  expect_same_bytes_where_compiled([&](session& s) {
    return s.borrow(rows).group_by(&row::key, domain{5000}).sum(&row::value);
  });
}

TEST(group_on_device, compiles_functions_and_reducers_of_the_user) {
  const auto rows = readings(250'001, 15);
  expect_same_bytes_where_compiled(
      [&](session& s) {
        return s.borrow(rows)
            .filter(positive_ones())
            .group_by(in_buckets(17), domain{17})
            .reduce<weighted_sum>();
      },
      false);
  expect_same_bytes_where_compiled([&](session& s) {
    return s.borrow(rows).filter(positive_ones()).group_by(in_buckets(17)).max(&reading::number);
  });
}

}  // namespace
}  // namespace pappus::testing
