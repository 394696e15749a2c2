// Files as pandas, Polars, DuckDB, pyarrow and Spark write them (golden/make.py), and Pappus's as
// the first four read them.
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "formats/support.h"
#include "pappus/pappus.h"

#ifndef PAPPUS_TEST_ARROW
#define PAPPUS_TEST_ARROW 0
#endif
#ifndef PAPPUS_PEERS_PYTHON
#define PAPPUS_PEERS_PYTHON "python3"
#endif
#ifndef PAPPUS_SOURCE_DIR
#define PAPPUS_SOURCE_DIR "."
#endif

namespace pappus::testing {
namespace {

std::string golden_file(const std::string& name) {
  return PAPPUS_SOURCE_DIR "/tests/formats/golden/" + name;
}
session quiet_session() { return session(options{.threads = 2, .devices = "cpu"}); }

/// A row of most files.
/// \tparam Count  what `count` has: pandas makes a float of an integer that may be missing
/// \tparam Day    and in JSON a time of a date
template <typename Count = std::int32_t, typename Day = date>
struct golden_line {
  std::int64_t id;
  std::optional<std::string_view> name;
  std::optional<Count> count;
  std::optional<double> value;
  bool flag;
  Day day;
  timestamp at;

  bool operator==(const golden_line&) const = default;
};
using golden_floats = golden_line<double>;

timestamp moment(int year, unsigned month, unsigned day, std::int64_t seconds = 0,
                 std::int64_t micros = 0) {
  return {timestamp::of(date::of(year, month, day)).micros + seconds * 1'000'000 + micros};
}

template <typename Line = golden_line<>>
std::vector<Line> expected_lines() {
  using std::nullopt;
  const auto day = [](int year, unsigned month, unsigned of_month) {
    if constexpr (std::is_same_v<decltype(Line::day), timestamp>)
      return moment(year, month, of_month);
    else
      return date::of(year, month, of_month);
  };
  return {{1, "plain", 10, 0.1, true, day(2024, 2, 29), moment(2024, 2, 29, 49'500)},
          {2, "with, comma", nullopt, -2.5e-07, false, day(1969, 12, 31),
           moment(1969, 12, 31, 86'399, 500'000)},
          {3, "with \"quotes\"", -7, 1e300, true, day(1900, 1, 1), moment(1900, 1, 1)},
          {4, "two\nlines", 2'147'483'647, nullopt, false, day(2100, 12, 31),
           moment(2100, 12, 31, 43'200, 1)},
          {5, "Zürich 日本", nullopt, 3, true, day(1970, 1, 1), moment(1970, 1, 1)},
          {6, "", 0, 0.0, false, day(2000, 2, 29), moment(2000, 2, 29, 0, 999'999)},
          {9'007'199'254'740'993, nullopt, 1, -0.5, true, day(2024, 12, 31),
           moment(2024, 12, 31, 86'399)}};
}
/// Of programs that write an empty text and none alike.
template <typename Line>
std::vector<Line> without_empty_text() {
  auto lines = expected_lines<Line>();
  lines[5].name.reset();
  return lines;
}
/// Of programs that write times in milliseconds.
std::vector<golden_line<>> in_milliseconds() {
  auto lines = expected_lines();
  for (auto& line : lines) line.at.micros -= line.at.micros % 1'000;
  return lines;
}

template <typename Line>
void expect_lines(const std::vector<Line>& expected, const collection<Line>& found,
                  const std::string& name) {
  const auto rows = found.collect();
  ASSERT_EQ(static_cast<std::size_t>(rows.size()), expected.size()) << name;
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_TRUE(rows[i] == expected[i]) << name << ", row " << i;
}
template <typename Line = golden_line<>>
void expect_csv(const std::vector<Line>& expected, const std::string& name,
                const csv_options& as = {}) {
  auto s = quiet_session();
  expect_lines(expected, s.csv<Line>(golden_file(name), as), name);
}
template <typename Line = golden_line<>>
void expect_json(const std::vector<Line>& expected, const std::string& name) {
  auto s = quiet_session();
  expect_lines(expected, s.json<Line>(golden_file(name)), name);
}
template <typename Line = golden_line<>>
void expect_parquet(const std::vector<Line>& expected, const std::string& name) {
  auto s = quiet_session();
  expect_lines(expected, s.parquet<Line>(golden_file(name)), name);
}
template <typename Line = golden_line<>>
void expect_arrow(const std::vector<Line>& expected, const std::string& name) {
  auto s = quiet_session();
  expect_lines(expected, s.arrow<Line>(golden_file(name)), name);
}
template <typename Read>
std::string refused(Read read) {
  const auto said = message_of<format_error>([&] {
    auto s = quiet_session();
    read(s).collect();
  });
  const auto folder = golden_file("");
  return said.starts_with(folder) ? said.substr(folder.size()) : said;
}

#define PAPPUS_GOLDEN_PARQUET() \
  if (!PAPPUS_TEST_ARROW) GTEST_SKIP() << "Pappus was built without Arrow"

TEST(golden_csv, of_pandas_is_read) {
  expect_csv(without_empty_text<golden_floats>(), "pandas/plain.csv");
  expect_csv(without_empty_text<golden_floats>(), "pandas/index.csv");
  expect_csv(without_empty_text<golden_line<>>(), "pandas/typed.csv");
  expect_csv(without_empty_text<golden_floats>(), "pandas/semicolons.csv.gz",
             {.delimiter = ';', .decimal = ','});
  // All but numbers are in quotes, what is missing, too; so that it is text in a column of text.
  auto quoted = expected_lines<golden_floats>();
  quoted[6].name = "NA";
  expect_csv(quoted, "pandas/na.csv", {.missing = {"NA"}});
  EXPECT_EQ(
      refused([](session& s) { return s.csv<golden_line<>>(golden_file("pandas/plain.csv")); }),
      "pandas/plain.csv: row 1 (line 2), column \"count\": expected a 32-bit integer, got "
      "\"10.0\"");
}

TEST(golden_csv, of_polars_is_read) {
  expect_csv(expected_lines(), "polars/plain.csv");
  expect_csv(expected_lines(), "polars/formats.csv", {.date = "%d.%m.%Y"});
  auto quoted = expected_lines();
  quoted[6].name = "null";
  expect_csv(quoted, "polars/quoted.tsv", {.missing = {"null"}});
}

TEST(golden_csv, of_duckdb_is_read) {
  expect_csv(expected_lines(), "duckdb/plain.csv");
  expect_csv(expected_lines(), "duckdb/bars.csv.gz", {.delimiter = '|', .header = false});
}

TEST(golden_csv, of_arrow_is_read) { expect_csv(expected_lines(), "arrow/plain.csv"); }

TEST(golden_csv, of_spark_is_read_where_quotes_are_doubled) {
  expect_csv(in_milliseconds(), "spark/csv_as_others/part-*");
  const auto said =
      refused([](session& s) { return s.csv<golden_line<>>(golden_file("spark/csv/part-*")); });
  EXPECT_TRUE(said.ends_with(
      ".csv: row 3 (line 4), column \"name\": expected the end of the cell after its closing "
      "quote, got more text after \"with \\\"; a backslash before a quote doesn't escape it: have "
      "what writes the file double quotes (Spark: escape='\"')"))
      << said;
  EXPECT_EQ(refused([](session& s) { return s.csv<golden_line<>>(golden_file("spark/csv")); }),
            "spark/csv: is a folder, expected a file; a pattern stands for the files in it, as \"" +
                golden_file("spark/csv/*") + "\" does");
}

TEST(golden_json, is_read) {
  expect_json(expected_lines(), "polars/lines.ndjson");
  expect_json(expected_lines(), "duckdb/lines.json");
  expect_json(in_milliseconds(), "spark/json/part-*");
  using with_times = golden_line<double, timestamp>;
  expect_json(expected_lines<with_times>(), "pandas/lines.jsonl");
  EXPECT_EQ(
      refused([](session& s) { return s.json<with_times>(golden_file("pandas/epochs.jsonl")); }),
      "pandas/epochs.jsonl: line 1, key \"day\": expected a time like 2024-02-29 13:45:00.5, got "
      "1709164800000");
}

TEST(golden_parquet, of_the_table_is_read) {
  PAPPUS_GOLDEN_PARQUET();
  for (const char* name :
       {"pandas/typed.parquet", "polars/zstd.parquet", "polars/snappy.parquet",
        "polars/gzip.parquet", "polars/lz4.parquet", "polars/brotli.parquet",
        "polars/uncompressed.parquet", "duckdb/plain.parquet", "arrow/pages2.parquet",
        "spark/parts/part-*.parquet", "spark/legacy/part-*.parquet"})
    expect_parquet(expected_lines(), name);
  expect_parquet(in_milliseconds(), "spark/millis/part-*.parquet");
  expect_parquet(expected_lines<golden_floats>(), "pandas/indexed.parquet");
  expect_parquet({}, "arrow/empty.parquet");
  auto nothing = expected_lines();
  for (auto& line : nothing) line.name = std::nullopt, line.count = std::nullopt;
  expect_parquet(nothing, "arrow/nulls.parquet");
  // DuckDB writes differences of 33 bits between numbers of 32, which Arrow refuses.
  EXPECT_EQ(
      refused([](session& s) {
        return s.parquet<golden_line<>>(golden_file("duckdb/second.parquet"));
      }),
      "duckdb/second.parquet: column \"count\", row group 1: can't be read: delta bit width larger "
      "than integer bit width");
}

struct numbered {
  std::int64_t id;
  std::optional<std::string_view> name;
  std::optional<std::int32_t> count;
  double value;

  bool operator==(const numbered&) const = default;
};
const std::string names_of_7[] = {"name 0", "name 1", "name 2", "name 3",
                                  "name 4", "name 5", "name 6"};
numbered numbered_row(std::int64_t i) {
  numbered row{i, std::nullopt, std::nullopt, static_cast<double>(i) / 4};
  if (i % 5 != 0) row.name = names_of_7[i % 7];
  if (i % 3 != 0) row.count = static_cast<std::int32_t>(i % 11);
  return row;
}

TEST(golden_parquet, of_several_row_groups_and_encodings_is_read) {
  PAPPUS_GOLDEN_PARQUET();
  std::vector<numbered> all;
  for (std::int64_t i = 0; i < 600; ++i) all.push_back(numbered_row(i));
  for (const char* name : {"polars/categories.parquet", "duckdb/groups.parquet",
                           "arrow/fallback.parquet", "arrow/delta.parquet"})
    expect_parquet(all, name);
  std::vector<numbered> parts;
  for (const std::int64_t i : {0, 3, 6, 1, 4, 7, 2, 5, 8}) parts.push_back(numbered_row(i));
  expect_parquet(parts, "duckdb/parts/*/*.parquet");
}

TEST(golden_arrow, of_the_table_is_read) {
  PAPPUS_GOLDEN_PARQUET();
  for (const char* name : {"pandas/typed.feather", "polars/plain.arrow", "polars/lz4.arrow",
                           "polars/zstd.arrows", "arrow/plain.feather", "arrow/parts.arrows"})
    expect_arrow(expected_lines(), name);
  expect_arrow(expected_lines<golden_floats>(), "pandas/plain.feather");
  expect_arrow({}, "arrow/empty.arrow");
  auto nothing = expected_lines();
  for (auto& line : nothing) line.name = std::nullopt, line.count = std::nullopt;
  expect_arrow(nothing, "arrow/nulls.arrow");
}

TEST(golden_arrow, of_several_batches_and_a_dictionary_is_read) {
  PAPPUS_GOLDEN_PARQUET();
  std::vector<numbered> all;
  for (std::int64_t i = 0; i < 600; ++i) all.push_back(numbered_row(i));
  for (const char* name : {"polars/categories.arrow", "arrow/categories.feather"})
    expect_arrow(all, name);
}

TEST(golden_parquet, has_decimals_and_times_of_spark) {
  PAPPUS_GOLDEN_PARQUET();
  struct amount {
    std::int64_t id;
    std::optional<double> amount;
    std::optional<std::int64_t> whole;
  };
  auto s = quiet_session();
  for (const char* name : {"spark/legacy/part-*", "spark/millis/part-*"}) {
    const auto rows = s.parquet<amount>(golden_file(name)).collect();
    ASSERT_EQ(rows.size(), 7) << name;
    EXPECT_EQ(rows[0].amount, 2.5);
    EXPECT_EQ(rows[1].amount, std::nullopt);
    EXPECT_EQ(rows[2].amount, -1.75);
    EXPECT_EQ(rows[3].amount, 161.75);
    EXPECT_EQ(rows[3].whole, 2'147'483'647);
    EXPECT_EQ(rows[4].whole, std::nullopt);
  }
}

/// What read_back.py prints of files in a folder; nullopt: that Python has none of the programs.
std::optional<std::string> read_back(const std::string& folder) {
  const auto output = folder + "/printed.txt";
  const auto status = std::system(("'" PAPPUS_PEERS_PYTHON "' -B '" PAPPUS_SOURCE_DIR
                                   "/tests/formats/golden/read_back.py' '" +
                                   folder + "' >'" + output + "' 2>&1")
                                      .c_str());
  if (WIFEXITED(status) && WEXITSTATUS(status) == 77) return std::nullopt;
  std::ifstream file(output);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

TEST(golden_files, of_ours_are_read_by_others) {
  const temporary_folder folder;
  const auto rows = expected_lines();
  auto s = quiet_session();
  const auto all = s.from(rows);
  for (const char* name : {"ours.csv", "ours.tsv", "ours.csv.gz", "ours.csv.zst", "ours.jsonl"})
    all.write(folder.file(name));
  for (const char* name : {"ours.parquet", "ours.arrow"})
    if (PAPPUS_TEST_ARROW) all.write(folder.file(name));
  const auto printed = read_back(folder.file(""));
  if (!printed) GTEST_SKIP() << PAPPUS_PEERS_PYTHON << " has no pandas, Polars, DuckDB, pyarrow";
  EXPECT_TRUE(printed->ends_with("all as they were written\n")) << *printed;
}

}  // namespace
}  // namespace pappus::testing
