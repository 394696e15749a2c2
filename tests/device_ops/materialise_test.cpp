// map, filter, flat_map, zip and enumerate on devices of every kind: the CPU's rows, however they
// are cut into chunks, and whether they stay on the device or come back.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "conformance/harness.h"
#include "device_ops/stage_runner.h"
#include "pappus/device_code.h"

namespace pappus::testing {
namespace {

using pappus::testing::devices_of_all_kinds;
using pappus::testing::records_of;
using pappus::testing::refusal;
using pappus::testing::run_on;

/// Twelve bytes, no power of two.
struct reading {
  std::int32_t sensor, draw;
  float value;
};
reading scaled(const reading& r, float by) { return {r.sensor, r.draw, r.value * by}; }
bool is_drawn(const reading& r, std::int32_t percent) { return r.draw < percent; }
bool is_right_half(const reading& r) { return r.draw >= 50; }
/// None for every third sensor, a few for most, 300 for some.
std::int64_t echoes_count(const reading& r) { return r.sensor % 97 == 0 ? 300 : r.sensor % 3; }
std::vector<reading> echoes(const reading& r) {
  std::vector<reading> all(static_cast<std::size_t>(echoes_count(r)), r);
  for (std::size_t j = 0; j < all.size(); ++j) all[j].draw = static_cast<std::int32_t>(j);
  return all;
}
std::vector<reading> no_echoes(const reading&) { return {}; }

template <typename... Values>
auto coded(auto function, const char* name, Values... values) {
  constexpr const char* text = R"(
typedef struct { int sensor, draw; float value; } reading;
reading scaled(reading r, float by) {
  r.value *= by;
  return r;
}
int is_drawn(reading r, int percent) { return r.draw < percent; }
long echoes_count(reading r) { return r.sensor % 97 == 0 ? 300 : r.sensor % 3; }
reading echoes_at(reading r, long j) {
  r.draw = (int)j;
  return r;
}
long no_echoes_count(reading r) { return 0; }
reading no_echoes_at(reading r, long j) { return r; }
)";
  return with_device_code(function, device_text(name, text), values...);
}

std::vector<reading> readings(std::int64_t n) {
  random numbers(91);
  std::vector<reading> rows(static_cast<std::size_t>(n));
  for (auto& r : rows)
    r = {static_cast<std::int32_t>(numbers.between(0, 999)),
         static_cast<std::int32_t>(numbers.between(0, 99)),
         static_cast<float>(numbers.between(-1000, 1000)) / 8};
  return rows;
}

/// A row alone, fewer than a group, and more than the scan of one group takes.
constexpr std::int64_t rows_made[] = {0, 1, 333, 70'001};

/// Runs the query's stage on every device, in one chunk and in small ones, and takes its rows from
/// the device afterwards or has them come back: they must be the CPU's.
template <typename T, typename Query>
void expect_same_everywhere(const std::vector<reading>& rows, Query query) {
  session cpu(options{.threads = 2, .devices = "cpu"});
  const auto asked = query(cpu.borrow(rows)).materialise();
  ASSERT_EQ(refusal(*detail::access::node(asked)), "");
  const std::vector<T> expected = asked.collect().to_vector();
  const std::int64_t small = rows.size() > 1000 ? 9001 : 50;
  for (const auto& device : devices_of_all_kinds())
    for (const std::int64_t chunk_rows : {std::int64_t{0}, small})
      for (const bool stays : {false, true}) {
        SCOPED_TRACE(device.name + ", " + std::to_string(rows.size()) + " rows, chunks of " +
                     std::to_string(chunk_rows) + (stays ? ", stays" : ", comes back"));
        EXPECT_TRUE(same_rows(
            records_of<T>(run_on(device, *detail::access::node(asked), chunk_rows, stays)),
            expected));
      }
}

TEST(device_materialise, maps_each_row_to_its_place) {
  for (const auto n : rows_made)
    expect_same_everywhere<reading>(
        readings(n), [](auto rows) { return rows.map(coded(fn<scaled>, "scaled", 0.5f)); });
}

TEST(device_materialise, filters_keep_none_some_and_all_rows_in_order) {
  for (const auto n : rows_made)
    for (const std::int32_t percent : {0, 50, 100}) {
      SCOPED_TRACE(percent);
      expect_same_everywhere<reading>(readings(n), [&](auto rows) {
        return rows.filter(coded(fn<is_drawn>, "is_drawn", percent));
      });
    }
}

TEST(device_materialise, filters_that_keep_single_rows_at_chunk_edges_lose_none) {
  const std::int64_t n = 20'000;
  for (const std::int64_t kept :
       {std::int64_t{0}, std::int64_t{9'000}, std::int64_t{9'001}, n - 1}) {
    SCOPED_TRACE(kept);
    auto rows = readings(n);
    for (auto& r : rows) r.draw = 99;
    rows[static_cast<std::size_t>(kept)].draw = 0;
    expect_same_everywhere<reading>(
        rows, [](auto all) { return all.filter(coded(fn<is_drawn>, "is_drawn", 1)); });
  }
}

TEST(device_materialise, flat_maps_write_any_number_of_records_a_row) {
  for (const auto n : rows_made) {
    expect_same_everywhere<reading>(
        readings(n), [](auto rows) { return rows.flat_map(coded(fn<echoes>, "echoes")); });
    expect_same_everywhere<reading>(
        readings(n), [](auto rows) { return rows.flat_map(coded(fn<no_echoes>, "no_echoes")); });
  }
}

TEST(device_materialise, flat_maps_between_filters_number_what_is_left) {
  for (const auto n : rows_made)
    expect_same_everywhere<float>(readings(n), [](auto rows) {
      return rows.filter(coded(fn<is_drawn>, "is_drawn", 70))
          .flat_map(coded(fn<echoes>, "echoes"))
          .filter(coded(fn<is_drawn>, "is_drawn", 2))
          .map(&reading::value);
    });
}

TEST(device_materialise, flat_maps_that_outgrow_the_device_go_in_smaller_chunks) {
  auto rows = readings(5'000);
  for (auto& r : rows) r.sensor = 97;  // 300 records, 18 MB in all
  session cpu(options{.threads = 2, .devices = "cpu"});
  const auto asked = cpu.borrow(rows).flat_map(coded(fn<echoes>, "echoes")).materialise();
  const auto expected = asked.collect().to_vector();
  for (const auto& device : devices_of_all_kinds()) {
    SCOPED_TRACE(device.name);
    const auto got = run_on(device, *detail::access::node(asked), 0, false, std::size_t{1} << 20);
    EXPECT_TRUE(same_rows(records_of<reading>(got), expected));
  }
}

TEST(device_materialise, zips_and_numbers_rows) {
  const auto is_low =
      with_device_code([](const indexed<std::int32_t>& r) { return r.value < 40; },
                       device_text("is_low", "int is_low(indexed_int r) { return r.value < 40; }"));
  for (const auto n : rows_made) {
    const auto rows = readings(n);
    expect_same_everywhere<indexed<pair<std::int32_t, float>>>(rows, [](auto all) {
      return all.map(&reading::sensor).zip(all.map(&reading::value)).enumerate();
    });
    expect_same_everywhere<std::int64_t>(rows, [&](auto all) {
      return all.map(&reading::draw)
          .enumerate()
          .filter(is_low)
          .map(fn<&indexed<std::int32_t>::index>);
    });
  }
}

TEST(device_materialise, chains_of_stages_need_little_memory) {
  const auto rows = readings(400'000);  // 4.8 MB
  const auto query = [&](session& s) {
    return s.borrow(rows)
        .filter(fn<is_right_half>)
        .flat_map(fn<echoes>)
        .cache()
        .filter(fn<is_right_half>);
  };
  session cpu(options{.threads = 2, .devices = "cpu"});
  const auto expected = query(cpu).collect().to_vector();
  for (const char* device : {"test:seed=3+delay_us=0", "test:seed=4+delay_us=0+like=gpu"}) {
    SCOPED_TRACE(device);
    session s(options{.threads = 2, .devices = device, .device_memory = std::size_t{3} << 20});
    EXPECT_TRUE(same_rows(query(s).collect().to_vector(), expected));
    EXPECT_NE(query(s).explain_analyze().find("chunks on"), std::string::npos);
    EXPECT_TRUE(s.device_faults().empty()) << s.device_faults().front();
  }
}

}  // namespace
}  // namespace pappus::testing
