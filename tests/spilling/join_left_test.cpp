// Joins whose right side goes to the disk, with left rows of any kind: what they ask with must come
// twice.
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pappus/pappus.h"
#include "spilling/sales_of_items.h"

namespace pappus::spilled_joins {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

/// Programs whose left rows are in memory, or come from other stages that run again.
std::vector<collection<sale>> lefts_of(session& in, const a_disk& disk,
                                       const std::vector<sale>& sales) {
  const auto file = in.raw<sale>(disk.left);
  const auto again = [](const sale& a) { return sale{a.item + 1, a.price / 3}; };
  const auto odd = [](const sale& a) { return (a.item & 1) != 0; };
  const auto twice = [](const sale& a) { return std::vector{a, sale{a.item / 2, a.price}}; };
  const auto numbered = [](const indexed<sale>& a) {
    return sale{a.value.item, a.value.price + static_cast<double>(a.index)};
  };
  const collection<sale> mapped = file.map(again), filtered = mapped.filter(odd),
                         flat = filtered.flat_map(twice), placed = flat.enumerate().map(numbered);
  return {in.borrow(sales),
          in.borrow(sales).cache(),
          in.borrow(sales).concat(in.borrow(sales).take(125)),
          file.take(875).sort_by(&sale::price),
          file.group_by(&sale::item).sum(&sale::price).map([](const auto& g) {
            return sale{g.key, g.value};
          }),
          file.top(300, &sale::price),
          mapped,
          placed,
          placed.take(2'500),
          in.from(std::vector<sale>{})};
}

TEST(spilled_joins_of_any_left_rows, have_the_pairs_of_plenty_of_memory) {
  const auto made = sides_of(shape::repeated, 3'750, 32'500, 18);
  const a_disk disk(made.sales, made.items);
  session s(settings(disk.folder, 12 * scaled_mib)), large(settings(disk.folder, plenty));
  const auto matched = [](const sale& a, const item& b) { return sale{b.number, a.price}; };
  const auto maybe = [](const sale& a, const item* b) {
    return sale{b == nullptr ? -1 : b->number, a.price};
  };
  const auto programs = [&](session& in, const collection<sale>& left) {
    const auto items = in.raw<item>(disk.right);
    return std::vector{
        bytes_of(left.join(items, &sale::item, &item::id, matched)),
        bytes_of(left.left_join(items, &sale::item, &item::id, maybe).sort_by(&sale::price)),
        bytes_of(left.semi_join(items, &sale::item, &item::id)),
        bytes_of(left.anti_join(items, &sale::item, &item::id)),
        bytes_of_value(left.join(items, &sale::item, &item::id, paid).sum().get())};
  };
  const auto in_little = lefts_of(s, disk, made.sales), in_much = lefts_of(large, disk, made.sales);
  for (std::size_t i = 0; i < in_little.size(); ++i) {
    SCOPED_TRACE(i);
    EXPECT_THAT(
        in_little[i].join(s.raw<item>(disk.right), &sale::item, &item::id, paid).sum().explain(),
        HasSubstr("to ask for right rows"));
    EXPECT_TRUE(programs(s, in_little[i]) == programs(large, in_much[i]));
  }
}

TEST(spilled_joins_of_any_left_rows, count_records_of_stages_that_run_twice_once) {
  const auto made = sides_of(shape::unique, 5'000, 37'500, 19);
  const a_disk disk(made.sales, made.items);
  session s(settings(disk.folder, 12 * scaled_mib));
  const collection<sale> left =
      s.raw<sale>(disk.left).filter([](const sale& a) { return a.item % 4 == 0; });
  const auto n = left.count().get();
  const auto report =
      left.join(s.raw<item>(disk.right), &sale::item, &item::id, paid).sum().explain_analyze();
  EXPECT_THAT(report, HasSubstr("windows asked for"));
  const auto kept = fmt::format("{},{:03}", n / 1000, n % 1000);
  EXPECT_THAT(report, AllOf(HasSubstr("filter: rows ≤ 5,000 → " + kept + ","),
                            HasSubstr("rows " + kept + ", join → ")));
}

}  // namespace
}  // namespace pappus::spilled_joins
