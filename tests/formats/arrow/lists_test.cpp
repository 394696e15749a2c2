// Lists in Parquet files and in Arrow's own: what golden.py writes, and ours as others see them.
#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <iostream>
#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>

#include "formats/arrow/arrow_schema.h"
#include "formats/arrow/golden_rows.h"
#include "formats/arrow/mutated_columns.h"
#include "pappus/list.h"

namespace pappus::testing::parquet_lists {
namespace {

using detail::cell;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct listed {
  list<std::string_view> tags;
  std::optional<list<double>> scores;
  list<std::int32_t> ids;
  bool operator==(const listed&) const = default;
};

/// Rows as golden.py has them, with what their lists are views of.
struct golden_lists {
  std::vector<std::string> tags;
  std::vector<std::vector<double>> scores;
  std::vector<std::vector<std::int32_t>> ids;
  std::vector<listed> rows;

  explicit golden_lists(int n) {
    for (int i = 0; i < n; ++i) {
      std::vector<std::string> texts;
      for (int k = 0; k < i % 4; ++k) texts.push_back("t" + std::to_string(i * k % 23));
      tags.push_back(list<std::string_view>::packed(
          std::vector<std::string_view>(texts.begin(), texts.end())));
      scores.emplace_back();
      for (int k = 0; k < i % 6; ++k) scores.back().push_back(i * k / 4.0);
      ids.push_back({i, i + 1});
    }
    for (int i = 0; i < n; ++i) {
      const auto at = static_cast<std::size_t>(i);
      listed row{list<std::string_view>::of_packed(tags[at]), {}, list<std::int32_t>::of(ids[at])};
      if (i % 5 != 3) row.scores = list<double>::of(scores[at]);
      rows.push_back(row);
    }
  }
};

TEST(parquet_lists, of_others_are_read_however_they_are_laid_out) {
  PAPPUS_NEEDS_ARROW();
  const temporary_folder folder;
  PAPPUS_GOLDEN(names, folder, "lists '" + folder.file("") + "'");
  const golden_lists expected(1000);
  std::istringstream each(*names);
  std::string name;
  int files = 0;
  for (; each >> name; ++files)
    for (const unsigned threads : {1U, 3U})
      for (const std::int64_t capacity : {7, 999, 10'000}) {
        SCOPED_TRACE(name);
        test_memory memory;
        {
          std::vector<std::shared_ptr<void>> kept;
          auto& open = !name.ends_with(".parquet") ? formats::open_ipc : formats::open_parquet;
          EXPECT_TRUE(read_columns<listed>(open, folder.file(name), threads, memory, kept,
                                           capacity) == expected.rows);
        }
        EXPECT_EQ(memory.used_bytes(), 0U);
      }
  EXPECT_EQ(files, 18);
}

TEST(ipc_lists, of_a_dictionarys_numbers_are_categories) {
  PAPPUS_NEEDS_ARROW();
  struct kinds {
    list<category> tags;
  };
  const temporary_folder folder;
  PAPPUS_GOLDEN(names, folder, "lists '" + folder.file("") + "'");
  const golden_lists expected(1000);
  for (const char* const name : {"coded.arrow", "coded.arrows", "replaced.arrows"})
    for (const unsigned threads : {1U, 3U}) {
      SCOPED_TRACE(name);
      test_memory memory;
      std::vector<std::shared_ptr<void>> kept;
      const auto rows = read_ipc<kinds>(folder.file(name), threads, memory, kept, 300);
      ASSERT_EQ(rows.size(), expected.rows.size());
      for (std::size_t i = 0; i < rows.size(); ++i)
        ASSERT_TRUE(std::ranges::equal(rows[i].tags, expected.rows[i].tags, {}, &category::text))
            << i;
    }
}

template <typename T>
struct one {
  T x;
};
template <typename T>
std::string problem_of(const temporary_folder& folder, const std::string& name) {
  const auto path = folder.file("odd_" + name + ".parquet");
  const auto text = parquet_problem<one<T>>(path);
  EXPECT_TRUE(text.starts_with(path)) << text;
  return text.substr(std::min(path.size(), text.size()));
}

TEST(parquet_lists, have_the_items_that_their_types_have) {
  PAPPUS_NEEDS_ARROW();
  const temporary_folder folder;
  PAPPUS_GOLDEN(names, folder, "lists '" + folder.file("") + "'");
  test_memory memory;
  std::vector<std::shared_ptr<void>> kept;
  const auto read = [&]<typename T>(const std::string& name, T) {
    return read_parquet<one<T>>(folder.file("odd_" + name + ".parquet"), 2, memory, kept);
  };
  const auto missing = read("missing", std::optional<list<double>>());
  ASSERT_EQ(missing.size(), 4u);
  ASSERT_TRUE(missing[0].x && missing[1].x && missing[3].x);
  EXPECT_EQ((*missing[0].x)[0], 1.5);
  EXPECT_TRUE(std::isnan((*missing[0].x)[1]));
  EXPECT_THAT(*missing[1].x, IsEmpty());
  EXPECT_FALSE(missing[2].x);
  EXPECT_TRUE(std::isnan((*missing[3].x)[0]));
  EXPECT_THAT(read("wide", list<std::int64_t>())[1].x, ElementsAre(2, std::int64_t{1} << 40));
  EXPECT_THAT(read("decimals", list<double>())[0].x, ElementsAre(1.25));
  EXPECT_THAT(read("days", list<date>())[0].x, ElementsAre(date::of(2024, 2, 29)));
  const auto flags = read("flags", list<bool>());
  EXPECT_THAT(flags[0].x, ElementsAre(true, false, true));
  EXPECT_THAT(flags[1].x, ElementsAre(false));
  EXPECT_EQ(problem_of<list<double>>(folder, "missing"),
            ": row 3, column \"x\": expected a value, got none (null); make the field a "
            "std::optional");
  EXPECT_EQ(problem_of<list<std::int32_t>>(folder, "numbers"),
            ": row 3, column \"x\": item 2 of the list: expected a value, got none (null)");
  EXPECT_EQ(problem_of<list<std::int32_t>>(folder, "wide"),
            ": row 2, column \"x\": item 2 of the list: expected a 32-bit integer, got "
            "1099511627776");
  EXPECT_EQ(problem_of<list<float>>(folder, "flags"),
            ": column \"x\": expected one that a pappus::list of which each item is a float can "
            "have, got list<element: bool>; make the field a pappus::list of which each item is a "
            "bool");
  EXPECT_EQ(
      problem_of<std::int32_t>(folder, "numbers"),
      ": column \"x\": expected one that a 32-bit integer can have, got list<element: int32>; "
      "make the field a pappus::list of which each item is a 32-bit integer");
  EXPECT_EQ(message_of<format_error>([&] {
              read_ipc<one<list<std::string_view>>>(folder.file("odd_coded.arrow"), 1, memory,
                                                    kept);
            }),
            folder.file("odd_coded.arrow") +
                ": row 3, column \"x\": item 2 of the list: expected a value, got none (null)");
  for (const char* const name : {"lists", "structs"})
    EXPECT_THAT(
        problem_of<list<std::int32_t>>(folder, name),
        ::testing::EndsWith("; leave the column out, or cast it where the file is written"));
}

TEST(parquet_lists, are_told_by_schemas) {
  PAPPUS_NEEDS_ARROW();
  const temporary_folder folder;
  PAPPUS_GOLDEN(names, folder, "lists '" + folder.file("") + "'");
  test_memory memory;
  test_workers team(2);
  const auto schema = formats::parquet_schema(folder.file("dictionary.parquet"), team, memory);
  ASSERT_EQ(schema.columns.size(), 3u);
  const std::array<cell, 3> items{cell::string, cell::f64, cell::i64};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(schema.columns[i].type, cell::list);
    EXPECT_EQ(schema.columns[i].item, items[i]);
    EXPECT_TRUE(schema.columns[i].optional);
    EXPECT_EQ(schema.columns[i].left_out, "");
  }
  const auto required = formats::parquet_schema(folder.file("required.parquet"), team, memory);
  EXPECT_FALSE(required.columns[0].optional);
  EXPECT_TRUE(required.columns[1].optional);
  EXPECT_EQ(
      formats::parquet_schema(folder.file("odd_lists.parquet"), team, memory).columns[0].left_out,
      "is of type list<element: list<element: int32>>, which no field can have");
}

struct every_item {
  list<std::int8_t> small;
  list<std::uint64_t> large;
  std::optional<list<float>> numbers;
  list<bool> flags;
  list<timestamp> times;
  std::optional<list<std::string_view>> texts;
  list<category> kinds;
  bool operator==(const every_item&) const = default;
};

/// Random rows, with what their lists are views of.
class every_list {
 public:
  explicit every_list(int n, std::uint64_t seed) : random_(seed) {
    for (int i = 0; i < n; ++i) {
      every_item row{
          some<std::int8_t>(), some<std::uint64_t>(), {}, flags(), some<timestamp>(), {}, kinds()};
      if (drawn(3) != 0) row.numbers = some<float>();
      if (drawn(3) != 0) row.texts = texts();
      rows.push_back(row);
    }
  }
  std::vector<every_item> rows;

