// What a user sees of a sort whose rows go to the spill file: plans, errors, and that nothing is
// left behind.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pappus/pappus.h"
#include "support/bad_disks.h"
#include "support/cancels.h"
#include "support/raw_file.h"
#include "support/scaled_memory.h"
#include "support/spill_settings.h"

namespace pappus::spilled_sort {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::scaled_mib;
using testing::spill_folder;
using testing::write_records;

struct item {
  std::int64_t key, row;
};
constexpr std::int64_t file_rows = 62'500;  // 0.95 MiB

std::int64_t key_of(std::int64_t row) { return row * 7'919 % 12'503; }

/// A folder to spill to, and beside it a raw file of items.
struct a_disk {
  spill_folder folder;
  std::string path = folder.path() + ".raw", result = folder.path() + ".sorted.raw";
  a_disk() {
    std::vector<item> items;
    for (std::int64_t i = 0; i < file_rows; ++i) items.push_back({key_of(i), i});
    write_records(path, items);
  }
};

/// Whether the rows of a query are so many of the file's, in order.
bool in_order(const collection<item>& rows, std::int64_t expected) {
  std::int64_t seen = 0;
  bool good = true;
  item before{-1, -1};
  rows.for_each_chunk([&](std::span<const item> chunk) {
    for (const auto& one : chunk) {
      good = good && one.key == key_of(one.row) &&
             (before.key < one.key || (before.key == one.key && before.row < one.row));
      before = one;
      ++seen;
    }
  });
  return good && seen == expected;
}
bool right(const collection<item>& rows) { return in_order(rows, file_rows); }

/// What explain_analyze() says of the spill file.
double mib_written(const std::string& report) {
  const auto at = report.find("spill file: ");
  if (at == std::string::npos) return 0;
  const auto text = report.substr(at + 12, report.find(" written", at) - at - 12);
  const double number = std::stod(text);
  return text.ends_with("MiB") ? number : text.ends_with("KiB") ? number / 1024 : 1e12;
}

TEST(spilled_sort, is_explained) {
  const a_disk disk;
  session s(settings(disk.folder, 8 * scaled_mib)), large(settings(disk.folder, 512 * scaled_mib));
  const auto sorted = [&](session& in) { return in.raw<item>(disk.path).sort_by(&item::key); };
  EXPECT_THAT(sorted(s).count().explain(),
              AllOf(HasSubstr("sort_by: 62,500 → 62,500 rows"),
                    HasSubstr("streams its input in windows, rows that don't fit in memory rest on "
                              "the disk meanwhile"),
                    HasSubstr("sort_by: ranges in order"), HasSubstr("1.0 MiB of memory at once")));
  EXPECT_THAT(sorted(s).count().explain_analyze(),
              AllOf(HasSubstr("runs, put together in"), HasSubstr("spill file: ")));
  EXPECT_THAT(sorted(large).count().explain(),
              AllOf(Not(HasSubstr("rest on the disk")), Not(HasSubstr("ranges in order"))));
  EXPECT_THAT(sorted(large).count().explain_analyze(), Not(HasSubstr("ranges of keys")));
}

TEST(spilled_sort, hands_its_rows_through_collections) {
  const a_disk disk;
  for (const std::size_t memory : {12 * scaled_mib, 13 * scaled_mib, 16 * scaled_mib}) {
    session s(settings(disk.folder, memory));
    const collection<item> sorted =
        s.raw<item>(disk.path).sort_by(&item::key).filter([](const item& i) { return i.key >= 0; });
    EXPECT_TRUE(right(sorted));
    EXPECT_EQ(s.host_memory_used(), 0u);
  }
}

TEST(spilled_sort, leaves_room_for_what_is_collected) {
  const a_disk disk;
  for (const std::size_t memory :
       {16 * scaled_mib, 18 * scaled_mib, 20 * scaled_mib, 24 * scaled_mib}) {
    session s(settings(disk.folder, memory));
    const auto rows = s.raw<item>(disk.path)
                          .sort_by(&item::key)
                          .filter([](const item& i) { return i.row % 4 != 0; })
                          .collect();
    EXPECT_EQ(rows.size(), file_rows / 4 * 3u);
    EXPECT_TRUE(std::ranges::is_sorted(rows, {}, &item::key));
  }
}

TEST(spilled_sort, is_refused_where_nothing_may_go_to_a_disk) {
  const a_disk disk;
  auto off = settings(disk.folder, 8 * scaled_mib);
  off.spill = "off";
  session s(off);
  EXPECT_THROW(right(s.raw<item>(disk.path).sort_by(&item::key)), memory_error);
  EXPECT_EQ(s.host_memory_used(), 0u);
}

TEST(spilled_sort, spills_no_more_with_more_memory) {
  const a_disk disk;
  double before = 1e9;
  for (std::size_t budget = 6 * scaled_mib; budget < 80 * scaled_mib; budget += budget / 4) {
    double spilled = 1e9;  // the least of a few times: what is written ahead depends on load
    for (int time = 0; time < 3; ++time) {
      session s(settings(disk.folder, budget));
      const auto sorted = s.raw<item>(disk.path).sort_by(&item::key);
      EXPECT_TRUE(right(sorted)) << budget;
      spilled = std::min(spilled, mib_written(sorted.count().explain_analyze()));
    }
    EXPECT_LE(spilled, 1.1 * before + 0.25) << budget;
    before = spilled;
  }
  EXPECT_EQ(before, 0);
}

TEST(spilled_sort, needs_no_more_memory_where_a_filter_keeps_little_at_first) {
  const a_disk disk;
  for (const std::size_t budget : {5 * scaled_mib, 8 * scaled_mib}) {
    session s(settings(disk.folder, budget));
    const auto late = [](const item& one) { return one.row == 3 || one.row > 31'250; };
    const auto rows = s.raw<item>(disk.path);
    const auto file_order = [](const item& one) { return one.row; };
    for (const auto& sorted : {rows.filter(late).sort_by(&item::key),
                               rows.sort_by(file_order).filter(late).sort_by(&item::key)}) {
      EXPECT_TRUE(in_order(sorted, 31'250)) << budget / scaled_mib;
      EXPECT_LE(s.host_memory_peak(), budget);
    }
  }
}

TEST(spilled_sort, writes_files_larger_than_memory) {
  const a_disk disk;
  session s(settings(disk.folder, 7 * scaled_mib));
  s.raw<item>(disk.path).sort_by(&item::key).write(disk.result);
  EXPECT_TRUE(right(
      s.raw<item>(disk.result).filter([](const item&) { return true; }).sort_by([](const item&) {
        return 0;
      })));
  EXPECT_EQ(s.host_memory_used(), 0u);
}

TEST(spilled_sort, on_a_bad_disk_yields_the_right_rows_or_the_error) {
  const a_disk disk;
  testing::expect_right_or_spill_error(
      {.faults = "+eio=0.004+flip=0.01", .queries = 3}, settings(disk.folder, 8 * scaled_mib),
      "sort_by", [&](session& s) { return right(s.raw<item>(disk.path).sort_by(&item::key)); });
}

TEST(spilled_sort, leaves_nothing_behind_when_a_function_throws) {
  const a_disk disk;
  session s(settings(disk.folder, 8 * scaled_mib));
  std::atomic<std::int64_t> calls = 0;
  for (const std::int64_t when : {125, 37'500, 65'000, 100'000}) {
    calls = 0;
    const auto sorted = s.raw<item>(disk.path).sort_by([&, when](const item& one) {
      if (++calls == when) throw std::runtime_error("no key");
      return one.key;
    });
    EXPECT_THROW(right(sorted), std::runtime_error) << when;
    EXPECT_EQ(s.host_memory_used(), 0u) << when;
  }
}

TEST(spilled_sort, can_be_cancelled_at_any_time) {
  const a_disk disk;
  session s(settings(disk.folder, 7 * scaled_mib));
  testing::expect_cancellable_at_any_time(
      s, 7'500, 750, [&] { EXPECT_TRUE(right(s.raw<item>(disk.path).sort_by(&item::key))); });
  EXPECT_TRUE(right(s.raw<item>(disk.path).sort_by(&item::key)));
}

TEST(spilled_sort, makes_room_where_caches_have_the_memory) {
  const a_disk disk;
  session s(settings(disk.folder, 24 * scaled_mib));
  std::vector<collection<item>> caches;
  for (int i = 0; i < 3; ++i) {
    caches.push_back(s.raw<item>(disk.path).filter([](const item&) { return true; }).cache());
    EXPECT_EQ(caches.back().count().get(), file_rows);
  }
  EXPECT_TRUE(right(s.raw<item>(disk.path).sort_by(&item::key)));
  EXPECT_TRUE(right(caches[1].sort_by(&item::key)));
}

}  // namespace
}  // namespace pappus::spilled_sort
