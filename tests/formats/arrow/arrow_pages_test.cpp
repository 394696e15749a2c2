// Pages at a group's ends that conditions rule out aren't read, and nothing else is left out.
#include <algorithm>
#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "formats/arrow/arrow_support.h"
#include "formats/arrow/asked_rows.h"
#include "formats/arrow/golden_rows.h"
#include "formats/arrow/mutated_columns.h"
#include "formats/arrow/small_groups.h"
#include "pappus/list.h"

namespace pappus::testing {
namespace {

using detail::condition;

/// What rows have that a reader is asked for, of a file of one group.
struct read_rows {
  std::int64_t rows = 0, groups = 0, bytes = 0;
  std::string text;
};
template <typename Record, typename Text>
read_rows rows_with(const std::string& path, const detail::conditions& wanted, const Text& text_of,
                    std::size_t memory_bytes = SIZE_MAX) {
  test_memory memory(memory_bytes);
  test_workers team(2);
  const auto reader = open_asked<Record>(path, wanted, memory);
  const auto columns = reader->read_columns(team, 1'000'000);
  read_rows found{0, reader->not_read().groups, reader->not_read().bytes, {}};
  for (std::int64_t at = 0; at < columns.rows;) {
    const auto alike = columns.of->next(at, columns.rows);
    if (!alike.left_out) {
      std::vector<Record> made(static_cast<std::size_t>(alike.end - at));
      columns.of->make(at, alike.end - at, reinterpret_cast<std::byte*>(made.data()));
      for (const auto& one : made)
        if (std::ranges::all_of(wanted, [&](const condition& each) {
              return holds(each, reinterpret_cast<const std::byte*>(&one));
            }))
          found.text += text_of(one);
      found.rows += std::ssize(made);
    }
    at = alike.end;
  }
  return found;
}

condition between(std::size_t offset, std::int64_t first, std::int64_t last) {
  condition made{.offset = offset, .bytes = 8, .bits = 64};
  made.first = static_cast<std::uint64_t>(first);
  made.last = static_cast<std::uint64_t>(last);
  return made;
}

/// Texts are decoded from their group's front, and those before the first row that is wanted are
/// passed over.
TEST(arrow_pages, of_texts_are_read_behind_many_rows) {
  PAPPUS_NEEDS_ARROW();
  struct named {
    std::int64_t id;
    std::string_view name;
    std::optional<std::string_view> some;
  };
  const temporary_folder folder;
  std::vector<named> records(16'384);
  for (std::size_t i = 0; i < records.size(); ++i) {
    records[i] = {static_cast<std::int64_t>(i), sorted_names[i % std::size(sorted_names)], {}};
    if (i % 3 == 0) records[i].some = sorted_names[i / 16 % std::size(sorted_names)];
  }
  write_groups(folder.file("a.parquet"), records, records.size());
  const auto text_of = [](const named& one) {
    return fmt::format("{} {} {}\n", one.id, one.name, one.some.value_or("none"));
  };
  std::string expected;
  for (std::size_t i = 14'000; i < 14'010; ++i) expected += text_of(records[i]);
  for (const auto memory : {SIZE_MAX, little_memory}) {
    const auto found =
        rows_with<named>(folder.file("a.parquet"), {between(0, 14'000, 14'009)}, text_of, memory);
    EXPECT_EQ(found.text, expected) << memory;
    EXPECT_LE(found.rows, 4'096);
  }
}

struct paged {
  std::int64_t id;
  std::optional<std::int32_t> some;
  std::optional<std::string_view> name;
  bool flag;
  std::int16_t small;
  double value;
  list<std::int32_t> numbers;
};

TEST(arrow_pages, of_a_group_are_read_from_the_first_to_the_last_one_that_is_wanted) {
  PAPPUS_NEEDS_ARROW();
  const temporary_folder folder;
  PAPPUS_GOLDEN(names, folder, "pages '" + folder.file("") + "'");
  const auto text_of = [](const paged& one) {
    std::string text = std::to_string(one.id) + ' ' + std::to_string(one.some.value_or(-1)) + ' ' +
                       std::string(one.name.value_or("none")) + ' ' + std::to_string(one.small) +
                       (one.flag ? " yes " : " no ") + std::to_string(one.value);
    for (const auto number : one.numbers) text += ' ' + std::to_string(number);
    return text + '\n';
  };
  std::istringstream each(*names);
  int files = 0;
  for (std::string name; each >> name; ++files) {
    SCOPED_TRACE(name);
    for (const auto& [first, last] : std::vector<std::pair<std::int64_t, std::int64_t>>{
             {0, 0}, {0, 999}, {4'321, 4'321}, {5'000, 7'777}, {9'999, 9'999}, {0, 9'999}}) {
      std::string expected;
      for (std::int64_t i = first; i <= last; ++i) {
        const auto nth = static_cast<std::int32_t>(i);
        const std::vector<std::int32_t> numbers(static_cast<std::size_t>(i % 3), nth);
        const auto text = "n" + std::to_string(i % 37);
        paged row{i,
                  {},
                  {},
                  i % 3 == 0,
                  static_cast<std::int16_t>(i % 200 - 100),
                  nth / 4.0,
                  list<std::int32_t>::of(numbers)};
        if (i % 5 != 3) row.some = nth * 2;
        if (i % 7 != 3) row.name = text;
        expected += text_of(row);
      }
      const auto found =
          rows_with<paged>(folder.file(name), {between(offsetof(paged, id), first, last)}, text_of);
      EXPECT_TRUE(found.text == expected) << first << " to " << last;
      EXPECT_EQ(found.groups, 0);
      if (name.starts_with("untold") || last - first == 9'999) {
        EXPECT_EQ(found.rows, 10'000);
        EXPECT_EQ(found.bytes, 0);
      } else {
        EXPECT_LT(found.rows, last - first + 2'500);
        EXPECT_GT(found.bytes, 0);
      }
    }
    // A row between pages' ends that no page has.
    const auto none = rows_with<paged>(folder.file(name),
                                       {between(offsetof(paged, id), 10'000, 20'000)}, text_of);
    EXPECT_EQ(none.rows, 0);
    EXPECT_EQ(none.groups, 1);
  }
  EXPECT_EQ(files, 6);
}

TEST(arrow_pages, of_damaged_files_are_read_or_refused) {
  PAPPUS_NEEDS_ARROW();
  const auto seed = std::random_device()();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  const temporary_folder folder;
  PAPPUS_GOLDEN(names, folder, "pages '" + folder.file("") + "'");
  for (const char* const name : {"plain.parquet", "newer.parquet"}) {
    const auto good = read_mutations<paged>(content_of(folder.file(name)), 60, random,
                                            &formats::arrow_library::open_parquet,
                                            {between(offsetof(paged, id), 5'000, 5'999)});
    EXPECT_LT(good, 60) << "mutations must be found";
  }
}

TEST(arrow_pages, of_ours_are_told_of) {
  PAPPUS_NEEDS_ARROW();
  struct numbered {
    std::int64_t id;
    double value;
  };
  const temporary_folder folder;
  std::vector<numbered> records;
  for (int i = 0; i < 16'384; ++i) records.push_back({i, i / 8.0});
  write_groups(folder.file("a.parquet"), records, records.size());
  const auto found =
      rows_with<numbered>(folder.file("a.parquet"), {between(0, 9'000, 9'001)},
                          [](const numbered& one) { return std::to_string(one.value) + ' '; });
  EXPECT_EQ(found.text, "1125.000000 1125.125000 ");
  EXPECT_LE(found.rows, 4'096);
  EXPECT_GT(found.bytes, 0);
}

}  // namespace
}  // namespace pappus::testing
