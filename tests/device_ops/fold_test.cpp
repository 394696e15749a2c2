// Folds on devices of every kind: by lanes and without, and by a user's reducer.
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "conformance/harness.h"
#include "device_ops/stage_runner.h"
#include "pappus/device_code.h"

namespace pappus::testing {
namespace {

using pappus::testing::chosen_device;
using pappus::testing::devices_of_all_kinds;
using pappus::testing::records_of;
using pappus::testing::refusal;
using pappus::testing::run_on;

/// Leaves are 65536 rows, or a sixteenth of that.
constexpr std::int64_t fold_lengths[] = {0, 1, 17, 4'095, 70'001, 600'003};

/// check(the device's value, the CPU's, device) for a query's value on every device, in one chunk
/// and in chunks of few leaves.
template <typename Query, typename Check>
void check_everywhere(Query query, Check check) {
  session cpu(options{.threads = 2, .devices = "cpu"});
  const auto asked = query(cpu);
  ASSERT_EQ(refusal(*detail::access::node(asked)), "");
  const auto expected = asked.get();
  using value = std::remove_const_t<decltype(expected)>;
  for (const auto& device : devices_of_all_kinds())
    for (const std::int64_t chunk_rows : {0, 70'000}) {
      SCOPED_TRACE(device.name + ", chunks of " + std::to_string(chunk_rows));
      const auto got = records_of<value>(run_on(device, *detail::access::node(asked), chunk_rows));
      ASSERT_EQ(got.size(), 1u);
      check(got.front(), expected, device);
    }
}
template <typename Query>
void expect_same_value(Query query) {
  check_everywhere(query, [](const auto& got, const auto& expected, const auto&) {
    EXPECT_TRUE(same_bytes(got, expected));
  });
}

TEST(device_fold, of_integers_yields_the_cpus_value) {
  random numbers(101);
  for (const auto n : fold_lengths) {
    SCOPED_TRACE(n);
    const auto rows = numbers.ints(n, -2'000'000'000, 2'000'000'000);
    expect_same_value([&](session& s) { return s.borrow(rows).sum(); });
    expect_same_value([&](session& s) { return s.borrow(rows).count(); });
    expect_same_value([&](session& s) { return s.borrow(rows).reduce(0, std::bit_xor<int>{}); });
    if (n == 0) continue;  // without records there is none of these
    expect_same_value([&](session& s) { return s.borrow(rows).min(); });
    expect_same_value([&](session& s) { return s.borrow(rows).max(); });
    expect_same_value([&](session& s) { return s.borrow(rows).first(); });
  }
}

/// A device with the CPU's leaves adds in the CPU's order; any has an order of its own that chunks
/// don't change.
TEST(device_fold, adds_floats_in_lanes_in_an_order_of_their_own) {
  random numbers(102);
  for (const auto n : fold_lengths) {
    SCOPED_TRACE(n);
    const auto rows = numbers.reals(n, -1, 1);
    std::string last_device;
    double last = 0;
    check_everywhere([&](session& s) { return s.borrow(rows).sum(); },
                     [&](double got, double expected, const chosen_device& device) {
                       if (device.used->about().like_cpu) {
                         EXPECT_TRUE(same_bytes(got, expected));
                       }
                       EXPECT_NEAR(got, expected, 1e-9);
                       if (last_device == device.name) {
                         EXPECT_TRUE(same_bytes(got, last));
                       }
                       last_device = device.name;
                       last = got;
                     });
  }
}

TEST(device_fold, takes_what_filters_and_flat_maps_yield) {
  random numbers(103);
  const auto is_even =
      with_device_code([](int x) { return x % 2 == 0; },
                       device_text("is_even", "int is_even(int x) { return x % 2 == 0; }"));
  const auto copies =
      with_device_code([](int x) { return std::vector<int>(static_cast<std::size_t>(x % 5), x); },
                       device_text("copies",
                                   "long copies_count(int x) { return x % 5; }\n"
                                   "int copies_at(int x, long j) { return x; }"));
  for (const auto n : fold_lengths) {
    SCOPED_TRACE(n);
    const auto rows = numbers.ints(n, 0, 1'000'000);
    expect_same_value([&](session& s) { return s.borrow(rows).filter(is_even).sum(); });
    expect_same_value(
        [&](session& s) { return s.borrow(rows).filter(is_even).flat_map(copies).sum(); });
    expect_same_value([&](session& s) { return s.borrow(rows).flat_map(copies).count(); });
  }
}

/// Where the least value is, and how many rows there were: a state with two members and no lanes.
struct least_place {
  std::int64_t least = std::numeric_limits<std::int64_t>::max(), place = -1, seen = 0;
  void accumulate(const indexed<std::int64_t>& x) {
    if (x.value < least) {
      least = x.value;
      place = x.index;
    }
    ++seen;
  }
  void merge(const least_place& later) {
    if (later.least < least) {
      least = later.least;
      place = later.place;
    }
    seen += later.seen;
  }
  static device_code on_device() {
    return device_text("look_at", R"(
typedef struct { long index, value; } indexed_long;
typedef struct { long least, place, seen; } least_place;
void look_at(least_place* s, indexed_long x) {
  if (x.value < s->least) {
    s->least = x.value;
    s->place = x.index;
  }
  s->seen += 1;
}
)");
  }
};

TEST(device_fold, of_a_users_reducer_merges_leaves_in_row_order) {
  random numbers(104);
  for (const auto n : fold_lengths) {
    SCOPED_TRACE(n);
    std::vector<std::int64_t> rows;
    for (std::int64_t i = 0; i < n; ++i) rows.push_back(numbers.between(0, n / 100));  // many equal
    expect_same_value(
        [&](session& s) { return s.borrow(rows).enumerate().template reduce<least_place>(); });
  }
}

/// How many numbers there are of each kind, in a state of many bytes.
struct counts_of_kinds {
  static constexpr bool commutative = true;
  static constexpr int kinds = 40;
  std::int64_t n[kinds] = {};
  void accumulate(std::int64_t x) { ++n[x % kinds]; }
  void merge(const counts_of_kinds& other) {
    for (int kind = 0; kind < kinds; ++kind) n[kind] += other.n[kind];
  }
  static device_code on_device() {
    return device_text("count_kind", R"(
typedef struct { long n[40]; } counts_of_kinds;
void count_kind(counts_of_kinds* s, long x) { s->n[x % 40] += 1; }
)");
  }
};

/// A hash of its numbers, in any order.
struct any_order {
  static constexpr bool commutative = true;
  std::uint64_t total = 0;
  void accumulate(std::int64_t x) { total += mixed(static_cast<std::uint64_t>(x)); }
  void merge(const any_order& other) { total += other.total; }
  static std::uint64_t mixed(std::uint64_t x) { return (x ^ x >> 29) * 0x9e3779b97f4a7c15u; }
  static device_code on_device() {
    return device_text("add_mixed", R"(
typedef struct { ulong total; } any_order;
void add_mixed(any_order* s, long x) {
  const ulong u = (ulong)x;
  s->total += (u ^ u >> 29) * 0x9E3779B97F4A7C15UL;
}
)");
  }
};

// Leaves share stretches of rows: of two units of the chunks, or of less than one. The longest are
// thousands of leaves.
TEST(device_fold, of_reducers_that_take_any_order_has_each_row_once) {
  random numbers(105);
  for (const std::int64_t n : {1, 33, 70'001, 600'003, 2'100'001}) {
    SCOPED_TRACE(n);
    std::vector<std::int64_t> rows;
    for (std::int64_t i = 0; i < n; ++i) rows.push_back(numbers.between(0, 1'000'000));
    expect_same_value([&](session& s) { return s.borrow(rows).template reduce<any_order>(); });
    expect_same_value(
        [&](session& s) { return s.borrow(rows).template reduce<counts_of_kinds>(); });
  }
}

}  // namespace
}  // namespace pappus::testing
