// Full joins of which memory has no room for the right side, or for neither.
#include <atomic>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "spilling/sales_of_items.h"
#include "support/bad_disks.h"
#include "support/spill_settings.h"

namespace pappus::spilled_joins {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

struct line {
  std::int64_t key;
  std::int32_t number;  ///< of the item; -1: none
  std::int32_t sold;
};

line line_of(const sale* a, const item* b) {
  return {a != nullptr ? a->item : b->id, b != nullptr ? b->number : -1, a != nullptr ? 1 : 0};
}

auto lines_of(session& s, const a_disk& disk) {
  return s.raw<sale>(disk.left).full_join(s.raw<item>(disk.right), &sale::item, &item::id, line_of);
}

std::vector<line> lines_by_loops(const both_sides& made) {
  std::unordered_map<std::int64_t, std::vector<const item*>> by_id;
  for (const auto& one : made.items) by_id[one.id].push_back(&one);
  std::unordered_set<std::int64_t> sold;
  std::vector<line> lines;
  for (const auto& one : made.sales) {
    sold.insert(one.item);
    const auto found = by_id.find(one.item);
    if (found == by_id.end()) {
      lines.push_back(line_of(&one, nullptr));
      continue;
    }
    for (const auto* match : found->second) lines.push_back(line_of(&one, match));
  }
  for (const auto& one : made.items)
    if (!sold.contains(one.id)) lines.push_back(line_of(nullptr, &one));
  return lines;
}

// An index of 15,000 rows takes 1 MiB.
TEST(spilled_full_joins, are_those_of_loops_over_both_sides) {
  const struct {
    shape which;
    std::int64_t sales, items;
    unsigned threads;
  } all[] = {{shape::unique, 25'000, 40'000, 2},   // neither side fits
             {shape::repeated, 2'000, 40'000, 3},  // the left one does
             {shape::sorted, 40'000, 25'000, 1},  {shape::spaced, 12'500, 27'500, 2},
             {shape::hot, 7'500, 35'000, 2},      {shape::unique, 0, 40'000, 1},
             {shape::unique, 90'000, 1'000, 2},  // the right one does
             {shape::unique, 90'000, 1, 2}};
  unsigned seed = 1;
  for (const auto& [which, sales, items, threads] : all) {
    const auto made = sides_of(which, sales, items, seed++);
    const a_disk disk(made.sales, made.items);
    const std::size_t least = (9 + 2 * threads) * scaled_mib;
    session s(settings(disk.folder, least, threads));
    const auto expected = lines_by_loops(made);
    const auto* const first = reinterpret_cast<const char*>(expected.data());
    EXPECT_EQ(bytes_of(lines_of(s, disk)),
              std::vector<char>(first, first + expected.size() * sizeof(line)))
        << static_cast<int>(which) << ", " << sales << " and " << items;
    EXPECT_EQ(s.host_memory_used(), 0u);
    EXPECT_LE(s.host_memory_peak(), least);
  }
}

TEST(spilled_full_joins, have_both_sides_go_to_the_disk) {
  const auto made = sides_of(shape::unique, 60'000, 60'000, 21);
  const a_disk disk(made.sales, made.items);
  session s(settings(disk.folder, 12 * scaled_mib)), large(settings(disk.folder, plenty));
  const auto sum = [&](session& in) {
    return lines_of(in, disk)
        .map([](const line& one) {
          return static_cast<double>(one.key) * (one.sold != 0 ? 0.1 : 0.3) * one.number;
        })
        .sum();
  };
  EXPECT_EQ(sum(s).get(), sum(large).get());
  EXPECT_THAT(sum(s).explain(), HasSubstr("takes the place of n"));
  EXPECT_THAT(sum(s).explain_analyze(), HasSubstr("spill file: "));
  EXPECT_THAT(sum(large).explain(),
              AllOf(HasSubstr("unmatched"), Not(HasSubstr("takes the place"))));
  EXPECT_EQ(s.host_memory_used(), 0u);
}

TEST(spilled_full_joins, take_text_as_keys) {
  const auto made = sides_of(shape::repeated, 10'000, 25'000, 22);
  const a_disk disk(made.sales, made.items);
  session s(settings(disk.folder, 14 * scaled_mib)), large(settings(disk.folder, plenty));
  static constexpr std::string_view letters =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
  const auto text = [](std::int64_t id) {
    const auto at = static_cast<std::size_t>(id) % 40;
    return letters.substr(at, 1 + static_cast<std::size_t>(id) % 20);
  };
  const auto count = [&](session& in) {
    return in.raw<sale>(disk.left)
        .take(60)
        .full_join(
            in.raw<item>(disk.right), [=](const sale& a) { return text(a.item); },
            [=](const item& b) { return text(b.id); }, line_of)
        .map([](const line& one) { return one.number + (one.sold != 0 ? 1 : 7); })
        .sum()
        .get();
  };
  EXPECT_EQ(count(s), count(large));
}

// NaN is a key, and matches itself; so do 0.0 and -0.0.
TEST(spilled_full_joins, take_floats_and_domains) {
  auto made = sides_of(shape::unique, 20'000, 40'000, 25);
  const a_disk disk(made.sales, made.items);
  session s(settings(disk.folder, 13 * scaled_mib)), large(settings(disk.folder, plenty));
  const auto number = [](std::int64_t id) {
    return id % 1000 == 0   ? std::numeric_limits<double>::quiet_NaN()
           : id % 1000 == 1 ? 0.0
           : id % 1000 == 2 ? -0.0
                            : static_cast<double>(id);
  };
  const auto results = [&](session& in) {
    const auto sales = in.raw<sale>(disk.left).filter(
        [](const sale& a) { return a.item % 1000 > 2 || a.item < 7'000; });
    const auto items = in.raw<item>(disk.right);
    return std::vector{
        bytes_of(sales.full_join(
            items, [=](const sale& a) { return number(a.item); },
            [=](const item& b) { return number(b.id); }, line_of)),
        bytes_of(sales.full_join(items, &sale::item, &item::id, line_of, domain{40'000}))};
  };
  EXPECT_TRUE(results(s) == results(large));
  try {
    lines_of(s, disk).count().get();
    s.raw<sale>(disk.left)
        .full_join(s.raw<item>(disk.right), &sale::item, &item::id, line_of, domain{30'000})
        .count()
        .get();
    FAIL() << "an error was expected";
  } catch (const usage_error& e) {
    EXPECT_THAT(e.what(), HasSubstr("of the right side has the key"));
  }
}

// What nobody knows to be few is no reason for an index of the left side, which wouldn't fit.
TEST(spilled_full_joins, keep_to_the_right_side_where_it_turns_out_small) {
  const auto made = sides_of(shape::unique, 30'000, 40'000, 26);
  const a_disk disk({}, made.items);
  session s(settings(disk.folder, 24 * scaled_mib)), large(settings(disk.folder, plenty));
  const auto count = [&](session& in) {
    return in.borrow(made.sales)
        .full_join(in.raw<item>(disk.right).filter([](const item& b) { return b.id % 900 == 0; }),
                   &sale::item, &item::id, line_of)
        .map([](const line& one) { return one.number; })
        .sum()
        .get();
  };
  EXPECT_EQ(count(s), count(large));
}

TEST(spilled_full_joins, let_through_what_a_key_function_throws) {
  const auto made = sides_of(shape::unique, 12'500, 40'000, 23);
  const a_disk disk(made.sales, made.items);
  session s(settings(disk.folder, 12 * scaled_mib));
  const auto count = [&](std::int64_t forbidden) {
    return s.raw<sale>(disk.left)
        .full_join(
            s.raw<item>(disk.right), &sale::item,
            [=](const item& b) {
              if (b.id == forbidden) throw std::out_of_range("forbidden");
              return b.id;
            },
            line_of)
        .count()
        .get();
  };
  EXPECT_THROW(count(made.items[30'000].id), std::out_of_range);
  EXPECT_EQ(s.host_memory_used(), 0u);
  EXPECT_EQ(count(-1), static_cast<std::int64_t>(lines_by_loops(made).size()));
}

TEST(spilled_full_joins, on_a_bad_disk_are_right_or_the_error) {
  const auto made = sides_of(shape::repeated, 7'500, 40'000, 24);
  const a_disk disk(made.sales, made.items);
  const auto expected = static_cast<std::int64_t>(lines_by_loops(made).size());
  testing::expect_right_or_spill_error(
      {.faults = "+eio=0.004+flip=0.004", .little = "256KiB"},
      settings(disk.folder, 11 * scaled_mib, 1), "",
      [&](session& s) { return lines_of(s, disk).count().get() == expected; });
}

}  // namespace
}  // namespace pappus::spilled_joins
