#include <string>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "conformance/harness.h"
#include "device_ops/stage_runner.h"
#include "pappus/device_code.h"

namespace pappus::testing {
namespace {

using pappus::testing::compiling_devices;
using pappus::testing::records_of;
using pappus::testing::refusal;
using pappus::testing::run_on;

struct sale {
  int item;
  int amount;
};
struct item {
  int number;
  int price;
};
using sold = pair<sale, item>;

sold both(const sale& s, const item& i) { return {s, i}; }
int price(const sale& s, const item* i) { return i != nullptr ? i->price * s.amount : -s.amount; }
const char* const join_text =
    "typedef struct { int item, amount; } sale;\n"
    "typedef struct { int number, price; } item;\n"
    "int price(sale s, GLOBAL const item* i) { return i ? i->price * s.amount : -s.amount; }\n"
    "uchar is_dear(sale s) { return s.amount > 50; }\n"
    "int itself(int x) { return x; }\n"
    "ulong spread(int x) { return (ulong)x * 0x9e3779b97f4a7c15ul; }\n"
    "long value(sale s, item i) { return (long)s.amount * i.price; }\n";
bool is_dear(const sale& s) { return s.amount > 50; }
std::int64_t value_of_sale(const sale& s, const item& i) {
  return std::int64_t{s.amount} * i.price;
}
template <auto Function>
auto coded(const char* name) {
  return with_device_code(fn<Function>, device_text(name, join_text));
}

std::vector<sale> sales(std::int64_t n, int items, std::uint64_t seed) {
  random numbers(seed);
  std::vector<sale> rows(static_cast<std::size_t>(n));
  for (auto& r : rows)
    r = {static_cast<int>(numbers.between(-2, items + 2)),
         static_cast<int>(numbers.between(0, 99))};
  return rows;
}

/// Bit by bit, or by == records with bytes between their fields, which nobody promises to keep.
template <typename T>
::testing::AssertionResult same_records(const std::vector<T>& got, const std::vector<T>& expected) {
  if constexpr (std::has_unique_object_representations_v<T>)
    return same_rows(got, expected);
  else
    return got == expected ? ::testing::AssertionSuccess()
                           : ::testing::AssertionFailure() << "records differ";
}

/// Runs the query's stage on every device that compiles, in chunks of several sizes: it must yield
/// the CPU's records.
template <typename T, typename Query>
void expect_same_pairs(Query query) {
  session cpu(options{.threads = 2, .devices = "cpu"});
  const auto asked = query(cpu).materialise();
  ASSERT_EQ(refusal(*detail::access::node(asked)), "");
  const std::vector<T> expected = asked.collect().to_vector();
  const auto devices = compiling_devices();
  if (devices.empty()) GTEST_SKIP() << "there is no OpenCL device";
  for (const auto& device : devices)
    for (const std::int64_t chunk_rows : {0, 3'001}) {
      SCOPED_TRACE(device.name + ", chunks of " + std::to_string(chunk_rows));
      const auto got = records_of<T>(run_on(device, *detail::access::node(asked), chunk_rows));
      EXPECT_TRUE(same_records(got, expected));
    }
}

/// Keys of the right side: unique or not, consecutive or not, none at all; in a domain or hashed.
struct right_side {
  const char* name;
  std::vector<item> items;
};
std::vector<right_side> right_sides() {
  std::vector<right_side> all{{"no rows", {}}, {"one row", {{3, 4}}}};
  std::vector<item> consecutive, gaps, repeated;
  random numbers(81);
  for (int i = 0; i < 5'000; ++i) {
    consecutive.push_back({i + 10, i});
    gaps.push_back({3 * ((i * 7919) % 5'000), i});
    repeated.push_back({static_cast<int>(numbers.between(0, 999)), i});
  }
  all.push_back({"consecutive keys", std::move(consecutive)});
  all.push_back({"keys with gaps", std::move(gaps)});
  all.push_back({"repeated keys", std::move(repeated)});
  return all;
}

TEST(device_join, pairs_come_by_left_row_then_right_row) {
  const auto left = sales(20'011, 1'200, 82);
  for (const auto& right : right_sides()) {
    SCOPED_TRACE(right.name);
    expect_same_pairs<std::int64_t>([&](session& s) {
      return s.borrow(left).join(s.borrow(right.items), &sale::item, &item::number,
                                 coded<value_of_sale>("value"));
    });
    expect_same_pairs<std::int64_t>([&](session& s) {
      return s.borrow(left).join(s.borrow(right.items), &sale::item, &item::number,
                                 coded<value_of_sale>("value"), domain{15'000});
    });
  }
}

TEST(device_join, left_semi_and_anti_joins_are_those_of_the_cpu) {
  const auto left = sales(20'011, 1'200, 83);
  for (const auto& right : right_sides()) {
    SCOPED_TRACE(right.name);
    expect_same_pairs<int>([&](session& s) {
      return s.borrow(left).left_join(s.borrow(right.items), &sale::item, &item::number,
                                      coded<price>("price"));
    });
    expect_same_pairs<sale>([&](session& s) {
      return s.borrow(left).semi_join(s.borrow(right.items), &sale::item, &item::number);
    });
    expect_same_pairs<sale>([&](session& s) {
      return s.borrow(left).anti_join(s.borrow(right.items), &sale::item, &item::number);
    });
  }
}

int itself(int x) { return x; }
std::uint64_t spread(int x) { return static_cast<std::uint64_t>(x) * 0x9e3779b97f4a7c15u; }

TEST(device_join, keys_of_eight_bytes_and_of_several_fields_are_found) {
  random numbers(84);
  // Enough for a table of several regions.
  const auto left = numbers.ints(30'007, 0, 90'000), right = numbers.ints(60'000, 0, 90'000);
  expect_same_pairs<int>([&](session& s) {
    return s.borrow(left).join(s.borrow(right), coded<spread>("spread"), coded<spread>("spread"),
                               std::minus<int>());
  });
  expect_same_pairs<int>([&](session& s) {
    return s.borrow(left).join(s.borrow(right), coded<itself>("itself"), coded<itself>("itself"),
                               std::minus<int>());
  });
  std::vector<pair<short, float>> some, others;
  for (int i = 0; i < 7'000; ++i) {
    some.push_back({static_cast<short>(left[static_cast<std::size_t>(i)] % 90 - 45),
                    static_cast<float>(i % 13 - 6) * 0.0f + static_cast<float>(i % 5)});
    if (i % 70 == 0) others.push_back(some.back());
  }
  const auto whole = with_device_code(
      [](const pair<short, float>& x) { return x; },
      device_text("whole", "pair_short_float whole(pair_short_float x) { return x; }"));
  expect_same_pairs<pair<short, float>>(
      [&](session& s) { return s.borrow(some).semi_join(s.borrow(others), whole, whole); });
}

TEST(device_join, what_comes_before_and_after_is_in_the_same_kernel) {
  const auto left = sales(30'011, 900, 85);
  const auto right = right_sides().back().items;
  expect_same_pairs<std::int64_t>([&](session& s) {
    const auto items = s.borrow(right);
    return s.borrow(left)
        .filter(coded<is_dear>("is_dear"))
        .semi_join(items, &sale::item, &item::number)
        .anti_join(s.borrow(right).take(40), &sale::item, &item::number)
        .join(items, &sale::item, &item::number, coded<value_of_sale>("value"))
        .map(std::negate<std::int64_t>());
  });
  session cpu(options{.threads = 2, .devices = "cpu"});
  const auto total =
      cpu.borrow(left)
          .join(cpu.borrow(right), &sale::item, &item::number, coded<value_of_sale>("value"))
          .sum();
  ASSERT_EQ(refusal(*detail::access::node(total)), "");
  for (const auto& device : compiling_devices()) {
    SCOPED_TRACE(device.name);
    EXPECT_EQ(records_of<std::int64_t>(run_on(device, *detail::access::node(total))),
              std::vector<std::int64_t>{total.get()});
  }
}

TEST(device_join, a_session_on_a_device_probes_there) {
  const auto left = sales(100'003, 1'200, 87);
  const auto right = right_sides().back().items;
  const auto query = [&](session& s) {
    return s.borrow(left)
        .join(s.borrow(right), &sale::item, &item::number, coded<value_of_sale>("value"))
        .materialise();
  };
  session cpu(options{.threads = 2, .devices = "cpu"});
  const auto devices = compiling_devices();
  if (devices.empty()) GTEST_SKIP() << "there is no OpenCL device";
  for (const auto& device : devices) {
    if (device.used != device.real) continue;
    session s(options{.threads = 2, .devices = device.name});
    const auto told = query(s).explain_analyze();
    EXPECT_NE(told.find("ran on " + device.name), std::string::npos) << told;
    EXPECT_TRUE(same_rows(query(s).collect().to_vector(), query(cpu).collect().to_vector()));
  }
}

TEST(device_join, says_which_keys_the_cpu_looks_up) {
  session cpu(options{.devices = "cpu"});
  const auto wide = cpu.from(std::vector<pair<std::int64_t, std::int64_t>>(3));
  const auto whole = with_device_code([](const auto& x) { return x; },
                                      device_text("whole", "pair_long_long whole(...);"));
  const auto joined = wide.semi_join(wide, whole, whole).materialise();
  EXPECT_NE(refusal(*detail::access::node(joined))
                .find("keys of more than 8 bytes are looked up on the CPU"),
            std::string::npos);
}

TEST(device_join, devices_that_run_host_functions_use_the_hosts_index) {
  const auto left = sales(200'003, 1'200, 86);
  for (const auto& right : right_sides()) {
    SCOPED_TRACE(right.name);
    const auto query = [&](session& s) {
      return s.borrow(left).join(s.borrow(right.items), &sale::item, &item::number,
                                 [](const sale& a, const item& b) { return both(a, b); });
    };
    session cpu(options{.threads = 2, .devices = "cpu"});
    session s(options{.threads = 2,
                      .devices = "test:seed=3,test:seed=4+delay_us=0",
                      .device_memory = std::size_t{4} << 20});
    const auto told = query(s).explain_analyze();
    EXPECT_NE(told.find("ran on test:"), std::string::npos) << told;
    EXPECT_TRUE(same_rows(query(s).collect().to_vector(), query(cpu).collect().to_vector()));
  }
}

}  // namespace
}  // namespace pappus::testing
