// Groups whose records go to the spill file before a function sees them side by side: the same
// records as a sequential program makes, whatever the budget.
#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "spilling/map_groups_rows.h"
#include "support/raw_file.h"

namespace pappus::spilled_map_groups {
namespace {

using ::testing::AllOf;
using testing::delivered;
using ::testing::HasSubstr;
using testing::raw_file;

/// From the least memory that a query is promised to run in, to all that it may want.
constexpr struct {
  std::size_t memory;
  unsigned threads;
} budgets[] = {{10 * scaled_mib, 1}, {12 * scaled_mib, 2}, {14 * scaled_mib, 3},
               {16 * scaled_mib, 4}, {24 * scaled_mib, 2}, {40 * scaled_mib, 1},
               {plenty, 2}};

/// Compares grouped(rows of a file) with the expected groups at all budgets.
template <typename Grouped>
void expect_at_any_budget(const std::vector<item>& items, const std::vector<group>& expected,
                          Grouped grouped) {
  const spill_folder folder;
  const raw_file<item> file(items);
  for (const auto& [memory, threads] : budgets) {
    SCOPED_TRACE(::testing::Message() << (memory >> 10) << " KiB, " << threads << " threads");
    session s(settings(folder, memory, threads));
    const collection<group> rows = grouped(s.raw<item>(file.path()));
    EXPECT_TRUE(same(delivered(rows), expected));
    EXPECT_EQ(s.host_memory_used(), 0u);
    EXPECT_LE(s.host_memory_peak(), memory);
  }
  EXPECT_TRUE(folder.empty());
}

TEST(spilled_map_groups, are_those_of_a_sequential_program) {
  const struct {
    shape which;
    std::int64_t rows, groups;
  } all[] = {{shape::random, 37'500, 6'250},   {shape::few, 37'500, 7},
             {shape::sorted, 37'500, 125},     {shape::backwards, 37'500, 25'000},
             {shape::hot, 37'500, 12'500},     {shape::one_key, 37'500, 1},
             {shape::all_different, 37'500, 1}};
  for (const auto& [which, rows, groups] : all) {
    SCOPED_TRACE(static_cast<int>(which));
    const auto items = items_of(which, rows, groups);
    const auto key = [](const item& one) { return one.key; };
    expect_at_any_budget(items, reference(items, key), [&](const auto& file) {
      return file.group_by(&item::key).map_groups(mapped());
    });
  }
}

TEST(spilled_map_groups, have_keys_of_any_width) {
  const auto items = items_of(shape::random, 37'500, 2'500);
  const auto small = [](const item& one) { return static_cast<std::int32_t>(-one.key % 300); };
  expect_at_any_budget(items, reference(items, small),
                       [&](const auto& file) { return file.group_by(small).map_groups(mapped()); });
  const auto number = [](const item& one) {
    return one.key % 9 == 0 ? std::nan("") : one.key % 9 == 1 ? -0.0 : static_cast<double>(one.key);
  };
  expect_at_any_budget(items, reference(items, number), [&](const auto& file) {
    return file.group_by(number).map_groups(mapped());
  });
  const auto both = [](const item& one) {
    return pair<std::int64_t, std::int64_t>{one.key % 5, one.key};
  };
  const auto in_one = [](const item& one) { return one.key % 5 * 1'000'000 + one.key; };
  expect_at_any_budget(items, reference(items, in_one), [&](const auto& file) {
    return file.group_by(both).map_groups(
        [](const pair<std::int64_t, std::int64_t>& key, std::span<const item> rows) {
          return mapped()(key.first * 1'000'000 + key.second, rows);
        });
  });
}

TEST(spilled_map_groups, of_a_domain_include_those_without_records) {
  const auto key = [](const item& one) { return one.key; };
  for (const auto which : {shape::random, shape::hot, shape::few}) {
    auto items = items_of(which, 37'500, 125);
    for (auto& one : items) one.key = one.key * 90 + 50;  // none at either end
    expect_at_any_budget(items, reference(items, key, 12'500), [&](const auto& file) {
      return file.group_by(&item::key, domain{12'500}).map_groups(mapped());
    });
  }
  expect_at_any_budget({}, reference({}, key, 1'000), [&](const auto& file) {
    return file.group_by(&item::key, domain{1'000}).map_groups(mapped());
  });
}

TEST(spilled_map_groups, of_no_rows_are_none) {
  expect_at_any_budget(
      {}, {}, [&](const auto& file) { return file.group_by(&item::key).map_groups(mapped()); });
}

TEST(spilled_map_groups, of_a_domain_may_be_more_than_memory_holds) {
  const spill_folder folder;
  const raw_file<item> file(items_of(shape::random, 50'000, 125));
  session s(settings(folder, 12 * scaled_mib));
  const auto groups = s.raw<item>(file.path())
                          .group_by([](const item& one) { return one.key * 3'000; },
                                    domain{375'000})  // 8.6 MiB of results
                          .map_groups(mapped());
  EXPECT_EQ(groups.map(&group::rows).sum().get(), 50'000);
  EXPECT_EQ(groups.count().get(), 375'000);
  EXPECT_LE(s.host_memory_peak(), 12 * scaled_mib);
}

TEST(spilled_map_groups, come_behind_other_operators) {
  const auto items = items_of(shape::random, 37'500, 3'750);
  std::vector<item> odd, twice;
  for (const auto& one : items) {
    if (one.row % 2 != 0) odd.push_back(one);
    twice.push_back({one.key / 2, one.row});
  }
  const auto key = [](const item& one) { return one.key; };
  const auto by_key = [](const auto& rows) {
    return rows.group_by(&item::key).map_groups(mapped());
  };
  expect_at_any_budget(items, reference(odd, key), [&](const auto& file) {
    return by_key(file.filter([](const item& one) { return one.row % 2 != 0; }));
  });
  expect_at_any_budget(items, reference(twice, key), [&](const auto& file) {
    return by_key(file.map([](const item& one) { return item{one.key / 2, one.row}; }));
  });
  expect_at_any_budget(items, reference(items, key), [&](const auto& file) {
    return by_key(file.flat_map([](const item& one) { return std::array<item, 1>{one}; }));
  });
  expect_at_any_budget(items, reference(items, key),
                       [&](const auto& file) { return by_key(file.sort_by(&item::row)); });
}

TEST(spilled_map_groups, go_on_to_their_reader_in_windows) {
  const spill_folder folder;
  const raw_file<item> file(items_of(shape::random, 50'000, 37'500));
  session s(settings(folder, 12 * scaled_mib)), large(settings(folder, plenty));
  const auto programs = [&](session& in) {
    const auto groups = in.raw<item>(file.path()).group_by(&item::key).map_groups(mapped());
    groups.write(folder.path() + ".out.raw");
    std::vector<std::vector<group>> found{
        delivered(groups.sort_by(&group::mixed)),
        delivered(collection<group>(groups.skip(12'500).take(125))),
        delivered(collection<group>(in.raw<group>(folder.path() + ".out.raw"))),
        {{0, 0, groups.map(&group::mixed).max().get()}},
        delivered(collection<group>(
            groups.group_by([](const group& one) { return one.rows; })
                .count()
                .map([](const auto& one) { return group{0, one.key, one.value}; })))};
    return found;
  };
  EXPECT_EQ(programs(s), programs(large));
  EXPECT_EQ(s.host_memory_used(), 0u);
  std::filesystem::remove(folder.path() + ".out.raw");
}

TEST(spilled_map_groups, leave_room_for_what_is_collected) {
  const auto items = items_of(shape::all_different, 50'000, 1);  // 1.2 MiB of results
  const auto expected = reference(items, [](const item& one) { return one.key; });
  const spill_folder folder;
  const raw_file<item> file(items);
  for (const std::size_t memory : {24 * scaled_mib, 28 * scaled_mib, 36 * scaled_mib}) {
    session s(settings(folder, memory));
    const auto found = s.raw<item>(file.path()).group_by(&item::key).map_groups(mapped()).collect();
    EXPECT_TRUE(same(found.to_vector(), expected)) << memory / scaled_mib;
  }
}

TEST(spilled_map_groups, may_have_results_that_are_larger_than_memory) {
  struct large {
    std::int64_t key;
    std::array<std::int64_t, 100> rest;
  };
  const spill_folder folder;
  const raw_file<item> file(items_of(shape::all_different, 7'500, 1));  // 5.7 MiB of results
  session s(settings(folder, 12 * scaled_mib));
  const collection<large> rows = s.raw<item>(file.path())
                                     .group_by(&item::key)
                                     .map_groups([](std::int64_t key, std::span<const item> group) {
                                       return large{key, {group.front().row}};
                                     });
  EXPECT_EQ(rows.map([](const large& one) { return one.rest[0]; }).sum().get(), 28'121'250);
  EXPECT_EQ(
      rows.sort_by([](const large& one) { return one.rest[0]; }).skip(3'750).first().get().key,
      3'750 * 7'919 % 7'500);
  EXPECT_LE(s.host_memory_peak(), 12 * scaled_mib);
}

TEST(spilled_map_groups, of_rows_in_memory_rest_as_well) {
  const auto key = [](const item& one) { return one.key; };
  for (const auto which : {shape::random, shape::hot}) {
    const auto items = items_of(which, 62'500, 375);
    const spill_folder folder;
    session s(settings(folder, 24 * scaled_mib));
    const auto groups = s.borrow(items).group_by(&item::key).map_groups(mapped());
    EXPECT_TRUE(same(groups.collect().to_vector(), reference(items, key)));
    EXPECT_THAT(groups.explain_analyze(),
                AllOf(HasSubstr("put together in"), HasSubstr("ranges of keys")));
  }
}

struct alignas(4096) page {
  std::int64_t key, row;
};

TEST(spilled_map_groups, have_records_where_their_type_wants_them) {
  std::vector<page> pages;
  for (std::int64_t i = 0; i < 750; ++i) pages.push_back({i * 7 % 501 % 40, i});
  std::vector<item> items;
  for (const auto& one : pages) items.push_back({one.key, one.row});
  const spill_folder folder;
  const raw_file<page> file(pages);
  for (const std::size_t memory : {12 * scaled_mib, 40 * scaled_mib}) {
    session s(settings(folder, memory));
    std::atomic<int> misplaced = 0;
    const collection<group> groups =
        s.raw<page>(file.path())
            .group_by(&page::key)
            .map_groups([&misplaced](std::int64_t key, std::span<const page> rows) {
              if (reinterpret_cast<std::uintptr_t>(rows.data()) % alignof(page) != 0) ++misplaced;
              return mapped()(key, rows);
            });
    EXPECT_TRUE(same(delivered(groups), reference(items, [](const item& one) { return one.key; })));
    EXPECT_EQ(misplaced, 0);
  }
}

struct word {
  std::string_view text;
  std::int64_t key;
};
struct longest_word {
  std::int64_t key;
  std::string_view text;
};

TEST(spilled_map_groups, have_text_of_a_file) {
  const spill_folder folder;
  const auto path = folder.path() + ".csv";
  std::map<std::int64_t, std::string> expected;
  {
    std::ofstream file(path);
    file << "text,key\n";
    for (int i = 0; i < 31'250; ++i) {
      const auto text = "w" + std::to_string(i % 2'503);
      const std::int64_t key = i * 7'919 % 631;
      file << text << "," << key << "\n";
      auto& most = expected[key];
      most = std::max(most, text);
    }
  }
  for (const std::size_t budget : {24 * scaled_mib, 512 * scaled_mib}) {
    session s(settings(folder, budget));
    const collection<longest_word> words =
        s.csv<word>(path, column("text", &word::text), column("key", &word::key))
            .group_by(&word::key)
            .map_groups([](std::int64_t key, std::span<const word> group) {
              return longest_word{key, std::ranges::max(group, {}, &word::text).text};
            });
    EXPECT_THAT(words.count().explain_analyze(),
                budget == 24 * scaled_mib ? HasSubstr("ranges of keys") : HasSubstr("map_groups"));
    auto at = expected.begin();
    for (const auto& [key, text] : words.collect()) {
      EXPECT_EQ(key, at->first);
      EXPECT_EQ(text, at->second);
      ++at;
    }
    EXPECT_EQ(at, expected.end());
  }
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace pappus::spilled_map_groups
