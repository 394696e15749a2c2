#include "formats/csv/csv_writer.h"

#include <gtest/gtest.h>

#include <bit>
#include <limits>
#include <random>

#include "formats/csv/csv_reader.h"
#include "formats/support.h"

namespace pappus::testing {
namespace {

using formats::csv_options;
using formats::csv_reader;
using formats::csv_writer;

struct row {
  std::string_view text;
  std::int8_t i8;
  std::int16_t i16;
  std::int32_t i32;
  std::int64_t i64;
  std::uint8_t u8;
  std::uint16_t u16;
  std::uint32_t u32;
  std::uint64_t u64;
  float f32;
  double f64;
  bool flag;
  date day;
  timestamp moment;
};

detail::record_layout row_layout() {
  return bound<row>({column("text", &row::text), column("i8", &row::i8), column("i16", &row::i16),
                     column("i32", &row::i32), column("i64", &row::i64), column("u8", &row::u8),
                     column("u16", &row::u16), column("u32", &row::u32), column("u64", &row::u64),
                     column("f32", &row::f32), column("f64", &row::f64), column("flag", &row::flag),
                     column("day", &row::day), column("moment", &row::moment)});
}

template <typename Record>
const std::byte* first_byte_of(const std::vector<Record>& records) {
  return reinterpret_cast<const std::byte*>(records.data());
}

template <typename Record>
void write_all(const std::string& path, const detail::record_layout& layout,
               const std::vector<Record>& records, detail::workers& team, std::size_t part = 7000) {
  test_memory memory;
  csv_writer writer(path, layout, memory);
  for (std::size_t at = 0; at < records.size(); at += part) {
    const std::size_t n = std::min(part, records.size() - at);
    writer.append(team, first_byte_of(records) + at * sizeof(Record), static_cast<std::int64_t>(n));
  }
  writer.close();
}

void expect_same(const row& a, const row& b) {
  ASSERT_EQ(a.text, b.text);
  ASSERT_EQ(a.i8, b.i8);
  ASSERT_EQ(a.i16, b.i16);
  ASSERT_EQ(a.i32, b.i32);
  ASSERT_EQ(a.i64, b.i64);
  ASSERT_EQ(a.u8, b.u8);
  ASSERT_EQ(a.u16, b.u16);
  ASSERT_EQ(a.u32, b.u32);
  ASSERT_EQ(a.u64, b.u64);
  ASSERT_TRUE(std::bit_cast<std::uint32_t>(a.f32) == std::bit_cast<std::uint32_t>(b.f32) ||
              (a.f32 != a.f32 && b.f32 != b.f32));
  ASSERT_TRUE(std::bit_cast<std::uint64_t>(a.f64) == std::bit_cast<std::uint64_t>(b.f64) ||
              (a.f64 != a.f64 && b.f64 != b.f64));
  ASSERT_EQ(a.flag, b.flag);
  ASSERT_EQ(a.day, b.day);
  ASSERT_EQ(a.moment, b.moment);
}

TEST(csv_writer, writes_what_reads_back_as_the_same_records) {
  constexpr unsigned seed = 7;
  RecordProperty("seed", seed);
  std::mt19937_64 random(seed);
  const std::vector<std::string_view> texts{
      "",         "plain",    "with,comma", "with \"quotes\"",   "two\nlines",
      "cr\rhere", " spaced ", "\"",         "\xC3\xA9t\xC3\xA9", "crlf\r\n"};
  const auto below = [&](std::int64_t bound) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(bound));
  };
  std::vector<row> records(20'000);
  for (row& r : records) {
    const std::uint64_t bits = random();
    r = {texts[random() % texts.size()],
         static_cast<std::int8_t>(bits),
         static_cast<std::int16_t>(bits),
         static_cast<std::int32_t>(bits),
         static_cast<std::int64_t>(random()),
         static_cast<std::uint8_t>(bits),
         static_cast<std::uint16_t>(bits),
         static_cast<std::uint32_t>(bits),
         random(),
         std::bit_cast<float>(static_cast<std::uint32_t>(random())),
         std::bit_cast<double>(random()),
         random() % 2 == 0,
         {static_cast<std::int32_t>(below(3'652'059) - 719'528)},
         {below(9'999LL * 31'556'952 * 1'000'000) - 62'167'219'200'000'000}};
  }
  const temporary_folder folder;
  test_workers team(3);
  write_all(folder.file("rows.csv"), row_layout(), records, team);
  test_memory memory;
  csv_reader reader(formats::open_file(folder.file("rows.csv")), row_layout(), memory);
  const auto read = read_all<row>(reader, team, 777);
  ASSERT_EQ(read.size(), records.size());
  for (std::size_t i = 0; i < read.size(); ++i) {
    SCOPED_TRACE(i);
    expect_same(read[i], records[i]);
  }
}

struct named_value {
  std::string_view name;
  double value;
};

TEST(csv_writer, quotes_only_where_needed_and_writes_the_shortest_floats) {
  const temporary_folder folder;
  test_workers team(1);
  const std::vector<named_value> records{
      {"a", 0.1}, {"b,c", 1e300}, {"d\"e", -0.0}, {"", std::numeric_limits<double>::quiet_NaN()}};
  write_all(folder.file("x.csv"),
            bound<named_value>({column("the \"name\"", &named_value::name),
                                column(" value", &named_value::value)}),
            records, team);
  EXPECT_EQ(content_of(folder.file("x.csv")),
            "\"the \"\"name\"\"\",\" value\"\na,0.1\n\"b,c\",1e+300\n\"d\"\"e\",-0\n,nan\n");
}

TEST(csv_writer, writes_the_same_bytes_with_any_number_of_threads) {
  const temporary_folder folder;
  std::vector<named_value> records(50'000);
  for (std::size_t i = 0; i < records.size(); ++i) {
    records[i] = {i % 3 == 0 ? "long text with, comma" : "x", static_cast<double>(i) / 7};
  }
  const auto layout = bound<named_value>(
      {column("name", &named_value::name), column("value", &named_value::value)});
  std::string expected;
  for (const unsigned threads : {1U, 2U, 5U}) {
    test_workers team(threads);
    write_all(folder.file("x.csv"), layout, records, team, threads == 1 ? 50'000 : 9999);
    if (expected.empty()) expected = content_of(folder.file("x.csv"));
    EXPECT_EQ(content_of(folder.file("x.csv")), expected) << threads << " threads";
  }
}

TEST(csv_writer, keeps_empty_text_in_a_single_column_apart_from_a_blank_line) {
  struct name {
    std::string_view text;
  };
  const temporary_folder folder;
  test_workers team(1);
  write_all(folder.file("x.csv"), bound<name>({column("text", &name::text)}),
            std::vector<name>{{"a"}, {""}}, team);
  EXPECT_EQ(content_of(folder.file("x.csv")), "text\na\n\"\"\n");
}

TEST(csv_writer, refuses_two_columns_of_one_name) {
  test_memory memory;
  EXPECT_EQ(message_of<usage_error>([&] {
              csv_writer("out.csv", bound<row>({column("a", &row::i8), column("a", &row::i16)}),
                         memory);
            }),
            "out.csv: column \"a\": expected a name that no other has, got it for several fields; "
            "give each its own: pappus::column(\"name\", &record::field)");
}

TEST(csv_writer, refuses_dates_that_have_no_four_digit_year) {
  struct day {
    date value;
  };
  const temporary_folder folder;
  test_workers team(1);
  const auto layout = bound<day>({column("value", &day::value)});
  EXPECT_EQ(message_of<format_error>([&] {
              write_all(folder.file("x.csv"), layout, std::vector<day>{{{2'932'897}}}, team);
            }),
            "csv: expected a date in the years 0 to 9999, got day 2932897 after 1970-01-01");
  EXPECT_TRUE(folder.names().empty());
}

}  // namespace
}  // namespace pappus::testing
