// Files of Arrow's own format that others wrote, and Pappus's as others see them, by golden.py.
#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "formats/arrow/arrow_schema.h"
#include "formats/arrow/arrow_support.h"
#include "formats/arrow/golden_rows.h"
#include "formats/arrow/mutated_columns.h"
#include "pappus/category.h"

namespace pappus::testing::ipc {
namespace {

TEST(ipc_golden, reads_the_files_of_others) {
  PAPPUS_NEEDS_ARROW();
  const temporary_folder folder;
  PAPPUS_GOLDEN(names, folder, "write_ipc '" + folder.file("") + "'");
  const golden_table table;
  std::istringstream each(*names);
  std::string name;
  int files = 0;
  for (; each >> name; ++files)
    for (const unsigned threads : {1, 3})
      for (const std::int64_t capacity : {7, 999, 10'000}) {
        SCOPED_TRACE(name);
        test_memory memory;
        {
          std::vector<std::shared_ptr<void>> kept;
          EXPECT_TRUE(read_ipc<golden_row>(folder.file(name), threads, memory, kept, capacity) ==
                      table.rows);
        }
        EXPECT_EQ(memory.used_bytes(), 0U);
      }
  EXPECT_GE(files, 25);
}

TEST(ipc_golden, reads_categories_of_dictionaries_that_change) {
  PAPPUS_NEEDS_ARROW();
  struct row {
    std::optional<category> name;
  };
  const temporary_folder folder;
  PAPPUS_GOLDEN(printed, folder, "write_ipc '" + folder.file("") + "'");
  const golden_table table;
  for (const char* const name :
       {"deltas.arrow", "deltas.arrows", "replaced.arrows", "replaced_and_grown.arrows"})
    for (const unsigned threads : {1U, 3U}) {
      SCOPED_TRACE(name);
      test_memory memory;
      std::vector<std::shared_ptr<void>> kept;
      const auto rows = read_ipc<row>(folder.file(name), threads, memory, kept, 300);
      ASSERT_EQ(rows.size(), table.rows.size());
      for (std::size_t i = 0; i < rows.size(); ++i) {
        ASSERT_EQ(rows[i].name.has_value(), table.rows[i].name.has_value()) << i;
        ASSERT_EQ(rows[i].name.value_or(category()).text(), table.rows[i].name.value_or("")) << i;
      }
    }
}

// So that a batch of any length is read some rows at a time.
TEST(ipc_golden, reads_long_batches_in_little_memory) {
  PAPPUS_NEEDS_ARROW();
  struct number {
    std::int64_t n;
    std::optional<std::string_view> text;
    bool operator==(const number&) const = default;
  };
  const temporary_folder folder;
  PAPPUS_GOLDEN(printed, folder, "write_long '" + folder.file("") + "'");
  std::vector<std::string> texts;
  for (int i = 0; i < 1'000; ++i) texts.push_back("text " + std::to_string(i * 7 % 1'000));
  const auto is_right = [&](const number& row, std::int64_t i) {
    return row.n == i * i && row.text.has_value() == (i % 10 != 0) &&
           (!row.text || *row.text == texts[static_cast<std::size_t>(i % 1'000)]);
  };
  for (const char* name : {"plain.arrow", "lz4.arrow", "zstd.arrow"}) {
    SCOPED_TRACE(name);
    test_memory memory(std::size_t{2} << 20);  // of 24 MiB
    const auto reader = formats::open_ipc(folder.file(name), detail::layout_of<number>(), memory);
    EXPECT_LT(reader->scratch_bytes(), std::size_t{1} << 20);
    test_workers team(2);
    std::vector<number> some(10'000);
    std::int64_t rows = 0, n = 0;
    while ((n = reader->read(team, reinterpret_cast<std::byte*>(some.data()), 10'000)) > 0) {
      for (std::int64_t i = 0; i < n; ++i, ++rows)
        ASSERT_TRUE(is_right(some[static_cast<std::size_t>(i)], rows)) << rows;
      reader->take_strings();
    }
    EXPECT_EQ(rows, 1'000'000);
  }
}

/// What is wrong with a file, behind its name.
std::string problem_with(const std::string& file) {
  struct row {
    std::optional<category> name;
  };
  test_memory memory;
  std::vector<std::shared_ptr<void>> kept;
  const auto problem = message_of<format_error>([&] { read_ipc<row>(file, 2, memory, kept); });
  return problem.substr(std::min(file.size() + 2, problem.size()));
}

TEST(ipc_golden, names_what_is_not_read) {
  PAPPUS_NEEDS_ARROW();
  const temporary_folder folder;
  PAPPUS_GOLDEN(printed, folder, "write_ipc '" + folder.file("") + "'");
  EXPECT_EQ(problem_with(folder.file("lacking.arrow")),
            "column \"name\", record batch 1: can't be read: its dictionary has a missing value "
            "among its texts, which isn't read; write it anew as text");
}

TEST(ipc_golden, reads_types_that_lose_nothing) {
  PAPPUS_NEEDS_ARROW();
  const temporary_folder folder;
  PAPPUS_GOLDEN(printed, folder, "write_ipc '" + folder.file("") + "'");
  const auto file = folder.file("types.arrow");
  const auto& open = formats::open_ipc;
  EXPECT_EQ(read_as<std::optional<double>>(file, "cents", open),
            "0.10000000000000001 -12345.67 none ");
  EXPECT_EQ(read_as<std::int64_t>(file, "whole", open), "7 -8 100000000000000000 ");
  EXPECT_EQ(read_as<std::int16_t>(file, "whole", open),
            "row 3, column \"whole\": expected a 16-bit integer, got 100000000000000000");
  EXPECT_EQ(read_as<std::optional<std::string_view>>(file, "code", open), "abc def none ");
  EXPECT_EQ(read_as<std::uint64_t>(file, "large", open),
            "0 18446744073709551615 9223372036854775808 ");
  EXPECT_EQ(read_as<double>(file, "single", open), "0.5 -1.5 inf ");
  const std::string leave = "; leave the column out, or cast it where the file is written";
  for (const auto& [name, type] :
       {std::pair{"time", "time64[us]"}, std::pair{"half", "halffloat"},
        std::pair{"pair", "struct<a: int32>"}, std::pair{"nothing", "null"}})
    EXPECT_EQ(read_as<std::int64_t>(file, name, open),
              std::string("column \"") + name +
                  "\": expected one that a 64-bit integer can have, got " + type + leave);
  EXPECT_EQ(read_as<std::int64_t>(file, "list", open),
            "column \"list\": expected one that a 64-bit integer can have, got list<item: int32>; "
            "make the field a pappus::list of which each item is a 32-bit integer");
  EXPECT_EQ(read_as<timestamp>(file, "nanos", open),
            "row 3, column \"nanos\": expected a pappus::timestamp, got one with nanoseconds (2001 "
            "ns), which would be lost; round the column where the file is written");
}

TEST(ipc_golden, has_a_schema_that_tells_which_values_are_missing) {
  PAPPUS_NEEDS_ARROW();
  const temporary_folder folder;
  PAPPUS_GOLDEN(printed, folder, "write_ipc '" + folder.file("") + "'");
  for (const char* name : {"lz4.arrow", "nested.arrow", "stream_zstd.arrows"}) {
    test_memory memory;
    test_workers team(2);
    const auto schema = formats::ipc_schema(folder.file(name), team, memory);
    EXPECT_EQ(schema.rows, 1000);
    for (const auto& column : schema.columns) {
      if (column.name == "name") {
        EXPECT_EQ(column.missing, 200) << name;
        EXPECT_TRUE(column.optional);
      } else if (column.name == "value") {
        EXPECT_EQ(column.missing, 167) << name;
      } else if (column.left_out.empty() && column.name != "views") {
        EXPECT_FALSE(column.optional) << name << " " << column.name;
      }
    }
  }
}

TEST(ipc_golden, reads_or_refuses_mutations_of_the_files_of_others) {
  PAPPUS_NEEDS_ARROW();
  constexpr unsigned seed = 29;
  RecordProperty("seed", seed);
  std::mt19937 random(seed);
  const temporary_folder folder;
  PAPPUS_GOLDEN(printed, folder, "write_ipc '" + folder.file("") + "'");
  int read = 0;
  for (const char* name : {"batches.arrow", "lz4.arrow", "zstd.arrow", "large.arrow", "views.arrow",
                           "views_zstd.arrow", "coded.arrow", "nested.arrow", "odd.arrow",
                           "old.arrow", "stream.arrows", "stream_zstd.arrows", "deltas.arrow"}) {
    SCOPED_TRACE(name);
    read += read_mutations<golden_row>(content_of(folder.file(name)), 150, random,
                                       &formats::arrow_library::open_ipc);
  }
  EXPECT_LT(read, 1900);
}

TEST(ipc_golden, is_read_by_others) {
  PAPPUS_NEEDS_ARROW();
  struct row {
    std::int8_t i8;
    std::uint64_t u64;
    float f32;
    std::optional<double> f64;
    bool flag;
    std::string_view text;
    std::optional<std::string_view> some_text;
    date day;
    std::optional<timestamp> at;
    category kind;
    std::optional<category> some_kind;
  };
  const temporary_folder folder;
  test_memory memory;
  write_ipc<row>(folder.file("ours.arrow"),
                 {{-1, UINT64_MAX, 0.5F, std::nullopt, true, "Å", std::nullopt, {0}, {}, "k", {}},
                  {2,
                   0,
                   -2,
                   0.1,
                   false,
                   "",
                   "b",
                   {19'000},
                   timestamp{1'600'000'000'000'001},
                   "k",
                   category("l")}},
                 2, memory);
  PAPPUS_GOLDEN(printed, folder, "show '" + folder.file("ours.arrow") + "'");
  EXPECT_EQ(*printed, R"(i8: int8 not null
u64: uint64 not null
f32: float not null
f64: double
flag: bool not null
text: string not null
some_text: string
day: date32[day] not null
at: timestamp[us]
kind: dictionary<values=string, indices=int32, ordered=0> not null
some_kind: dictionary<values=string, indices=int32, ordered=0>
-1|18446744073709551615|0.5|None|True|Å|None|1970-01-01|None|k|None
2|0|-2.0|0.1|False||b|2022-01-08|2020-09-13 12:26:40.000001|k|l
)");
}

}  // namespace
}  // namespace pappus::testing::ipc
