// Groups of rows that conditions rule out are passed over, and nothing else is.
#include "formats/arrow/arrow_groups.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/conditions.h"
#include "formats/arrow/arrow_support.h"
#include "formats/arrow/asked_rows.h"
#include "formats/arrow/small_groups.h"
#include "pappus/category.h"

namespace pappus::testing {
namespace {

using base::relation;
using detail::cell;
using detail::condition;

struct sold {
  std::int32_t number;
  std::uint32_t size;
  std::int64_t id;
  std::uint64_t bits;
  std::int8_t small;
  bool paid;
  float weight;
  double price;
  date day;
  timestamp at;
  std::optional<std::int32_t> discount;
  std::optional<double> share;
  std::string_view name;
  std::optional<std::string_view> place;
  category kind;
};

std::vector<sold> sold_records(std::size_t n, std::mt19937_64& random, bool sorted) {
  std::vector<sold> records(n);
  for (std::size_t i = 0; i < n; ++i) {
    auto& r = records[i];
    const auto near = [&](std::int64_t width) {
      const auto noise = static_cast<std::int64_t>(random() % 7) - 3;
      return sorted ? static_cast<std::int64_t>(i) * width / static_cast<std::int64_t>(n) -
                          width / 2 + noise
                    : static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(width)) -
                          width / 2;
    };
    r.number = static_cast<std::int32_t>(near(200));
    r.size = static_cast<std::uint32_t>(near(60));  // around 2^32
    r.id = near(1000) * 1'000'000'007;
    r.bits = static_cast<std::uint64_t>(near(100));
    r.small = static_cast<std::int8_t>(near(200));
    r.paid = near(50) > 0;
    r.weight = random() % 9 == 0 ? std::nanf("") : static_cast<float>(near(40)) / 4;
    r.price = random() % 11 == 0 ? std::nan("") : static_cast<double>(near(80)) / 8;
    if (random() % 13 == 0) r.price = -0.0;
    r.day = {static_cast<std::int32_t>(near(30))};
    r.at = {near(50) * 1'000'000};
    if (near(40) > -10) r.discount = static_cast<std::int32_t>(near(60));
    if (random() % 3 != 0) r.share = static_cast<double>(near(20));
    const auto some_name = [&] {
      constexpr auto last = static_cast<std::int64_t>(std::size(sorted_names)) - 1;
      return sorted_names[static_cast<std::size_t>(
          std::clamp<std::int64_t>(near(20) + 8, 0, last))];
    };
    r.name = some_name();
    if (near(40) > -10) r.place = some_name();
    r.kind = some_name();
  }
  return records;
}

condition some_condition(std::mt19937_64& random) {
  const auto columns = detail::layout_of<sold>().columns;
  for (;;) {
    const auto& column = columns[random() % columns.size()];
    const auto is = static_cast<relation>(random() % 6);
    const auto around = static_cast<std::int64_t>(random() % 120) - 60;
    if (column.presence != 0 && random() % 3 == 0) {
      const base::compared_integer there{
          .offset = column.presence, .bytes = 1, .bits = 8, .signed_order = false};
      return *base::condition_of(there, random() % 4 == 0 ? relation::equal : relation::unequal, 0);
    }
    const auto bytes = detail::cell_bytes(column.type);
    std::optional<condition> made;
    if (detail::is_text_cell(column.type)) {
      const auto text = sorted_names[1 + random() % (std::size(sorted_names) - 1)];
      const bool whole = column.type == cell::category || random() % 2 == 0;
      made = base::condition_of(column.offset, bytes,
                                whole ? text : text.substr(0, 1 + random() % text.size()), whole);
    } else if (detail::is_float_cell(column.type)) {
      made = base::condition_of(column.offset, bytes, is, static_cast<double>(around) / 8);
    } else {
      base::compared_integer field{.offset = column.offset, .bytes = bytes};
      field.bits = static_cast<unsigned>(8 * bytes) << (bytes < 8 ? random() % 2 : 0);
      field.sign_extended = random() % 2 == 0;
      field.signed_order = random() % 2 == 0;
      if (random() % 2 == 0) field.addend = static_cast<std::uint64_t>(around / 2);
      auto value = static_cast<std::uint64_t>(around);
      if (column.type == cell::i64) value *= 1'000'000'007;
      if (column.type == cell::timestamp) value *= 1'000'000;
      made = base::condition_of(field, is, value);
    }
    if (made) return *made;
  }
}

struct found_rows {
  std::int64_t left_out = 0, groups = 0, of = 0;
};

/// Reads the file with conditions, and compares with the records that are in it.
found_rows read_with(const std::string& path, const std::vector<sold>& records,
                     const detail::conditions& wanted, unsigned threads, std::int64_t window,
                     std::size_t memory_bytes) {
  test_memory memory(memory_bytes);
  test_workers team(threads);
  const auto reader = open_asked<sold>(path, wanted, memory);
  const auto is_wanted = [&](const sold& r) {
    return std::ranges::all_of(wanted, [&](const condition& one) {
      return holds(one, reinterpret_cast<const std::byte*>(&r));
    });
  };
  found_rows found;
  std::int64_t row = 0;
  for (std::int64_t n = window; n == window; row += n) {
    const auto columns = reader->read_columns(team, window);
    n = columns.rows;
    for (std::int64_t at = 0; at < n;) {
      const auto alike = columns.of->next(at, n);
      EXPECT_LT(at, alike.end);
      EXPECT_LE(alike.end, n);
      const auto count = static_cast<std::size_t>(alike.end - at);
      const auto* const expected = records.data() + row + at;
      if (alike.left_out) {
        found.left_out += alike.end - at;
        EXPECT_TRUE(std::none_of(expected, expected + count, is_wanted)) << "from row " << row + at;
      } else {
        std::vector<sold> made(count);
        columns.of->make(at, alike.end - at, reinterpret_cast<std::byte*>(made.data()));
        for (std::size_t i = 0; i < count; ++i) {
          EXPECT_EQ(made[i].number, expected[i].number);
          EXPECT_EQ(made[i].discount, expected[i].discount);
          EXPECT_EQ(made[i].name, expected[i].name);
        }
      }
      at = alike.end;
    }
  }
  EXPECT_EQ(row, std::ssize(records));
  const auto told = reader->not_read();
  found.groups = told.groups;
  found.of = told.all_groups;
  EXPECT_TRUE(told.bytes > 0 || told.groups == 0);
  EXPECT_TRUE(told.bytes == 0 || found.left_out > 0);
  return found;
}

TEST(arrow_groups, that_are_left_out_have_no_record_that_is_wanted) {
  PAPPUS_NEEDS_ARROW();
  const auto seed = std::random_device()();
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  const temporary_folder folder;
  std::int64_t left_out = 0;
  for (const bool sorted : {true, false}) {
    for (const std::size_t group_rows : {1, 4, 64, 16'384}) {  // the last ones have several pages
      const std::size_t n = group_rows == 1 ? 57 : group_rows <= 64 ? 400 : 30'000;
      const auto records = sold_records(n, random, sorted);
      write_groups(folder.file("a.parquet"), records, group_rows);
      for (int i = 0; i < 20; ++i) {
        detail::conditions wanted;
        for (auto count = 1 + random() % 3; count > 0; --count)
          wanted.push_back(some_condition(random));
        const auto found =
            read_with(folder.file("a.parquet"), records, wanted, 1 + i % 3,
                      i % 2 == 0 ? 1'000'000 : 1 + static_cast<std::int64_t>(random() % (n / 4)),
                      i % 4 < 2 ? SIZE_MAX : little_memory);
        EXPECT_EQ(found.of, static_cast<std::int64_t>((n + group_rows - 1) / group_rows));
        EXPECT_LE(found.groups, found.of);
        left_out += found.left_out;
        if (HasFailure()) return;
      }
    }
  }
  EXPECT_GT(left_out, 0);
}

struct two_numbers {
  std::int64_t number;
  std::optional<std::int64_t> some;
};

template <typename Record = two_numbers>
std::int64_t groups_left_out(const std::string& path, const detail::conditions& wanted) {
  test_memory memory;
  test_workers team(2);
  const auto reader = open_asked<Record>(path, wanted, memory);
  reader->read_columns(team, 1'000'000);
  return reader->not_read().groups;
}

TEST(arrow_groups, are_ranges_of_sorted_values) {
  PAPPUS_NEEDS_ARROW();
  const temporary_folder folder;
  const auto path = folder.file("a.parquet");
  std::vector<two_numbers> records(1'600);
  for (std::size_t i = 0; i < records.size(); ++i) {
    records[i].number = static_cast<std::int64_t>(i);
    if (i >= 320) records[i].some = 5;
  }
  write_groups(path, records, 16);
  const base::compared_integer number{.offset = 0, .bytes = 8};
  const base::compared_integer some{.offset = offsetof(two_numbers, some), .bytes = 8};
  const auto of = [](const auto& field, relation is, std::uint64_t value) {
    return *base::condition_of(field, is, value);
  };
  EXPECT_EQ(groups_left_out(path, {of(number, relation::at_least, 160)}), 10);
  EXPECT_EQ(groups_left_out(path, {of(number, relation::at_least, 161)}), 10);
  EXPECT_EQ(groups_left_out(path, {of(number, relation::less, 160)}), 90);
  EXPECT_EQ(groups_left_out(path, {of(number, relation::at_most, 160)}), 89);
  EXPECT_EQ(groups_left_out(path, {of(number, relation::equal, 800)}), 99);
  EXPECT_EQ(
      groups_left_out(path, {of(number, relation::at_least, 160), of(number, relation::less, 320)}),
      90);
  EXPECT_EQ(groups_left_out(path, {of(some, relation::greater, 4)}), 20) << "missing ones are 0";
  EXPECT_EQ(groups_left_out(path, {of(some, relation::less, 5)}), 80);
  const auto presence = detail::layout_of<two_numbers>().columns[1].presence;
  const auto there =
      of(base::compared_integer{.offset = presence, .bytes = 1, .bits = 8}, relation::unequal, 0);
  EXPECT_EQ(groups_left_out(path, {there}), 20);
  EXPECT_EQ(groups_left_out(path, {there, of(some, relation::less, 5)}), 100);
}

TEST(arrow_groups, are_ranges_of_sorted_texts) {
  PAPPUS_NEEDS_ARROW();
  struct named {
    std::string_view name;
    std::optional<std::string_view> some;
  };
  const temporary_folder folder;
  const auto path = folder.file("a.parquet");
  std::vector<std::string> texts;
  for (int i = 0; i < 1'600; ++i) texts.push_back(fmt::format("n{:04}", i));
  std::vector<named> records(texts.size());
  for (std::size_t i = 0; i < records.size(); ++i) {
    records[i].name = texts[i];
    if (i >= 320) records[i].some = "x";
  }
  write_groups(path, records, 16);
  const auto left_out = [&](std::size_t offset, std::string_view text, bool whole) {
    return groups_left_out<named>(path, {base::condition_of(offset, 16, text, whole)});
  };
  EXPECT_EQ(left_out(0, "n0800", true), 99);
  EXPECT_EQ(left_out(0, "n08005", true), 99) << "it would lie between two of them";
  EXPECT_EQ(left_out(0, "n0815x", true), 100) << "and between two groups";
  EXPECT_EQ(left_out(0, "n08", false), 93);  // groups have 800 to 911
  EXPECT_EQ(left_out(0, "n", false), 0);
  EXPECT_EQ(left_out(0, "m", false), 100);
  EXPECT_EQ(left_out(0, "o", false), 100);
  EXPECT_EQ(left_out(offsetof(named, some), "x", true), 20) << "missing ones are no text";
  EXPECT_EQ(left_out(offsetof(named, some), "y", true), 100);
}

struct short_number {
  std::int8_t number;
};

/// The group with the value that the field can't have is read.
TEST(arrow_groups, with_values_that_are_refused_are_read) {
  PAPPUS_NEEDS_ARROW();
  const temporary_folder folder;
  const auto path = folder.file("a.parquet");
  std::vector<two_numbers> records(64);
  for (std::size_t i = 0; i < records.size(); ++i) records[i].number = static_cast<std::int64_t>(i);
  records[40].number = 1000;
  write_groups(path, records, 8);
  test_memory memory;
  test_workers team(2);
  auto layout = detail::layout_of<short_number>();
  layout.rows = {*base::condition_of(base::compared_integer{.offset = 0, .bytes = 1, .bits = 8},
                                     relation::less, 8)};
  const auto reader = formats::open_parquet(path, layout, memory);
  EXPECT_EQ(message_of<format_error>([&] { reader->read_columns(team, 1'000); }),
            parquet_problem<short_number>(path));
  records[40].number = 100;
  write_groups(path, records, 8);
  const auto again = formats::open_parquet(path, layout, memory);
  EXPECT_EQ(again->read_columns(team, 1'000).rows, 64);
  EXPECT_EQ(again->not_read().groups, 7);
}

/// What fields of other types have of a column's values.
TEST(arrow_groups, are_told_in_the_type_of_the_field) {
  using formats::arrow_extent;
  using formats::arrow_kind;
  const auto left_out = [](arrow_kind kind, std::int64_t unit, cell to, std::int64_t least,
                           std::int64_t most, relation is, double value) -> bool {
    formats::arrow_binding bound{
        0, {.name = "x", .kind = kind, .nullable = false, .unit = unit}, {}};
    bound.field = {.name = "x", .type = to};
    formats::arrow_group group{.rows = 10,
                               .stored_bytes = {1},
                               .bytes = {1},
                               .held_bytes = {1},
                               .nulls = {0},
                               .extents = {}};
    group.extents = {{.of = arrow_extent::what::integers, .least = least, .most = most}};
    const auto bytes = detail::cell_bytes(to);
    const auto wanted =
        detail::is_float_cell(to)
            ? base::condition_of(0, bytes, is, value)
            : base::condition_of({.offset = 0,
                                  .bytes = bytes,
                                  .bits = static_cast<unsigned>(8 * bytes),
                                  .signed_order = to < cell::u8 || to > cell::u64},
                                 is, static_cast<std::uint64_t>(static_cast<std::int64_t>(value)));
    return formats::groups_left_out(std::vector{group}, std::span(&bound, 1), {*wanted}).front();
  };
  const auto greater = relation::greater;
  EXPECT_TRUE(left_out(arrow_kind::timestamp, 1000, cell::timestamp, 1, 5, greater, 5000));
  EXPECT_FALSE(left_out(arrow_kind::timestamp, 1000, cell::timestamp, 1, 5, greater, 4999));
  EXPECT_TRUE(
      left_out(arrow_kind::timestamp, 1'000'000'000, cell::timestamp, 1000, 5000, greater, 5));
  EXPECT_FALSE(
      left_out(arrow_kind::timestamp, 1'000'000'000, cell::timestamp, 1000, 5001, greater, 9))
      << "nanoseconds are refused";
  EXPECT_FALSE(left_out(arrow_kind::timestamp, 1, cell::timestamp, 0, INT64_MAX, greater, 1e18))
      << "too late for microseconds";
  EXPECT_TRUE(left_out(arrow_kind::i64, 0, cell::f64, -3, 5, greater, 5));
  EXPECT_FALSE(left_out(arrow_kind::i64, 0, cell::f64, -3, 5, greater, 4.5));
  EXPECT_FALSE(left_out(arrow_kind::i64, 0, cell::f32, 0, 1 << 25, greater, 1e9)) << "rounded";
  EXPECT_TRUE(left_out(arrow_kind::u64, 0, cell::u64, -5, -1, relation::less, 7)) << "of 2^64";
  EXPECT_FALSE(left_out(arrow_kind::u64, 0, cell::i64, -5, -1, relation::less, 7)) << "refused";
  EXPECT_TRUE(left_out(arrow_kind::boolean, 0, cell::boolean, 0, 0, relation::unequal, 0));
  EXPECT_TRUE(left_out(arrow_kind::decimal, 0, cell::i32, 3, 4, greater, 4));
  EXPECT_FALSE(left_out(arrow_kind::text, 0, cell::category, 3, 4, greater, 4))
      << "codes aren't in files";
}

}  // namespace
}  // namespace pappus::testing
