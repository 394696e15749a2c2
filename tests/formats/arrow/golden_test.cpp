// Parquet files that others wrote, and Pappus's as others see them, by golden.py.
#include <sstream>

#include "formats/arrow/arrow_support.h"
#include "formats/arrow/golden_rows.h"
#include "formats/arrow/mutated_columns.h"

namespace pappus::testing {
namespace {

TEST(parquet_golden, reads_the_files_of_others) {
  PAPPUS_NEEDS_ARROW();
  const temporary_folder folder;
  PAPPUS_GOLDEN(names, folder, "write '" + folder.file("") + "'");
  const golden_table table;
  std::istringstream each(*names);
  std::string name;
  int files = 0;
  for (; each >> name; ++files)
    for (const unsigned threads : {1, 3})
      for (const std::int64_t capacity : {999, 10'000}) {
        SCOPED_TRACE(name);
        test_memory memory;
        std::vector<std::shared_ptr<void>> kept;
        EXPECT_TRUE(read_parquet<golden_row>(folder.file(name + ".parquet"), threads, memory, kept,
                                             capacity) == table.rows);
      }
  EXPECT_GE(files, 13);
}

TEST(parquet_golden, reads_types_that_lose_nothing) {
  PAPPUS_NEEDS_ARROW();
  const temporary_folder folder;
  PAPPUS_GOLDEN(printed, folder, "write '" + folder.file("") + "'");
  const auto file = folder.file("types.parquet");
  EXPECT_EQ(read_as<std::optional<double>>(file, "cents"), "0.10000000000000001 -12345.67 none ");
  EXPECT_EQ(read_as<std::int64_t>(file, "whole"), "7 -8 100000000000000000 ");
  EXPECT_EQ(read_as<std::int16_t>(file, "whole"),
            "row 3, column \"whole\": expected a 16-bit integer, got 100000000000000000");
  EXPECT_EQ(read_as<std::optional<std::string_view>>(file, "code"), "abc def none ");
  EXPECT_EQ(read_as<std::uint64_t>(file, "large"), "0 18446744073709551615 9223372036854775808 ");
  EXPECT_EQ(read_as<std::int64_t>(file, "large"),
            "row 2, column \"large\": expected a 64-bit integer, got 18446744073709551615");
  EXPECT_EQ(read_as<double>(file, "single"), "0.5 -1.5 inf ");
  EXPECT_EQ(read_as<std::int32_t>(file, "tiny"), "1 -128 127 ");
}

TEST(parquet_golden, names_what_would_be_lost) {
  PAPPUS_NEEDS_ARROW();
  const temporary_folder folder;
  PAPPUS_GOLDEN(printed, folder, "write '" + folder.file("") + "'");
  const auto file = folder.file("types.parquet");
  const std::string leave = "; leave the column out, or cast it where the file is written";
  EXPECT_EQ(
      read_as<double>(file, "exact"),
      "column \"exact\": expected one that a double can have, got decimal128(38, 10); doubles "
      "have decimals of up to 15 digits: cast the column where the file is written");
  for (const auto& [name, type] :
       {std::pair{"time", "time64[us]"}, std::pair{"half", "halffloat"},
        std::pair{"list", "list<element: int32>"}, std::pair{"pair", "struct<a: int32>"},
        std::pair{"nothing", "null"}})
    EXPECT_EQ(read_as<std::int64_t>(file, name), std::string("column \"") + name +
                                                     "\": expected one that a 64-bit integer can "
                                                     "have, got " +
                                                     type + leave);
  EXPECT_EQ(read_as<std::int64_t>(file, "twice"),
            "expected one column \"twice\", got several of "
            "that name");
  EXPECT_EQ(read_as<timestamp>(file, "nanos"),
            "row 3, column \"nanos\": expected a pappus::timestamp, got one with nanoseconds (2001 "
            "ns), which would be lost; round the column where the file is written");
  EXPECT_EQ(read_as<timestamp>(file, "far"),
            "row 3, column \"far\": expected a pappus::timestamp, "
            "got one of 4611686018427387904 ms");
}

// Those of others mostly have no checksums, so that more of what is wrong is read.
TEST(parquet_golden, reads_or_refuses_mutations_of_the_files_of_others) {
  PAPPUS_NEEDS_ARROW();
  constexpr unsigned seed = 27;
  RecordProperty("seed", seed);
  std::mt19937 random(seed);
  const temporary_folder folder;
  PAPPUS_GOLDEN(printed, folder, "write '" + folder.file("") + "'");
  for (const char* name :
       {"arrow", "polars", "duckdb", "spark", "delta", "small_pages", "categories", "bytes"}) {
    SCOPED_TRACE(name);
    const auto bytes = content_of(folder.file(name + std::string(".parquet")));
    EXPECT_LT(read_mutations<golden_row>(bytes, 100, random), 100);
  }
}

TEST(parquet_golden, is_read_by_others) {
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
  };
  const temporary_folder folder;
  test_memory memory;
  write_parquet<row>(folder.file("ours.parquet"),
                     {{-1, UINT64_MAX, 0.5F, std::nullopt, true, "Å", std::nullopt, {0}, {}},
                      {2, 0, -2, 0.1, false, "", "b", {19'000}, timestamp{1'600'000'000'000'001}}},
                     2, memory);
  PAPPUS_GOLDEN(printed, folder, "show '" + folder.file("ours.parquet") + "'");
  EXPECT_EQ(*printed, R"(i8: int8 not null
u64: uint64 not null
f32: float not null
f64: double
flag: bool not null
text: string not null
some_text: string
day: date32[day] not null
at: timestamp[us]
-1|18446744073709551615|0.5|None|True|Å|None|1970-01-01|None
2|0|-2.0|0.1|False||b|2022-01-08|2020-09-13 12:26:40.000001
{'ZSTD'}
)");
}

}  // namespace
}  // namespace pappus::testing
