// Every operator with device code on every device: OpenCL with one and two devices and little
// memory, the test device, and the CPU, whose result is the reference.
//
// Integers must be the same bit by bit, and so must whatever rounds nothing; sums of floats may
// differ in their last digits.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "conformance/harness.h"
#include "pappus/pappus.h"

namespace pappus::testing {
namespace {

struct coded_reading {
  int station;
  int value;
  double level;
};

// The records and functions of the text, in C++.
constexpr const char* text = R"(
typedef struct { int station; int value; double level; } coded_reading;
typedef struct { long n; double least; int last; } summary;

double scaled(coded_reading r, double factor) { return r.level * factor + (double)r.value; }
int is_kept(coded_reading r, int least) { return r.value >= least; }
int above_mean(coded_reading r, GLOBAL const double* mean, long n) { return r.level > mean[0]; }
long copies_count(coded_reading r) { return (r.value % 4 + 4) % 4; }
long copies_at(coded_reading r, long j) { return (long)r.value * 10 + j; }
int in_group(coded_reading r) { return r.station; }
int remainder7(coded_reading r) { return ((r.value % 7) + 7) % 7; }
void add_reading(summary* s, coded_reading r) {
  if (s->n == 0 || r.level < s->least) s->least = r.level;
  s->n += 1;
  s->last = r.value;
}
long wide(coded_reading r) { return r.value; }
long greater(long a, long b) { return a > b ? a : b; }
int distance_to(coded_reading r, int p) { return r.value > p ? r.value - p : p - r.value; }
long greater_up_to(long a, long b, long most) {
  const long g = a > b ? a : b;
  return g < most ? g : most;
}
)";

double scaled(const coded_reading& r, double factor) { return r.level * factor + r.value; }
bool is_kept(const coded_reading& r, int least) { return r.value >= least; }
bool above_mean(const coded_reading& r, std::span<const double> mean) { return r.level > mean[0]; }
std::vector<std::int64_t> copies(const coded_reading& r) {
  std::vector<std::int64_t> all(static_cast<std::size_t>((r.value % 4 + 4) % 4));
  for (std::size_t j = 0; j < all.size(); ++j)
    all[j] = std::int64_t{r.value} * 10 + static_cast<std::int64_t>(j);
  return all;
}
int in_group(const coded_reading& r) { return r.station; }
int remainder7(const coded_reading& r) { return ((r.value % 7) + 7) % 7; }
std::int64_t wide(const coded_reading& r) { return r.value; }
std::int64_t greater(std::int64_t a, std::int64_t b) { return a > b ? a : b; }
int distance_to(const coded_reading& r, int pivot) { return std::abs(r.value - pivot); }
std::int64_t greater_up_to(std::int64_t a, std::int64_t b, std::int64_t most) {
  return std::min(std::max(a, b), most);
}

struct summary {
  std::int64_t n = 0;
  double least = 0;
  int last = 0;
  void accumulate(const coded_reading& r) {
    if (n == 0 || r.level < least) least = r.level;
    ++n;
    last = r.value;
  }
  void merge(const summary& other) {
    if (other.n == 0) return;
    if (n == 0 || other.least < least) least = other.least;
    n += other.n;
    last = other.last;
  }
  std::array<double, 3> finalize() const {
    return {static_cast<double>(n), least, static_cast<double>(last)};
  }
  static device_code on_device() { return device_text("add_reading", text); }
};

template <auto Function, typename... Values>
auto coded(const char* name, Values... values) {
  return with_device_code(fn<Function>, device_text(name, text), values...);
}

std::vector<coded_reading> coded_readings(std::int64_t n, std::uint64_t seed) {
  random numbers(seed);
  std::vector<coded_reading> rows(static_cast<std::size_t>(n));
  for (auto& r : rows)
    r = {static_cast<int>(numbers.between(0, 99)), static_cast<int>(numbers.between(-5000, 5000)),
         numbers.real(-1, 1)};
  return rows;
}

struct runs_on {
  const char* name;
  const char* devices;
  std::size_t memory;
  std::int64_t chunk_rows;
};

class device_code_on : public ::testing::TestWithParam<runs_on> {
 protected:
  void SetUp() override {
    const std::string_view devices = GetParam().devices;
    const bool on_opencl = devices.starts_with("opencl");
    if (few_rows() && (!on_opencl || GetParam().memory != 0))
      GTEST_SKIP() << "few rows only run on OpenCL, in place";
    const auto needed = 1 + std::ranges::count(devices, ',');
    if (on_opencl && opencl_devices() < static_cast<std::size_t>(needed))
      GTEST_SKIP() << "needs " << needed << " OpenCL devices";
  }

