// Groups whose tables go to the spill file: the same bits as with plenty of memory, plans, errors,
// and that nothing is left behind.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pappus/pappus.h"
#include "support/bad_disks.h"
#include "support/cancels.h"
#include "support/raw_file.h"
#include "support/result_bytes.h"
#include "support/scaled_memory.h"
#include "support/spill_settings.h"

namespace pappus::spilled_groups {
namespace {

using ::testing::AllOf;
using testing::bytes_of;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::scaled_mib;
using testing::spill_folder;
using testing::write_records;

constexpr std::size_t plenty = 2048 * scaled_mib;

struct item {
  std::int64_t key;
  double value;
};

enum class shape { random, sorted, skewed, one_hot, spaced };

std::vector<item> items_of(shape which, std::int64_t n, std::int64_t groups, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<item> made;
  for (std::int64_t i = 0; i < n; ++i) {
    const auto any = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(groups));
    const double part = static_cast<double>(any) / static_cast<double>(groups);
    const std::int64_t key = which == shape::sorted    ? i * groups / n
                             : which == shape::skewed  ? static_cast<std::int64_t>(part * any)
                             : which == shape::one_hot ? (i % 2 == 0 ? 42 : any)
                             : which == shape::spaced  ? -(any << 40)
                                                       : any;
    const auto thousandths = static_cast<double>(random() % 2'000'001) - 1e6;
    made.push_back({key, thousandths * 1e-3 * (1 + static_cast<double>(i % 97))});
  }
  return made;
}

/// A folder to spill to, and beside it a raw file of items.
struct a_disk {
  spill_folder folder;
  std::string path = folder.path() + ".groups.raw";
  explicit a_disk(const std::vector<item>& items) { write_records(path, items); }
};

/// Results of which each depends on how rows are added, or on which groups there are.
std::vector<std::vector<char>> results(session& s, const std::string& path) {
  const auto rows = s.raw<item>(path);
  return {
      bytes_of(rows.group_by(&item::key).sum(&item::value)),
      bytes_of(rows.filter([](const item& one) { return one.value > 0; })
                   .group_by(&item::key)
                   .mean(&item::value)),
      bytes_of(rows.map(&item::key).distinct()),
      bytes_of(rows.group_by(
                       [](const item& one) { return static_cast<std::int32_t>(one.key % 125'003); })
                   .max([](const item& one) { return static_cast<float>(one.value); })),
  };
}

// 37,500 groups need 1.3 MiB of tables or more, for each level of leaves.
TEST(spilled_groups, are_the_same_bits_in_little_memory) {
  const struct {
    shape which;
    std::int64_t rows, groups;
    unsigned threads;
  } all[] = {{shape::random, 62'500, 37'500, 3},  {shape::random, 37'500, 5'000'000, 1},
             {shape::sorted, 162'500, 43'750, 2}, {shape::skewed, 50'000, 50'000, 1},
             {shape::skewed, 150'000, 9'000, 2},  {shape::one_hot, 75'000, 50'000, 3},
             {shape::spaced, 37'500, 31'250, 2}};
  unsigned seed = 1;
  for (const auto& [which, rows, groups, threads] : all) {
    const a_disk disk(items_of(which, rows, groups, seed++));
    session large(settings(disk.folder, plenty));
    const std::size_t least = (8 + 2 * threads) * scaled_mib;
    session s(settings(disk.folder, least, threads));
    EXPECT_EQ(results(s, disk.path), results(large, disk.path)) << static_cast<int>(which);
    EXPECT_EQ(s.host_memory_used(), 0u);
    EXPECT_LE(s.host_memory_peak(), least);
  }
}

TEST(spilled_groups, are_explained) {
  const a_disk disk(items_of(shape::random, 62'500, 12'500'000, 7));
  session s(settings(disk.folder, 14 * scaled_mib, 3)), large(settings(disk.folder, plenty));
  const auto groups = [&](session& in) {
    return in.raw<item>(disk.path).group_by(&item::key).variance(&item::value).count();
  };
  EXPECT_EQ(groups(s).get(), groups(large).get());
  EXPECT_THAT(groups(s).explain(),
              AllOf(HasSubstr("rows that don't fit in memory rest on the disk meanwhile"),
                    HasSubstr("groups in order")));
  const auto report = groups(s).explain_analyze();
  EXPECT_THAT(report, AllOf(HasSubstr("of 64 partitions rested on the disk, and came back"),
                            HasSubstr("parts each"), HasSubstr("spill file: ")));
  EXPECT_THAT(groups(large).explain_analyze(), Not(HasSubstr("rested on the disk")));
}

TEST(spilled_groups, of_rows_in_memory_rest_as_well) {
  const auto items = items_of(shape::random, 187'500, 125'000, 3);
  const a_disk disk({});
  const auto by_key = [&](session& in) {
    return in.borrow(items).group_by(&item::key).mean(&item::value).collect();
  };
  session s(settings(disk.folder, 28 * scaled_mib)), large(settings(disk.folder, plenty));
  const auto found = by_key(s), expected = by_key(large);
  ASSERT_EQ(found.size(), expected.size());
  EXPECT_TRUE(std::ranges::equal(found, expected, [](const auto& a, const auto& b) {
    return a.key == b.key && a.value == b.value;
  }));
}

TEST(spilled_groups, go_on_to_their_reader_in_windows) {
  const a_disk disk(items_of(shape::random, 62'500, 6'250'000, 4));
  session s(settings(disk.folder, 12 * scaled_mib)), large(settings(disk.folder, plenty));
  const auto programs = [&](session& in) {
    const auto sums = in.raw<item>(disk.path).group_by(&item::key).sum(&item::value);
    const auto halves = sums.map([](const auto& one) { return item{one.key / 2, one.value}; });
    return std::vector{bytes_of(halves.group_by(&item::key).count()),
                       bytes_of(halves.sort_by(&item::value)),
                       bytes_of(halves.skip(12'500).take(125))};
  };
  EXPECT_EQ(programs(s), programs(large));
  EXPECT_EQ(s.host_memory_used(), 0u);
}

TEST(spilled_groups, are_refused_where_nothing_may_go_to_a_disk) {
  const a_disk disk(items_of(shape::random, 125'000, 6'250'000, 5));
  auto off = settings(disk.folder, 12 * scaled_mib);
  off.spill = "off";
  session s(off);
  EXPECT_THROW(bytes_of(s.raw<item>(disk.path).group_by(&item::key).count()), memory_error);
  EXPECT_EQ(s.host_memory_used(), 0u);
}

TEST(spilled_groups, on_a_bad_disk_are_right_or_the_error) {
  const a_disk disk(items_of(shape::random, 50'000, 6'250'000, 6));
  session large(settings(disk.folder, plenty));
  const auto groups = [&](session& in) {
    return bytes_of(in.raw<item>(disk.path).group_by(&item::key).sum(&item::value));
  };
  const auto expected = groups(large);
  testing::expect_right_or_spill_error(
      {.faults = "+eio=0.0003+flip=0.0003", .little = "384KiB", .count = 9},
      settings(disk.folder, 10 * scaled_mib, 1), "group_by",
      [&](session& s) { return groups(s) == expected; });
}

TEST(spilled_groups, leave_nothing_behind_when_a_function_throws) {
  const a_disk disk(items_of(shape::random, 87'500, 6'250'000, 8));
  session s(settings(disk.folder, 12 * scaled_mib));
  std::atomic<std::int64_t> calls = 0;
  for (const std::int64_t when : {125, 37'500, 87'375}) {
    calls = 0;
    const auto counts = s.raw<item>(disk.path).group_by([&, when](const item& one) {
      if (++calls == when) throw std::runtime_error("no key");
      return one.key;
    });
    EXPECT_THROW(bytes_of(counts.count()), std::runtime_error) << when;
    EXPECT_EQ(s.host_memory_used(), 0u) << when;
  }
}

TEST(spilled_groups, can_be_cancelled_at_any_time) {
  const a_disk disk(items_of(shape::random, 62'500, 6'250'000, 9));
  session s(settings(disk.folder, 12 * scaled_mib));
  const auto groups = [&] {
    return bytes_of(s.raw<item>(disk.path).group_by(&item::key).sum(&item::value));
  };
  const auto expected = groups();
  testing::expect_cancellable_at_any_time(s, 6'250, 625, [&] { EXPECT_EQ(groups(), expected); });
  EXPECT_EQ(groups(), expected);
}

TEST(spilled_groups, reach_readers_that_make_more_of_them_in_parts) {
  struct wide_left {
    std::int64_t key;
    std::array<std::int64_t, 13> rest;
  };
  struct wide_group {
    std::int64_t key, count;
    std::array<std::int64_t, 14> rest;
  };
  const a_disk disk(items_of(shape::random, 29'125, 23'750, 7));
  const testing::raw_file<wide_left> left([] {
    std::vector<wide_left> rows;
    for (std::int64_t i = 0; i < 23'750; ++i) rows.push_back({i * 7'919 % 23'750, {}});
    return rows;
  }());
  for (const std::size_t memory : {24 * scaled_mib, 32 * scaled_mib}) {
    session s(settings(disk.folder, memory));
    const collection<wide_group> groups =
        s.raw<item>(disk.path).group_by(&item::key).count().map([](const auto& group) {
          return wide_group{group.key, group.value, {}};
        });
    auto counted = s.raw<wide_left>(left.path())
                       .join(groups, &wide_left::key, &wide_group::key,
                             [](const wide_left&, const wide_group& g) { return g.count; })
                       .sum();
    EXPECT_EQ(counted.get(), 29'125) << memory;
  }
}

}  // namespace
}  // namespace pappus::spilled_groups
