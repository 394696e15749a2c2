// Joins whose right side goes to the spill file: the same bits as with plenty of memory, plans,
// errors, and that nothing is left behind.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <span>
#include <stdexcept>
#include <unordered_map>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cpu_ops/heard_keys.h"
#include "pappus/detail/base/hash.h"
#include "pappus/detail/base/keys.h"
#include "pappus/pappus.h"
#include "spilling/sales_of_items.h"
#include "support/bad_disks.h"
#include "support/cancels.h"
#include "support/spill_settings.h"

namespace pappus::spilled_joins {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// Results of which each depends on the order of pairs, or on which there are.
std::vector<std::vector<char>> results(session& s, const a_disk& disk) {
  const auto sales = s.raw<sale>(disk.left);
  const auto items = s.raw<item>(disk.right);
  const auto or_nothing = [](const sale& a, const item* b) { return b ? paid(a, *b) : -a.price; };
  const auto numbered = [](const sale& a, const item& b) { return sale{b.number, a.price}; };
  const auto dear = [](const sale& one) { return one.price > 5e5; };
  const auto heavy = [](const item& one) { return one.weight > 50; };
  std::vector<std::vector<char>> all{
      bytes_of_value(sales.join(items, &sale::item, &item::id, paid).sum().get()),
      bytes_of_value(sales.left_join(items, &sale::item, &item::id, or_nothing).sum().get()),
      bytes_of_value(sales.semi_join(items, &sale::item, &item::id).map(&sale::price).sum().get()),
      bytes_of_value(sales.anti_join(items, &sale::item, &item::id).map(&sale::price).sum().get()),
      bytes_of_value(
          items
              .right_join(sales, &item::id, &sale::item,
                          [](const item* b, const sale& a) { return b ? paid(a, *b) : a.price; })
              .sum()
              .get()),
      bytes_of(sales.filter(dear).join(items.filter(heavy), &sale::item, &item::id, numbered)),
      bytes_of(sales.skip(125)
                   .take(2'500)
                   .join(items, &sale::item, &item::id, numbered)
                   .filter([](const sale& one) { return one.item % 3 == 0; })),
  };
  sales.join(items, &sale::item, &item::id, numbered).take(6'250).write(disk.left + ".out.raw");
  all.push_back(bytes_of(s.raw<sale>(disk.left + ".out.raw")));
  return all;
}

// The index of 15,000 right rows takes 1 MiB.
TEST(spilled_joins, are_the_same_bits_in_little_memory) {
  const struct {
    shape which;
    std::int64_t sales, items;
    unsigned threads;
  } all[] = {{shape::unique, 25'000, 20'000, 2},
             {shape::repeated, 12'500, 25'000, 3},
             {shape::sorted, 18'750, 18'750, 1},
             {shape::spaced, 6'250, 27'500, 1},
             {shape::hot, 7'500, 25'000, 2}};
  unsigned seed = 1;
  for (const auto& [which, sales, items, threads] : all) {
    const auto made = sides_of(which, sales, items, seed++);
    const a_disk disk(made.sales, made.items);
    session large(settings(disk.folder, plenty));
    const std::size_t least = (9 + 2 * threads) * scaled_mib;
    session s(settings(disk.folder, least, threads));
    EXPECT_EQ(results(s, disk), results(large, disk)) << static_cast<int>(which);
    EXPECT_EQ(s.host_memory_used(), 0u);
    EXPECT_LE(s.host_memory_peak(), least);
  }
}

/// Has pairs, and which sales have any, compared with those of a loop.
void expect_those_of_a_loop(const both_sides& made, std::size_t memory) {
  const a_disk disk(made.sales, made.items);
  std::unordered_map<std::int64_t, std::vector<const item*>> by_id;
  for (const auto& one : made.items) by_id[one.id].push_back(&one);
  std::vector<std::int32_t> pairs;
  std::vector<double> with, without;
  for (const auto& one : made.sales) {
    for (const auto* match : by_id[one.item]) pairs.push_back(match->number);
    (by_id[one.item].empty() ? without : with).push_back(one.price);
  }
  session s(settings(disk.folder, memory));
  const auto sales = s.raw<sale>(disk.left);
  const auto items = s.raw<item>(disk.right);
  const auto same = [](const auto& rows, const auto& expected) {
    return std::ranges::equal(rows.collect(), expected);
  };
  EXPECT_TRUE(same(sales.join(items, &sale::item, &item::id,
                              [](const sale&, const item& b) { return b.number; }),
                   pairs));
  const auto prices = [](const auto& some) { return some.map(&sale::price); };
  EXPECT_TRUE(same(prices(sales.semi_join(items, &sale::item, &item::id)), with));
  EXPECT_TRUE(same(prices(sales.anti_join(items, &sale::item, &item::id)), without));
}

TEST(spilled_joins, are_those_of_a_loop_over_both_sides) {
  expect_those_of_a_loop(sides_of(shape::repeated, 5'000, 18'750, 11), 12 * scaled_mib);
}

// What rests is in partitions, by a hash of the keys, of which few are in memory at a time. Here it
// is one, in pieces: of right rows, in three of which is one key, and of what windows ask for.
TEST(spilled_joins, may_have_all_keys_in_one_partition) {
  auto made = sides_of(shape::unique, 40'000, 20'000, 24);
  for (std::size_t i = 0; i < made.items.size(); i += 4) made.items[i].id = 77;
  for (std::size_t i = 0; i < made.sales.size(); i += 4'000) made.sales[i].item = 77;
  std::vector<std::int64_t> keys;
  for (std::int64_t key = 0; keys.size() < 26'000; ++key)
    if (detail::hash(detail::encode_key(key), cpu_ops::partition_seed) >> 56 == 9)
      keys.push_back(key);
  for (auto& one : made.sales) one.item = keys[static_cast<std::size_t>(one.item)];
  for (auto& one : made.items) one.id = keys[static_cast<std::size_t>(one.id)];
  expect_those_of_a_loop(made, 12 * scaled_mib);
}

TEST(spilled_joins, take_keys_of_any_width) {
  const auto made = sides_of(shape::unique, 7'500, 20'000, 12);
  const a_disk disk(made.sales, made.items);
  session s(settings(disk.folder, 12 * scaled_mib)), large(settings(disk.folder, plenty));
  const auto sums = [&](session& in) {
    const auto sales = in.raw<sale>(disk.left);
    const auto items = in.raw<item>(disk.right);
    const auto number = [](std::int64_t id) {  // NaN equals itself here
      return id % 1000 == 0 ? std::numeric_limits<float>::quiet_NaN() : static_cast<float>(id);
    };
    return std::vector{
        sales
            .join(
                items, [](const sale& a) { return static_cast<std::int32_t>(a.item); },
                [](const item& b) { return static_cast<std::int32_t>(b.id); }, paid)
            .sum()
            .get(),
        sales
            .join(
                items, [](const sale& a) { return pair{a.item, a.item % 7}; },
                [](const item& b) { return pair{b.id, b.id % 7}; }, paid)
            .sum()
            .get(),
        sales.filter([](const sale& a) { return a.item % 1000 != 0 || a.item < 3000; })
            .join(
                items, [=](const sale& a) { return number(a.item); },
                [=](const item& b) { return number(b.id); }, paid)
            .sum()
            .get(),
        sales.join(items, &sale::item, &item::id, paid, domain{31'250}).sum().get()};
  };
  EXPECT_EQ(sums(s), sums(large));
}

TEST(spilled_joins, may_stand_among_other_operators) {
  const auto made = sides_of(shape::unique, 6'250, 20'000, 13);
  const a_disk disk(made.sales, made.items);
  session s(settings(disk.folder, 12 * scaled_mib)), large(settings(disk.folder, plenty));
  const auto programs = [&](session& in) {
    const auto sales = in.raw<sale>(disk.left);
    const auto items = in.raw<item>(disk.right);
    const auto few = in.range(0, 200).map([](std::int64_t i) { return item{i * 31, 0, 1.5f}; });
    const auto scaled = [](const sale& a, const item& b) {
      return sale{a.item, a.price * static_cast<double>(b.weight)};
    };
    const auto numbered = [](const sale& a, const item& b) { return sale{b.number, a.price}; };
    const auto twice = [](const sale& a) { return std::vector{a, sale{a.item / 2, a.price}}; };
    const auto pairs = sales.join(items, &sale::item, &item::id, numbered);
    return std::vector{
        bytes_of(sales.join(items, &sale::item, &item::id, scaled)
                     .join(few, &sale::item, &item::id, scaled)),
        bytes_of(sales.join(few, &sale::item, &item::id, scaled)
                     .join(items, &sale::item, &item::id, scaled)),
        bytes_of_value(sales.flat_map(twice)
                           .join(items, &sale::item, &item::id, paid)
                           .filter([](double v) { return v > 0; })
                           .sum()
                           .get()),
        bytes_of(pairs.sort_by(&sale::price).take(1000)),
        bytes_of(pairs.group_by([](const sale& one) { return one.item % 100; }).sum(&sale::price)),
        bytes_of(pairs.top(20, &sale::price)),
        bytes_of_value(pairs.map(&sale::price).first().get())};
  };
  EXPECT_EQ(programs(s), programs(large));
}

TEST(spilled_joins, leave_right_rows_to_functions_that_share_them) {
  const auto made = sides_of(shape::unique, 2'500, 20'000, 22);
  const a_disk disk(made.sales, made.items);
  session s(settings(disk.folder, 28 * scaled_mib)), large(settings(disk.folder, plenty));
  const auto sum = [&](session& in) {
    const auto items = in.raw<item>(disk.right);
    return in.raw<sale>(disk.left)
        .semi_join(items, &sale::item, &item::id)
        .map(
            [](const sale& a, std::span<const item> all) {
              return a.price * all[static_cast<std::size_t>(a.item) % all.size()].weight;
            },
            items.shared())
        .sum()
        .get();
  };
  EXPECT_EQ(sum(s), sum(large));
}

TEST(spilled_joins, are_explained) {
  const auto made = sides_of(shape::unique, 12'500, 87'500, 14);
  const a_disk disk(made.sales, made.items);
  session s(settings(disk.folder, 12 * scaled_mib)), large(settings(disk.folder, plenty));
  const auto sum = [&](session& in) {
    return in.raw<sale>(disk.left)
        .join(in.raw<item>(disk.right), &sale::item, &item::id, paid)
        .sum();
  };
  EXPECT_THAT(sum(s).explain(),
              AllOf(HasSubstr("twice: first to ask for right rows, which rest on the disk"),
                    HasSubstr("hear which keys are looked up"), HasSubstr("take right rows")));
  EXPECT_THAT(sum(s).explain_analyze(),
              AllOf(HasSubstr("windows asked for"), HasSubstr("87,500 rows indexed"),
                    HasSubstr("rows 12,500, join"), HasSubstr("spill file: ")));
  EXPECT_THAT(sum(large).explain(), Not(HasSubstr("to ask for right rows")));
}

TEST(spilled_joins, ask_nobody_where_the_right_side_turns_out_to_fit) {
  const auto made = sides_of(shape::unique, 12'500, 25'000, 15);
  const a_disk disk(made.sales, made.items);
  session s(settings(disk.folder, 12 * scaled_mib)), large(settings(disk.folder, plenty));
  std::atomic<std::int64_t> calls = 0;
  const auto sum = [&](session& in) {
    return in.raw<sale>(disk.left)
        .map([&](const sale& one) {
          ++calls;
          return one;
        })
        .join(in.raw<item>(disk.right).filter([](const item& b) { return b.id % 50 == 0; }),
              &sale::item, &item::id, paid)
        .sum();
  };
  EXPECT_THAT(sum(s).explain(), HasSubstr("to ask for right rows"));
  const double found = sum(s);
  EXPECT_EQ(calls, 12'500);
  EXPECT_EQ(found, sum(large).get());
}

TEST(spilled_joins, refuse_a_record_with_more_matches_than_fit) {
  std::vector<item> items;
  for (std::int32_t i = 0; i < 50'000; ++i) items.push_back({i % 2 == 0 ? 7 : i, i, 1});
  const a_disk disk({{1, 1}, {7, 1}, {9, 1}}, items);
  session s(settings(disk.folder, 12 * scaled_mib));
  const auto pairs =
      s.raw<sale>(disk.left).join(s.raw<item>(disk.right), &sale::item, &item::id, paid);
  try {
    pairs.count().get();
    FAIL() << "25,000 matches of 84 bytes were expected not to fit";
  } catch (const memory_error& e) {
    EXPECT_THAT(e.what(), AllOf(HasSubstr("one left record"), HasSubstr("swap the sides")));
  }
  EXPECT_EQ(s.host_memory_used(), 0u);
}

TEST(spilled_joins, are_refused_where_nothing_may_go_to_a_disk) {
  const auto made = sides_of(shape::unique, 125, 50'000, 16);
  const a_disk disk(made.sales, made.items);
  auto off = settings(disk.folder, 12 * scaled_mib);
  off.spill = "off";
  session s(off);
  EXPECT_THROW(s.raw<sale>(disk.left)
                   .join(s.raw<item>(disk.right), &sale::item, &item::id, paid)
                   .sum()
                   .get(),
               memory_error);
}

TEST(spilled_joins, name_keys_beyond_the_domain) {
  auto made = sides_of(shape::unique, 125, 25'000, 17);
  made.items[18'751].id = 25'000;
  const a_disk disk(made.sales, made.items);
  session s(settings(disk.folder, 12 * scaled_mib));
  try {
    s.raw<sale>(disk.left)
        .join(s.raw<item>(disk.right), &sale::item, &item::id, paid, domain{25'000})
        .sum()
        .get();
    FAIL() << "an error was expected";
  } catch (const usage_error& e) {
    EXPECT_THAT(e.what(), HasSubstr("row 18751 of the right side has the key 25000"));
  }
}

TEST(spilled_joins, tell_when_the_left_file_changes_meanwhile) {
  const auto made = sides_of(shape::unique, 12'500, 25'000, 18);
  const a_disk disk(made.sales, made.items);
  session s(settings(disk.folder, 12 * scaled_mib));
  std::atomic<std::int64_t> calls = 0;
  const auto sum = s.raw<sale>(disk.left)
                       .map([&](const sale& one) {
                         if (++calls == 12'375)
                           std::filesystem::resize_file(disk.left, 62 * sizeof(sale));
                         return one;
                       })
                       .join(s.raw<item>(disk.right), &sale::item, &item::id, paid)
                       .sum();
  EXPECT_THROW(sum.get(), format_error);
  EXPECT_EQ(s.host_memory_used(), 0u);
}

TEST(spilled_joins, on_a_bad_disk_are_right_or_the_error) {
  const auto made = sides_of(shape::repeated, 7'500, 62'500, 19);
  const a_disk disk(made.sales, made.items);
  session large(settings(disk.folder, plenty));
  const auto sum = [&](session& in) {
    return in.raw<sale>(disk.left)
        .join(in.raw<item>(disk.right), &sale::item, &item::id, paid)
        .sum()
        .get();
  };
  const double expected = sum(large);
  testing::expect_right_or_spill_error({.faults = "+eio=0.004+flip=0.004", .little = "256KiB"},
                                       settings(disk.folder, 11 * scaled_mib, 1), "",
                                       [&](session& s) { return sum(s) == expected; });
}

TEST(spilled_joins, leave_nothing_behind_when_a_function_throws) {
  const auto made = sides_of(shape::repeated, 7'500, 25'000, 20);
  const a_disk disk(made.sales, made.items);
  session s(settings(disk.folder, 12 * scaled_mib));
  std::atomic<std::int64_t> calls = 0;
  const auto throws_at = [&](std::int64_t when) {
    return [&, when] {
      if (++calls == when) throw std::runtime_error("no value");
    };
  };
  const auto run = [&](auto left, auto right, auto pairs) {
    calls = 0;
    EXPECT_THROW(s.raw<sale>(disk.left)
                     .join(
                         s.raw<item>(disk.right),
                         [=](const sale& a) {
                           left();
                           return a.item;
                         },
                         [=](const item& b) {
                           right();
                           return b.id;
                         },
                         [=](const sale& a, const item& b) {
                           pairs();
                           return paid(a, b);
                         })
                     .sum()
                     .get(),
                 std::runtime_error);
    EXPECT_EQ(s.host_memory_used(), 0u);
  };
  const auto nothing = [] {};
  for (const std::int64_t when : {100, 7'375, 7'625, 14'875})
    run(throws_at(when), nothing, nothing);
  for (const std::int64_t when : {100, 24'875, 25'125}) run(nothing, throws_at(when), nothing);
  for (const std::int64_t when : {1, 11'250}) run(nothing, nothing, throws_at(when));
}

TEST(spilled_joins, can_be_cancelled_at_any_time) {
  const auto made = sides_of(shape::repeated, 12'500, 31'250, 21);
  const a_disk disk(made.sales, made.items);
  session s(settings(disk.folder, 12 * scaled_mib));
  const auto sum = [&] {
    return s.raw<sale>(disk.left)
        .join(s.raw<item>(disk.right), &sale::item, &item::id, paid)
        .sum()
        .get();
  };
  const double expected = sum();
  testing::expect_cancellable_at_any_time(s, 6'250, 625, [&] { EXPECT_EQ(sum(), expected); });
  EXPECT_EQ(sum(), expected);
}

}  // namespace
}  // namespace pappus::spilled_joins