  /// query(session, rows) must yield the same on the device and on the CPU, and must have run
  /// there. With few rows at most `few`.
  template <typename Query, typename Same>
  void compare(Query query, Same same, int few = 1501) {
    const auto& [name, where, memory, chunk_rows] = GetParam();
    session cpu(options{.threads = 2, .devices = "cpu"});
    session device(
        options{.threads = 2, .chunk_rows = chunk_rows, .devices = where, .device_memory = memory});
    for (const std::int64_t n : {0, 1, 2, up_to(4097), up_to(70'001, few)}) {
      SCOPED_TRACE(fmt::format("{} rows", n));
      const auto rows = coded_readings(n, static_cast<std::uint64_t>(n) + 1);
      const auto expected = query(cpu, rows).collect().to_vector();
      const auto got = query(device, rows).collect().to_vector();
      ASSERT_EQ(got.size(), expected.size());
      for (std::size_t i = 0; i < got.size(); ++i)
        ASSERT_TRUE(same(got[i], expected[i])) << "row " << i << " differs";
      const auto report = query(device, rows).explain_analyze();
      EXPECT_NE(report.find("ran on "), std::string::npos) << report;
      EXPECT_EQ(report.find("ran on the CPU"), std::string::npos) << report;
    }
    expect_no_failures(device);
  }
  template <typename Query>
  void compare_bits(Query query, int few = 1501) {
    compare(query, [](const auto& a, const auto& b) { return same_bytes(a, b); }, few);
  }
  template <typename Query>
  void compare_near(Query query, int few = 1501) {
    const auto near = [](double a, double b) {
      return std::abs(a - b) <= 1e-9 * (1 + std::abs(b));
    };
    compare(query, near, few);
  }
  /// Values are single results.
  template <typename Query>
  void compare_values(Query query, double tolerance = 0) {
    const auto& [name, where, memory, chunk_rows] = GetParam();
    session cpu(options{.threads = 2, .devices = "cpu"});
    session device(
        options{.threads = 2, .chunk_rows = chunk_rows, .devices = where, .device_memory = memory});
    for (const std::int64_t n : {0, 1, 2, up_to(4097), up_to(70'001)}) {
      SCOPED_TRACE(fmt::format("{} rows", n));
      const auto rows = coded_readings(n, static_cast<std::uint64_t>(n) + 1);
      const double expected = static_cast<double>(query(cpu, rows).get());
      const auto value = query(device, rows);
      EXPECT_NE(value.explain_analyze().find("ran on "), std::string::npos);
      const double got = static_cast<double>(value.get());
      if (std::isnan(expected))
        EXPECT_TRUE(std::isnan(got));
      else
        EXPECT_NEAR(got, expected, tolerance * (1 + std::abs(expected)));
    }
    expect_no_failures(device);
  }
};

using coded_rows = const std::vector<coded_reading>&;

TEST_P(device_code_on, map) {
  compare_bits(
      [](session& s, coded_rows in) { return s.borrow(in).map(coded<scaled>("scaled", 1.5)); });
}
TEST_P(device_code_on, filter) {
  for (const int least : {-6000, 0, 4900, 6000})  // all, half, few, none
    compare_bits([least](session& s, coded_rows in) {
      return s.borrow(in).filter(coded<is_kept>("is_kept", least)).map(&coded_reading::value);
    });
}
TEST_P(device_code_on, filter_with_shared_rows) {
  compare_bits([](session& s, coded_rows in) {
    return s.borrow(in)
        .filter(coded<above_mean>("above_mean"), s.from(std::vector<double>{0.25}).shared())
        .map(&coded_reading::value);
  });
}
TEST_P(device_code_on, flat_map) {
  compare_bits(
      [](session& s, coded_rows in) { return s.borrow(in).flat_map(coded<copies>("copies")); });
}
TEST_P(device_code_on, zip_and_enumerate) {
  compare_bits([](session& s, coded_rows in) {
    const auto rows = s.borrow(in);
    return rows.map(&coded_reading::level)
        .zip(rows.map(&coded_reading::value))
        .enumerate()
        .map(&indexed<pair<double, int>>::index);
  });
}
TEST_P(device_code_on, sum_of_integers) {
  compare_values(
      [](session& s, coded_rows in) { return s.borrow(in).map(&coded_reading::value).sum(); });
}
TEST_P(device_code_on, sum_of_floats) {
  compare_values(
      [](session& s, coded_rows in) { return s.borrow(in).map(&coded_reading::level).sum(); },
      1e-12);
}
TEST_P(device_code_on, mean_and_variance) {
  compare_values(
      [](session& s, coded_rows in) { return s.borrow(in).map(&coded_reading::level).mean(); },
      1e-12);
  compare_values(
      [](session& s, coded_rows in) { return s.borrow(in).map(&coded_reading::level).variance(); },
      1e-12);
}
TEST_P(device_code_on, count_after_a_filter) {
  compare_values([](session& s, coded_rows in) {
    return s.borrow(in).filter(coded<is_kept>("is_kept", 100)).count();
  });
}
TEST_P(device_code_on, reducer_of_the_user) {
  compare_bits([](session& s, coded_rows in) {
    return s.borrow(in).group_by(&coded_reading::station, domain{100}).reduce<summary>().values();
  });
}
TEST_P(device_code_on, sort_by) {
  compare_bits(
      [](session& s, coded_rows in) { return s.borrow(in).map(&coded_reading::value).sort(); });
  compare_bits(
      [](session& s, coded_rows in) { return s.borrow(in).sort_by(&coded_reading::level); });
  compare_bits([](session& s, coded_rows in) {
    return s.borrow(in).sort_by(&coded_reading::station, descending(&coded_reading::value));
  });
}
TEST_P(device_code_on, keys_with_values) {
  const auto by_distance = coded<distance_to>("distance_to", 77);
  compare_bits([&](session& s, coded_rows in) {
    return s.borrow(in).sort_by(descending(&coded_reading::station), by_distance);
  });
  compare_bits([&](session& s, coded_rows in) { return s.borrow(in).bottom(100, by_distance); });
}
TEST_P(device_code_on, operators_with_values) {
  const auto op = coded<greater_up_to>("greater_up_to", std::int64_t{4321});
  compare_bits(
      [&](session& s, coded_rows in) {
        return s.borrow(in).map(coded<wide>("wide")).inclusive_scan(op);
      },
      tile_and_more<std::int64_t>);
  compare_values([&](session& s, coded_rows in) {
    return s.borrow(in).map(coded<wide>("wide")).reduce(std::int64_t{-10'000}, op);
  });
}
TEST_P(device_code_on, top_and_bottom) {
  compare_bits(
      [](session& s, coded_rows in) { return s.borrow(in).top(100, &coded_reading::level); });
  compare_bits(
      [](session& s, coded_rows in) { return s.borrow(in).bottom(100, &coded_reading::station); });
}
TEST_P(device_code_on, scan) {
  constexpr int few = tile_and_more<std::int64_t>;
  compare_bits(
      [](session& s, coded_rows in) {
        return s.borrow(in).map(&coded_reading::value).inclusive_scan();
      },
      few);
  compare_near(
      [](session& s, coded_rows in) {
        return s.borrow(in).map(&coded_reading::level).inclusive_scan();
      },
      few);
  compare_bits(
      [](session& s, coded_rows in) {
        return s.borrow(in).map(coded<wide>("wide")).inclusive_scan(coded<greater>("greater"));
      },
      few);
}
TEST_P(device_code_on, group_by_a_known_domain) {
  compare_bits([](session& s, coded_rows in) {
    return s.borrow(in).group_by(coded<in_group>("in_group"), domain{128}).count().values();
  });
}
TEST_P(device_code_on, group_by_any_key) {
  compare_bits([](session& s, coded_rows in) {
    return s.borrow(in).group_by(&coded_reading::value).sum(&coded_reading::station).values();
  });
  compare_near([](session& s, coded_rows in) {
    return s.borrow(in)
        .group_by(coded<remainder7>("remainder7"))
        .sum(&coded_reading::level)
        .values();
  });
}
TEST_P(device_code_on, distinct) {
  compare_bits(
      [](session& s, coded_rows in) { return s.borrow(in).map(&coded_reading::value).distinct(); });
}

INSTANTIATE_TEST_SUITE_P(
    devices, device_code_on,
    ::testing::Values(runs_on{"one_opencl_device", "opencl:0", 0, 0},
                      runs_on{"two_opencl_devices", "opencl:0,opencl:1", std::size_t{64} << 20, 0},
                      runs_on{"two_opencl_devices_in_small_chunks", "opencl:0,opencl:1",
                              std::size_t{64} << 20, 5000},
                      runs_on{"little_opencl_memory", "opencl:0", std::size_t{24} << 20, 0},
                      runs_on{"test_device", "test:seed=11", std::size_t{64} << 20, 0},
                      runs_on{"test_device_in_small_chunks", "test:seed=12+delay_us=0",
                              std::size_t{64} << 20, 5000}),
    [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace pappus::testing
