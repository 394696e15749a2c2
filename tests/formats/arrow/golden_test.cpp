// Parquet files that others wrote, and Pappus's as others see them, by golden.py.
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <type_traits>

#include "base/conditions.h"
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
        std::pair{"pair", "struct<a: int32>"}, std::pair{"nothing", "null"}})
    EXPECT_EQ(read_as<std::int64_t>(file, name), std::string("column \"") + name +
                                                     "\": expected one that a 64-bit integer can "
                                                     "have, got " +
                                                     type + leave);
  EXPECT_EQ(read_as<std::int64_t>(file, "list"),
            "column \"list\": expected one that a 64-bit integer can have, got list<element: "
            "int32>; make the field a pappus::list of which each item is a 32-bit integer");
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

/// "5 5": of ten groups, how many are left out by x < limit and by x >= limit. No record of them is
/// wanted.
template <typename T, typename Value>
std::string left_out_of(const std::string& file, const char* column_name, Value limit) {
  struct row {
    T x;
  };
  auto layout = bound<row>({column(column_name, &row::x)});
  test_memory memory;
  test_workers team(2);
  std::vector<std::shared_ptr<void>> kept;
  const auto all = read_parquet<row>(file, 1, memory, kept, 100, layout);
  std::string text;
  for (const auto is : {base::relation::less, base::relation::at_least}) {
    constexpr auto bytes = sizeof(Value);
    if constexpr (std::is_floating_point_v<Value>)
      layout.rows = {*base::condition_of(0, bytes, is, limit)};
    else
      layout.rows = {
          *base::condition_of(base::compared_integer{.offset = 0,
                                                     .bytes = bytes,
                                                     .bits = 8 * bytes,
                                                     .signed_order = std::is_signed_v<Value>},
                              is, static_cast<std::uint64_t>(limit))};
    const auto reader = formats::open_parquet(file, layout, memory);
    const auto columns = reader->read_columns(team, 1000);
    for (std::int64_t at = 0; at < columns.rows;) {
      const auto alike = columns.of->next(at, columns.rows);
      for (; at < alike.end; ++at) {
        Value value;
        std::memcpy(&value, &all[static_cast<std::size_t>(at)].x, sizeof value);
        const bool wanted = is == base::relation::less ? value < limit : value >= limit;
        EXPECT_FALSE(alike.left_out && wanted) << column_name << ", row " << at;
      }
    }
    text += (text.empty() ? "" : " ") + std::to_string(reader->not_read().groups);
  }
  return text;
}

/// The same of groups of texts.
template <typename T>
std::int64_t left_out_of_texts(const std::string& file, const char* column_name,
                               std::string_view text, bool whole) {
  struct row {
    T x;
  };
  auto layout = bound<row>({column(column_name, &row::x)});
  layout.rows = {base::condition_of(0, sizeof(T), text, whole)};
  test_memory memory;
  test_workers team(2);
  const auto reader = formats::open_parquet(file, layout, memory);
  EXPECT_EQ(reader->read_columns(team, 1000).rows, 100);
  return reader->not_read().groups;
}

TEST(parquet_golden, leaves_out_groups_by_the_statistics_of_others) {
  PAPPUS_NEEDS_ARROW();
  const temporary_folder folder;
  PAPPUS_GOLDEN(printed, folder, "groups '" + folder.file("") + "'");
  const auto day = date::of(2020, 1, 1);
  const auto at = timestamp::of(day).micros + 50'000'000;
  for (const std::string name : {"newest", "oldest", "bytes", "untold"}) {
    SCOPED_TRACE(name);
    const auto file = folder.file("groups_" + name + ".parquet");
    const std::string half = name == "untold" ? "0 0" : "5 5";
    EXPECT_EQ((left_out_of<std::int8_t, std::int8_t>(file, "i8", 0)), half);
    EXPECT_EQ((left_out_of<std::uint8_t, std::uint8_t>(file, "u8", 128)), half);
    EXPECT_EQ((left_out_of<std::int32_t, std::int32_t>(file, "u8", 128)), half);
    EXPECT_EQ((left_out_of<std::int16_t, std::int16_t>(file, "i16", 0)), half);
    EXPECT_EQ((left_out_of<std::uint16_t, std::uint16_t>(file, "u16", 1 << 15)), half);
    EXPECT_EQ((left_out_of<std::int32_t, std::int32_t>(file, "i32", 0)), half);
    EXPECT_EQ((left_out_of<double, double>(file, "i32", 0)), half);
    EXPECT_EQ((left_out_of<std::uint32_t, std::uint32_t>(file, "u32", 1U << 31)), half);
    EXPECT_EQ((left_out_of<std::int64_t, std::int64_t>(file, "u32", 1LL << 31)), half);
    EXPECT_EQ((left_out_of<std::int64_t, std::int64_t>(file, "i64", 0)), half);
    EXPECT_EQ((left_out_of<std::uint64_t, std::uint64_t>(file, "u64", 1ULL << 63)), half);
    EXPECT_EQ((left_out_of<float, float>(file, "f32", 0)), half);
    EXPECT_EQ((left_out_of<double, double>(file, "f32", 0)), half);
    EXPECT_EQ((left_out_of<double, double>(file, "f64", 0)), half);
    EXPECT_EQ((left_out_of<bool, std::uint8_t>(file, "flag", 1)), half);
    EXPECT_EQ((left_out_of<date, std::int32_t>(file, "day", (day + 50).days)), half);
    for (const std::string texts : {"text", "large", "bytes"}) {
      const bool told = name != "untold" && texts != "bytes";
      EXPECT_EQ(left_out_of_texts<std::string_view>(file, texts.c_str(), "t45", true),
                told ? 9 : 0);
      EXPECT_EQ(left_out_of_texts<std::string_view>(file, texts.c_str(), "t45x", true),
                told ? 9 : 0);
      EXPECT_EQ(left_out_of_texts<std::string_view>(file, texts.c_str(), "t4", false),
                told ? 9 : 0);
      EXPECT_EQ(left_out_of_texts<std::string_view>(file, texts.c_str(), "t", false), 0);
      EXPECT_EQ(left_out_of_texts<std::string_view>(file, texts.c_str(), "u", false),
                told ? 10 : 0);
      EXPECT_EQ(left_out_of_texts<category>(file, texts.c_str(), "t07", true), told ? 9 : 0);
    }
    for (const char* unit : {"seconds", "millis", "micros", "nanos"})
      EXPECT_EQ((left_out_of<timestamp, std::int64_t>(file, unit, at)), half) << unit;
    EXPECT_EQ((left_out_of<std::int32_t, std::int32_t>(file, "whole", 0)),
              name == "bytes" ? "0 0" : half);
    EXPECT_EQ((left_out_of<std::optional<std::int32_t>, std::int32_t>(file, "some", 50)),
              name == "untold" ? "0 0" : "5 5")
        << "what is missing is 0";
  }
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
