#include "formats/csv/csv_schema.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "formats/compressed_support.h"
#include "formats/support.h"

namespace pappus::testing {
namespace {

using detail::cell;
using formats::record_schema;

record_schema schema_of(std::string_view text, const formats::csv_options& options = {},
                        std::size_t bytes = SIZE_MAX) {
  test_memory memory;
  test_workers team(2);
  return formats::infer_schema([&] { return source_of(text); }, options, bytes, team, memory);
}

/// Of a column of these cells.
record_schema::column column_of(const std::vector<std::string>& cells) {
  std::string text = "x,y\n";
  for (const auto& one : cells) text += one + ",\n";
  return schema_of(text).columns.at(0);
}

TEST(csv_schema, is_the_first_type_that_reads_all_cells) {
  EXPECT_EQ(column_of({"1", "-2147483648", " 7 ", "+3"}).type, cell::i32);
  EXPECT_EQ(column_of({"0", "1"}).type, cell::i32);
  EXPECT_EQ(column_of({"1", "2147483648"}).type, cell::i64);
  EXPECT_EQ(column_of({"1", "18446744073709551615"}).type, cell::u64);
  EXPECT_EQ(column_of({"-1", "18446744073709551615"}).type, cell::f64);
  EXPECT_EQ(column_of({"1", "0.5"}).type, cell::f64);
  EXPECT_EQ(column_of({"nan", "1e300", "2"}).type, cell::f64);
  EXPECT_EQ(column_of({"true", "false", "0"}).type, cell::boolean);
  EXPECT_EQ(column_of({"2024-02-29", "1970-01-01"}).type, cell::date);
  EXPECT_EQ(column_of({"2024-02-29 12:00:00", "1970-01-01 00:00:00.5"}).type, cell::timestamp);
  EXPECT_EQ(column_of({"2024-02-30"}).type, cell::string);
  EXPECT_EQ(column_of({"1", "x"}).type, cell::string);
  EXPECT_EQ(column_of({"1", "true"}).type, cell::boolean);
  EXPECT_EQ(column_of({"2", "true"}).type, cell::string);
}

TEST(csv_schema, counts_empty_cells_and_knows_leading_zeros) {
  const auto some = column_of({"1", "", "  ", "3"});
  EXPECT_EQ(some.type, cell::i32);
  EXPECT_EQ(some.missing, 2);
  const auto none = column_of({"", ""});
  EXPECT_EQ(none.type, cell::string);
  EXPECT_EQ(none.missing, 2);
  const auto codes = column_of({"01234", "98765"});
  EXPECT_EQ(codes.type, cell::string);
  EXPECT_TRUE(codes.leading_zeros);
  EXPECT_EQ(column_of({"0", "0.5", "-0.25"}).type, cell::f64);
  EXPECT_FALSE(column_of({"0001-01-01"}).leading_zeros);
}

TEST(csv_schema, counts_different_texts_where_they_are_few) {
  EXPECT_EQ(column_of({"a", "b", "a", "", "b"}).different_texts, 2u);
  EXPECT_EQ(column_of({"1", "2", "1"}).different_texts, 0u);
  std::vector<std::string> cells;
  for (std::size_t i = 0; i < record_schema::few_texts; ++i)
    cells.insert(cells.end(), 2, "x" + std::to_string(i));
  EXPECT_EQ(column_of(cells).different_texts, record_schema::few_texts);
  cells.push_back("one more");
  EXPECT_EQ(column_of(cells).different_texts, 0u);
}

TEST(csv_schema, is_told_how_things_are_written) {
  const std::string text = "made by us\nx;y;z\n1,5;NA;29/02/2024\n1.000,25;7;NA\n";
  formats::csv_options options;
  options.delimiter = ';';
  options.missing = {"NA"};
  options.skip = 1;
  detail::text_layout layout;
  layout.decimal = ',';
  layout.thousands = '.';
  layout.date = "%d/%m/%Y";
  options.dialect = formats::csv_dialect(layout, ';');
  const auto schema = schema_of(text, options);
  ASSERT_EQ(schema.columns.size(), 3U);
  EXPECT_EQ(schema.columns[0].type, cell::f64);
  EXPECT_EQ(schema.columns[1].type, cell::i32);
  EXPECT_EQ(schema.columns[1].missing, 1);
  EXPECT_EQ(schema.columns[2].type, cell::date);
  EXPECT_EQ(schema.columns[2].missing, 1);
}

TEST(csv_schema, looks_at_as_many_rows_as_it_is_told_to) {
  std::string text = "a,b\n";
  for (int i = 0; i < 200'000; ++i) text += std::to_string(i) + ",x\n";
  text += "late,x\n";
  const auto all = schema_of(text);
  EXPECT_EQ(all.columns[0].type, cell::string);
  EXPECT_EQ(all.rows, 200'001);
  EXPECT_TRUE(all.all);
  const auto first = schema_of(text, {}, 100'000);
  EXPECT_EQ(first.columns[0].type, cell::i32);
  EXPECT_LT(first.rows, 200'000);
  EXPECT_GT(first.rows, 10'000);
  EXPECT_FALSE(first.all);
  EXPECT_EQ(schema_of(gzipped(text)).columns[0].type, cell::string);
}

TEST(csv_schema, leaves_out_columns_that_nobody_can_bind) {
  const auto schema = schema_of("a,b,,a\n1,2,3,4\n");
  ASSERT_EQ(schema.columns.size(), 4U);
  EXPECT_EQ(schema.columns[0].left_out, "has the name of another column");
  EXPECT_EQ(schema.columns[1].left_out, "");
  EXPECT_EQ(schema.columns[1].type, cell::i32);
  EXPECT_EQ(schema.columns[2].left_out, "has no name");
  const auto nameless = schema_of("1;x\n2;y\n", {.delimiter = ';', .header = false});
  EXPECT_EQ(nameless.columns[0].name, "column 1");
  EXPECT_EQ(nameless.columns[1].type, cell::string);
  EXPECT_EQ(nameless.rows, 2);
  EXPECT_EQ(schema_of("a,b\n").rows, 0);
  EXPECT_EQ(schema_of("a,b\n").columns[0].type, cell::string);
}

TEST(csv_schema, guesses_delimiters) {
  test_memory memory;
  const auto guessed = [&](std::string_view text, std::int64_t skip = 0) {
    return formats::guess_delimiter(*source_of(text), {.skip = skip}, memory);
  };
  EXPECT_EQ(guessed("a,b\n1;2;3,4\n"), ',');
  EXPECT_EQ(guessed("a;\"b,c,d\";e\n"), ';');
  EXPECT_EQ(guessed("a\tb\tc,d"), '\t');
  EXPECT_EQ(guessed("a|b\n"), '|');
  EXPECT_EQ(guessed("a\n"), ',');
  EXPECT_EQ(guessed(""), ',');
  EXPECT_EQ(guessed("made, by, us\na;b\n", 1), ';');
  EXPECT_EQ(guessed(zstd_of("a;b\n1;2\n")), ';');
}

}  // namespace
}  // namespace pappus::testing
