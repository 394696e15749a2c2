// What a user sees of map_groups whose rows go to the spill file: plans, errors, and that nothing
// is left behind.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "spilling/map_groups_rows.h"
#include "support/bad_disks.h"
#include "support/cancels.h"
#include "support/raw_file.h"

namespace pappus::spilled_map_groups {
namespace {

using ::testing::AllOf;
using testing::delivered;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::raw_file;
using ::testing::StartsWith;

TEST(spilled_map_groups, are_explained) {
  const spill_folder folder;
  const raw_file<item> file(items_of(shape::hot, 62'500, 125));
  session s(settings(folder, 20 * scaled_mib)), large(settings(folder, plenty));
  const auto groups = [&](session& in) {
    return in.raw<item>(file.path()).group_by(&item::key).map_groups(mapped());
  };
  EXPECT_THAT(groups(s).count().explain(),
              AllOf(HasSubstr("streams its input in windows, rows that don't fit in memory rest on "
                              "the disk meanwhile"),
                    HasSubstr("group_by.map_groups: groups in order")));
  EXPECT_THAT(groups(s).count().explain_analyze(),
              AllOf(HasSubstr("runs, put together in"), HasSubstr("; a group was in "),
                    HasSubstr("spill file: ")));
  EXPECT_THAT(groups(large).count().explain(),
              AllOf(Not(HasSubstr("rest on the disk")), Not(HasSubstr("groups in order"))));
  EXPECT_THAT(groups(large).count().explain_analyze(), Not(HasSubstr("ranges of keys")));
}

TEST(spilled_map_groups, refuse_a_group_that_has_no_room) {
  auto items = items_of(shape::random, 100'000, 1'000);
  for (std::size_t i = 0; i < items.size(); i += 8) items[i].key = -5;
  for (auto& one : items)
    if (one.key > 20) one.key = 11;
  const auto rows = std::ranges::count(items, 11, &item::key);
  EXPECT_GT(rows, 75'000);  // 1.3 MiB
  const spill_folder folder;
  const raw_file<item> file(items);
  session s(settings(folder, 12 * scaled_mib));
  const auto said = [&](const auto& query) -> std::string {
    try {
      query.count().get();
      return "nothing";
    } catch (const memory_error& problem) {
      return problem.what();
    }
  };
  const auto text = std::to_string(rows).insert(2, ",");
  EXPECT_EQ(said(s.raw<item>(file.path()).group_by(&item::key).map_groups(mapped())),
            "group_by.map_groups: the group of key 11 has " + text +
                " records, which are 1.3 MiB side by side, and memory has no room for them; reduce "
                "the groups by a reducer instead of map_groups, or raise the limit "
                "(PAPPUS_HOST_MEMORY or options::host_memory)");
  EXPECT_EQ(s.host_memory_used(), 0u);
  const auto unnamed = [](const item& one) { return std::array<std::int64_t, 1>{one.key}; };
  EXPECT_THAT(
      said(s.raw<item>(file.path())
               .group_by(unnamed)
               .map_groups([](const auto&, std::span<const item> group) { return mixed(group); })),
      StartsWith("group_by.map_groups: group 13 in the order of keys has " + text));
  EXPECT_EQ(s.range(0, 1000).sum().get(), 499'500);
}

TEST(spilled_map_groups, are_refused_where_nothing_may_go_to_a_disk) {
  const spill_folder folder;
  const raw_file<item> file(items_of(shape::random, 75'000, 6'250));
  auto off = settings(folder, 12 * scaled_mib);
  off.spill = "off";
  session s(off);
  EXPECT_THROW(s.raw<item>(file.path()).group_by(&item::key).map_groups(mapped()).count().get(),
               memory_error);
  EXPECT_EQ(s.host_memory_used(), 0u);
}

TEST(spilled_map_groups, on_a_bad_disk_are_right_or_the_error) {
  const auto items = items_of(shape::hot, 56'250, 6'250);
  const auto expected = reference(items, [](const item& one) { return one.key; });
  const spill_folder folder;
  const raw_file<item> file(items);
  testing::expect_right_or_spill_error(
      {.faults = "+eio=0.001+flip=0.001"}, settings(folder, 14 * scaled_mib), "group_by.map_groups",
      [&](session& s) {
        return same(delivered(collection<group>(
                        s.raw<item>(file.path()).group_by(&item::key).map_groups(mapped()))),
                    expected);
      });
}

TEST(spilled_map_groups, leave_nothing_behind_when_a_function_throws) {
  const spill_folder folder;
  const raw_file<item> file(items_of(shape::random, 75'000, 6'250));
  session s(settings(folder, 12 * scaled_mib));
  std::atomic<std::int64_t> calls = 0;
  for (const std::int64_t when : {125, 50'000, 74'875}) {
    calls = 0;
    const auto groups = s.raw<item>(file.path())
                            .group_by([&, when](const item& one) {
                              if (++calls == when) throw std::runtime_error("no key");
                              return one.key;
                            })
                            .map_groups(mapped());
    EXPECT_THROW(groups.count().get(), std::runtime_error) << when;
    EXPECT_EQ(s.host_memory_used(), 0u) << when;
  }
  for (const std::int64_t when : {0, 123, 3'125, 6'249}) {
    // Of several that throw, the one of the first group is told.
    const auto groups = s.raw<item>(file.path())
                            .group_by(&item::key)
                            .map_groups([when](std::int64_t key, std::span<const item> rows) {
                              if (key >= when) throw std::out_of_range(std::to_string(key));
                              return mapped()(key, rows);
                            });
    try {
      groups.count().get();
      ADD_FAILURE() << "it should have thrown";
    } catch (const std::out_of_range& e) {
      EXPECT_THAT(e.what(), StartsWith(std::to_string(when) + ";"));
    }
    EXPECT_EQ(s.host_memory_used(), 0u) << when;
  }
}

TEST(spilled_map_groups, can_be_cancelled_at_any_time) {
  const auto items = items_of(shape::hot, 56'250, 6'250);
  const auto expected = reference(items, [](const item& one) { return one.key; });
  const spill_folder folder;
  const raw_file<item> file(items);
  session s(settings(folder, 14 * scaled_mib));
  const auto query = [&] {
    EXPECT_TRUE(same(delivered(collection<group>(
                         s.raw<item>(file.path()).group_by(&item::key).map_groups(mapped()))),
                     expected));
  };
  testing::expect_cancellable_at_any_time(s, 7'500, 750, query);
  query();
}

}  // namespace
}  // namespace pappus::spilled_map_groups