 private:
  std::size_t drawn(std::size_t end) { return random_() % end; }
  std::size_t length() { return drawn(50) == 0 ? drawn(300) : drawn(5); }
  const std::string& keep(std::string bytes) { return kept_.emplace_back(std::move(bytes)); }

  template <typename T>
  list<T> some() {
    std::string bytes(length() * sizeof(T), '\0');
    for (std::size_t i = 0; i < bytes.size() / sizeof(T); ++i) {
      T item{};
      if constexpr (std::is_floating_point_v<T>)
        item = static_cast<T>(drawn(1000)) / 8;
      else if constexpr (std::is_integral_v<T>)
        item = static_cast<T>(random_());
      else
        item = T{static_cast<std::int64_t>(drawn(1u << 30))};
      std::memcpy(bytes.data() + i * sizeof(T), &item, sizeof(T));
    }
    const auto& own = keep(std::move(bytes));
    return list<T>::of(std::span(reinterpret_cast<const T*>(own.data()), own.size() / sizeof(T)));
  }
  list<bool> flags() {
    std::string bytes(length(), '\0');
    for (char& flag : bytes) flag = static_cast<char>(drawn(2));
    const auto& own = keep(std::move(bytes));
    return list<bool>::of(std::span(reinterpret_cast<const bool*>(own.data()), own.size()));
  }
  list<category> kinds() {
    std::string bytes(length() * sizeof(category), '\0');
    for (std::size_t i = 0; i < bytes.size() / sizeof(category); ++i) {
      const category item("kind " + std::to_string(drawn(20)));
      std::memcpy(bytes.data() + i * sizeof(item), &item, sizeof(item));
    }
    const auto& own = keep(std::move(bytes));
    return list<category>::of(
        std::span(reinterpret_cast<const category*>(own.data()), own.size() / sizeof(category)));
  }
  list<std::string_view> texts() {
    std::vector<std::string> own;
    for (auto n = length(); n > 0; --n)
      own.push_back(drawn(9) == 0 ? "" : "é " + std::to_string(drawn(99)));
    return list<std::string_view>::of_packed(keep(
        list<std::string_view>::packed(std::vector<std::string_view>(own.begin(), own.end()))));
  }

  std::mt19937_64 random_;
  std::deque<std::string> kept_;
};

/// Rows that several threads write, or some in little memory, are those that are read.
template <typename Writer>
void expect_read_as_written(const std::string& path, decltype(formats::open_parquet)& open) {
  const auto layout = detail::layout_of<every_item>();
  const auto expect = [&](const std::vector<every_item>& rows, unsigned threads,
                          std::int64_t capacity) {
    test_memory memory;
    std::vector<std::shared_ptr<void>> kept;
    EXPECT_TRUE(read_columns<every_item>(open, path, threads, memory, kept, capacity) == rows);
  };
  for (const int n : {0, 1, 2'999}) {
    SCOPED_TRACE(n);
    const every_list all(n, 5);
    std::string before;
    for (const unsigned threads : {1U, 3U}) {
      test_memory memory;
      write_columns<Writer>(path, all.rows, threads, memory, threads == 1 ? 700U : 50'000U, layout);
      for (const std::int64_t capacity : {500, 100'000}) expect(all.rows, threads, capacity);
      if (threads == 1) before = content_of(path);
    }
    EXPECT_TRUE(content_of(path) == before) << "however they were cut, and by whom they were made";
    test_memory little(std::size_t{3} << 20);
    write_columns<Writer>(path, all.rows, 2U, little, 50'000U, layout);
    expect(all.rows, 2, 100'000);
  }
}

TEST(parquet_lists, are_read_as_they_were_written) {
  PAPPUS_NEEDS_ARROW();
  const temporary_folder folder;
  expect_read_as_written<formats::parquet_writer>(folder.file("a.parquet"), formats::open_parquet);
}

TEST(ipc_lists, are_read_as_they_were_written) {
  PAPPUS_NEEDS_ARROW();
  const temporary_folder folder;
  expect_read_as_written<formats::ipc_writer>(folder.file("a.arrow"), formats::open_ipc);
}

TEST(ipc_lists, of_ours_are_lists_to_others) {
  PAPPUS_NEEDS_ARROW();
  const temporary_folder folder;
  test_memory memory;
  const golden_lists all(4);
  write_ipc(folder.file("a.arrow"), all.rows, 2, memory);
  PAPPUS_GOLDEN(printed, folder, "show '" + folder.file("a.arrow") + "'");
  EXPECT_THAT(*printed, ::testing::HasSubstr("tags: list<element: string not null> not null\n"));
  EXPECT_THAT(*printed, ::testing::HasSubstr("['t0', 't3', 't6']|None|[3, 4]\n"));
}

TEST(parquet_lists, of_ours_are_lists_to_others) {
  PAPPUS_NEEDS_ARROW();
  const temporary_folder folder;
  test_memory memory;
  const golden_lists all(6);
  write_parquet(folder.file("a.parquet"), all.rows, 2, memory);
  PAPPUS_GOLDEN(printed, folder, "show '" + folder.file("a.parquet") + "'");
  EXPECT_EQ(*printed,
            "tags: list<element: string not null> not null\n"
            "scores: list<element: double not null>\n"
            "ids: list<element: int32 not null> not null\n"
            "[]|[]|[0, 1]\n"
            "['t0']|[0.0]|[1, 2]\n"
            "['t0', 't2']|[0.0, 0.5]|[2, 3]\n"
            "['t0', 't3', 't6']|None|[3, 4]\n"
            "[]|[0.0, 1.0, 2.0, 3.0]|[4, 5]\n"
            "['t0']|[0.0, 1.25, 2.5, 3.75, 5.0]|[5, 6]\n"
            "{'ZSTD'}\n");
}

TEST(parquet_lists, are_refused_where_they_can_not_be_written) {
  PAPPUS_NEEDS_ARROW();
  const temporary_folder folder;
  const auto bytes = list<std::string_view>::packed(std::array<std::string_view, 2>{"a", "\xFF"});
  std::vector<one<list<std::string_view>>> rows(3);
  rows[1].x = list<std::string_view>::of_packed(bytes);
  test_memory memory;
  const auto path = folder.file("a.parquet");
  EXPECT_EQ(message_of<format_error>([&] { write_parquet(path, rows, 2, memory); }),
            path +
                ": row 2, column \"x\": expected texts in UTF-8, as others read them, got other "
                "bytes");
  const auto arrow = folder.file("a.arrow");
  EXPECT_EQ(message_of<format_error>([&] { write_ipc(arrow, rows, 2, memory); }),
            arrow +
                ": row 2, column \"x\": expected texts in UTF-8, as others read them, got other "
                "bytes");
  EXPECT_TRUE(folder.names().empty());
}

TEST(parquet_lists, count_what_says_where_items_belong_against_the_memory) {
  PAPPUS_NEEDS_ARROW();
  const temporary_folder folder;
  const auto path = folder.file("a.parquet");
  const std::string flags(std::size_t{2} << 20, '\1');
  const auto cut_into = [&](std::size_t lists) {
    const std::span all(reinterpret_cast<const bool*>(flags.data()), flags.size());
    return std::vector<one<list<bool>>>(lists, {list<bool>::of(all.first(all.size() / lists))});
  };
  const auto peak = [&](std::size_t lists) {
    const auto rows = cut_into(lists);
    test_memory memory;
    write_parquet(path, rows, 1, memory);
    const auto most = memory.peak_bytes();
    std::vector<std::shared_ptr<void>> kept;
    EXPECT_TRUE(read_parquet<one<list<bool>>>(path, 2, memory, kept).back().x == rows.back().x);
    return most;
  };
  EXPECT_GT(peak(1), peak(128) + (std::size_t{6} << 20)) << "of one list all are there at once";
  test_memory little(std::size_t{8} << 20);
  EXPECT_THAT(message_of<memory_error>([&] { write_parquet(path, cut_into(1), 1, little); }),
              ::testing::StartsWith("columns to be written: needs "));
}

// The limit is that of a process: another one runs the statement.
TEST(parquet_lists, of_categories_name_the_column_where_the_dictionary_is_full) {
  PAPPUS_NEEDS_ARROW();
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  ::setenv("PAPPUS_CATEGORY_MEMORY", "64KiB", 1);
  EXPECT_EXIT(
      {
        const temporary_folder folder;
        std::vector<std::string> bytes;
        for (int i = 0; i < 5000; ++i) {
          const auto text = "list " + std::to_string(i);
          bytes.push_back(list<std::string_view>::packed(std::array<std::string_view, 1>{text}));
        }
        std::vector<one<list<std::string_view>>> rows;
        for (const auto& own : bytes) rows.push_back({list<std::string_view>::of_packed(own)});
        test_memory memory;
        write_parquet(folder.file("a.parquet"), rows, 1, memory);
        std::vector<std::shared_ptr<void>> kept;
        std::cerr << message_of<memory_error>(
            [&] { read_parquet<one<list<category>>>(folder.file("a.parquet"), 1, memory, kept); });
        std::exit(0);
      },
      ::testing::ExitedWithCode(0),
      "a.parquet: column \"x\": categories: the dictionary of this process may take 64 KiB");
  ::unsetenv("PAPPUS_CATEGORY_MEMORY");
}

TEST(parquet_lists, of_damaged_files_are_read_or_refused) {
  PAPPUS_NEEDS_ARROW();
  constexpr unsigned seed = 27;
  RecordProperty("seed", seed);
  std::mt19937 random(seed);
  const temporary_folder folder;
  test_memory memory;
  const golden_lists all(300);
  write_parquet(folder.file("a.parquet"), all.rows, 1, memory);
  const auto good = read_mutations<listed>(content_of(folder.file("a.parquet")), 400, random);
  EXPECT_LT(good, 250) << "mutations must be found";
  write_ipc(folder.file("a.arrow"), all.rows, 1, memory);
  read_mutations<listed>(content_of(folder.file("a.arrow")), 400, random,
                         &formats::arrow_library::open_ipc);
}

}  // namespace
}  // namespace pappus::testing::parquet_lists
