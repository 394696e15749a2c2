#include "formats/csv/csv_reader.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "formats/support.h"

namespace pappus::testing {
namespace {

using formats::csv_options;
using formats::csv_reader;

struct flight {
  std::string_view carrier;
  std::int32_t delay;
  double distance;
};

detail::record_layout flight_layout() {
  return bound<flight>({column("carrier", &flight::carrier), column("delay", &flight::delay),
                        column("distance", &flight::distance)});
}

struct outcome {
  std::vector<std::string> rows;
  std::string error;
  bool operator==(const outcome&) const = default;
};

// What reading flights comes to, as text, or the error.
outcome read_flights(std::string_view text, unsigned threads = 2, const csv_options& options = {},
                     std::int64_t capacity = 1000) {
  test_memory memory;
  test_workers team(threads);
  outcome result;
  try {
    csv_reader reader(source_of(text), flight_layout(), memory, options);
    for (const flight& f : read_all<flight>(reader, team, capacity)) {
      result.rows.push_back(std::string(f.carrier) + "|" + std::to_string(f.delay) + "|" +
                            std::to_string(f.distance));
    }
  } catch (const format_error& thrown) {
    result.error = thrown.what();
  }
  return result;
}

std::vector<std::string> rows(std::string_view text, const csv_options& options = {}) {
  const outcome result = read_flights(text, 2, options);
  EXPECT_EQ(result.error, "");
  return result.rows;
}

std::string error(std::string_view text) { return read_flights(text).error; }

using lines = std::vector<std::string>;

TEST(csv_reader, binds_columns_by_name_in_any_order_and_skips_the_others) {
  EXPECT_EQ(rows("delay,origin,distance,carrier\n-3,\"a,b\",1.5,AA\n4,x,2,BB\n"),
            (lines{"AA|-3|1.500000", "BB|4|2.000000"}));
}

TEST(csv_reader, accepts_crlf_a_byte_order_mark_and_a_missing_last_newline) {
  EXPECT_EQ(rows("\xEF\xBB\xBF"
                 "carrier,delay,distance\r\nAA,1,2\r\nBB,2,3"),
            (lines{"AA|1|2.000000", "BB|2|3.000000"}));
  EXPECT_EQ(rows("carrier,delay,distance\r\nAA,1,2\r\n,2,3\r\n"),
            (lines{"AA|1|2.000000", "|2|3.000000"}));
}

TEST(csv_reader, reads_quoted_cells_with_delimiters_quotes_and_newlines) {
  EXPECT_EQ(rows("carrier,delay,distance\n\"a \"\"b\"\", c\nd\",\"7\",\" 8 \"\n\"\"\"\",1,2\n"),
            (lines{"a \"b\", c\nd|7|8.000000", "\"|1|2.000000"}));
}

TEST(csv_reader, trims_names_and_numbers_but_not_text) {
  EXPECT_EQ(rows(" carrier , delay,\"distance\"\n a , +5 ,\t6\n"), (lines{" a |5|6.000000"}));
}

TEST(csv_reader, takes_other_delimiters) {
  csv_options options;
  options.delimiter = ';';
  EXPECT_EQ(rows("carrier;delay;distance\na,b;1;2\n", options), (lines{"a,b|1|2.000000"}));
}

TEST(csv_reader, binds_columns_in_order_where_there_is_no_header) {
  const csv_options options{.header = false};
  EXPECT_EQ(rows("AA,1,2\nBB,3,4\n", options), (lines{"AA|1|2.000000", "BB|3|4.000000"}));
  EXPECT_EQ(rows("\xEF\xBB\xBF\"A,A\",1,2,more", options), (lines{"A,A|1|2.000000"}));
  EXPECT_EQ(rows("", options), lines{});
  EXPECT_EQ(read_flights("AA,1\n", 1, options).error,
            "flights.csv: line 1: expected 3 columns or more, as are bound to a file without a "
            "header, got 2");
  EXPECT_EQ(read_flights("AA,1,2\nBB,x,2\n", 1, options).error,
            "flights.csv: row 2 (line 2), column \"delay\": expected a 32-bit integer, got \"x\"");
  EXPECT_EQ(read_flights("AA,1,2\nBB,1,2,3\n", 1, options).error,
            "flights.csv: row 2 (line 2): expected 3 cells, got more");
}

TEST(csv_reader, reads_no_rows_from_a_file_with_a_header_only) {
  EXPECT_EQ(rows("carrier,delay,distance"), lines{});
  EXPECT_EQ(rows("carrier,delay,distance\n"), lines{});
}

TEST(csv_reader, leaves_out_blank_lines_at_the_end_only) {
  EXPECT_EQ(rows("carrier,delay,distance\nAA,1,2\n\r\n\n"), (lines{"AA|1|2.000000"}));
  EXPECT_EQ(error("carrier,delay,distance\nAA,1,2\n\nBB,1,2\n"),
            "flights.csv: row 2 (line 3): expected 3 cells, got 1");
}

TEST(csv_reader, keeps_blank_lines_of_a_single_column_as_empty_cells) {
  struct name {
    std::string_view text;
  };
  test_memory memory;
  test_workers team(1);
  csv_reader reader(source_of("text\na\n\nb\n\n"), bound<name>({column("text", &name::text)}),
                    memory);
  std::vector<std::string> texts;
  for (const name& n : read_all<name>(reader, team)) texts.emplace_back(n.text);
  EXPECT_EQ(texts, (lines{"a", "", "b", ""}));
}

struct numbers {
  std::int8_t i8;
  std::int16_t i16;
  std::int64_t i64;
  std::uint8_t u8;
  std::uint64_t u64;
  float f32;
  bool flag;
  date day;
  timestamp moment;
};

detail::record_layout number_layout() {
  return bound<numbers>({column("i8", &numbers::i8), column("i16", &numbers::i16),
                         column("i64", &numbers::i64), column("u8", &numbers::u8),
                         column("u64", &numbers::u64), column("f32", &numbers::f32),
                         column("flag", &numbers::flag), column("day", &numbers::day),
                         column("moment", &numbers::moment)});
}

const std::string number_header = "i8,i16,i64,u8,u64,f32,flag,day,moment\n";

std::vector<numbers> read_numbers(const std::string& text) {
  test_memory memory;
  test_workers team(1);
  csv_reader reader(source_of(text), number_layout(), memory);
  return read_all<numbers>(reader, team);
}

TEST(csv_reader, reads_the_extremes_of_every_type) {
  const auto read = read_numbers(
      number_header +
      "-128,-32768,-9223372036854775808,0,0,nan,false,0000-01-01,1969-12-31 23:59:59.999999\n"
      "127,32767,9223372036854775807,255,18446744073709551615,-inf,1,9999-12-31,"
      "2024-02-29T12:30:45.5Z\n"
      "1,2,3,4,5,,TRUE,2024-02-29,1970-01-01 00:00:00\n");
  ASSERT_EQ(read.size(), 3U);
  EXPECT_EQ(read[0].i8, -128);
  EXPECT_EQ(read[0].i16, -32768);
  EXPECT_EQ(read[0].i64, std::numeric_limits<std::int64_t>::min());
  EXPECT_TRUE(std::isnan(read[0].f32));
  EXPECT_FALSE(read[0].flag);
  EXPECT_EQ(read[0].day, date::of(0, 1, 1));
  EXPECT_EQ(read[0].moment.micros, -1);
  EXPECT_EQ(read[1].i8, 127);
  EXPECT_EQ(read[1].u8, 255);
  EXPECT_EQ(read[1].u64, std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(read[1].f32, -std::numeric_limits<float>::infinity());
  EXPECT_TRUE(read[1].flag);
  EXPECT_EQ(read[1].day, date::of(9999, 12, 31));
  EXPECT_EQ(read[1].moment.micros, 1'709'209'845'500'000);
  EXPECT_TRUE(std::isnan(read[2].f32));
  EXPECT_EQ(read[2].day.year(), 2024);
  EXPECT_EQ(read[2].day.month(), 2U);
  EXPECT_EQ(read[2].day.day(), 29U);
  EXPECT_EQ(read[2].moment.micros, 0);
}

// The error of a row of otherwise good numbers in which one cell is replaced.
std::string number_error(std::size_t column, const std::string& cell) {
  std::vector<std::string> cells{
      "1", "2", "3", "4", "5", "6", "1", "2000-01-01", "2000-01-01 00:00:00"};
  cells[column] = cell;
  std::string row;
  for (const std::string& text : cells) row += (row.empty() ? "" : ",") + text;
  return message_of<format_error>([&] { read_numbers(number_header + row + "\n"); });
}

TEST(csv_reader, names_file_row_line_column_text_and_expectation_of_a_bad_cell) {
  std::string text = "carrier,delay,distance\n";
  for (int i = 0; i < 16; ++i) text += i == 3 ? "\"two\nlines\",1,2\n" : "AA,1,2\n";
  EXPECT_EQ(
      error(text + "AA,twelve,2\n"),
      "flights.csv: row 17 (line 19), column \"delay\": expected a 32-bit integer, got \"twelve\"");
}

TEST(csv_reader, tells_too_small_numbers_from_too_large_ones) {
  const std::string zeros(400, '0'), ones(400, '1'), head = "carrier,delay,distance\nAA,1,";
  const std::string tiny[] = {"1e-400", "-0." + zeros + "1e+5", "0." + zeros + "1",
                              "1" + zeros + "e-1000", "1e-99999999999999999999"};
  for (const auto& text : tiny)
    EXPECT_EQ(rows(head + text + "\n"),
              (lines{text.front() == '-' ? "AA|1|-0.000000" : "AA|1|0.000000"}))
        << text;
  const std::string huge[] = {"1e400", "0" + ones, "1" + zeros + "e-10", "-0.001e500",
                              "1e99999999999999999999"};
  for (const auto& text : huge)
    EXPECT_NE(error(head + text + "\n").find("out of range"), std::string::npos) << text;
}

TEST(csv_reader, says_what_each_type_expects) {
  const std::string where = "flights.csv: row 1 (line 2), column ";
  EXPECT_EQ(number_error(0, "128"),
            where + "\"i8\": expected an 8-bit integer, got \"128\" (out of range: -128 to 127)");
  EXPECT_EQ(number_error(1, "1.5"), where + "\"i16\": expected a 16-bit integer, got \"1.5\"");
  EXPECT_EQ(number_error(1, "+-1"), where + "\"i16\": expected a 16-bit integer, got \"+-1\"");
  EXPECT_EQ(
      number_error(2, ""),
      where +
          "\"i64\": expected a 64-bit integer, got an empty cell; where values may be missing, "
          "make the field a std::optional");
  EXPECT_EQ(
      number_error(3, "-1"),
      where + "\"u8\": expected an unsigned 8-bit integer, got \"-1\" (out of range: 0 to 255)");
  EXPECT_EQ(number_error(4, "18446744073709551616"),
            where +
                "\"u64\": expected an unsigned 64-bit integer, got \"18446744073709551616\" "
                "(out of range: 0 to 18446744073709551615)");
  EXPECT_EQ(
      number_error(5, "1,5"),
      "flights.csv: row 1 (line 2), column \"flag\": expected true, false, 0 or 1, got \"5\"");
  EXPECT_EQ(number_error(5, "1e39"),
            where + "\"f32\": expected a number, got \"1e39\" (out of range)");
  EXPECT_EQ(number_error(6, "yes"), where + "\"flag\": expected true, false, 0 or 1, got \"yes\"");
  EXPECT_EQ(number_error(7, "2023-02-29"),
            where + "\"day\": expected a date like 2024-02-29, got \"2023-02-29\"");
  EXPECT_EQ(
      number_error(8, "2000-01-01 24:00:00"),
      where +
          "\"moment\": expected a time like 2024-02-29 13:45:00.5, got \"2000-01-01 24:00:00\"");
  EXPECT_EQ(number_error(1, "\"a\nb" + std::string(100, 'x') + "\""),
            where + "\"i16\": expected a 16-bit integer, got \"a\\nb" + std::string(37, 'x') +
                "\"... (103 bytes)");
}

TEST(csv_reader, rounds_numbers_too_small_for_a_float_to_zero) {
  EXPECT_EQ(
      read_numbers(number_header + "1,2,3,4,5,-1e-60,1,2000-01-01,2000-01-01 00:00:00\n")[0].f32,
      0.0F);
}

TEST(csv_reader, reports_rows_with_too_few_or_too_many_cells) {
  EXPECT_EQ(error("carrier,delay,distance\nAA,1,2\nBB,1\n"),
            "flights.csv: row 2 (line 3): expected 3 cells, got 2");
  EXPECT_EQ(error("carrier,delay,distance\nAA,1,2,\n"),
            "flights.csv: row 1 (line 2): expected 3 cells, got more");
}

TEST(csv_reader, reports_quotes_in_the_wrong_place) {
  EXPECT_EQ(
      error("carrier,delay,distance\nAA,1,2\n5\" pipe,1,2\n"),
      "flights.csv: row 2 (line 3), column \"carrier\": expected no quote inside an unquoted cell, "
      "got \"5\"\"; quote the whole cell and double the quotes in it");
  EXPECT_EQ(
      error("carrier,delay,distance\n\"AA\"x,1,2\n"),
      "flights.csv: row 1 (line 2), column \"carrier\": expected the end of the cell after its "
      "closing quote, got more text after \"AA\"");
  EXPECT_EQ(
      error("carrier,delay,distance\n\"the \\\"AA\\\"\",1,2\n"),
      "flights.csv: row 1 (line 2), column \"carrier\": expected the end of the cell after its "
      "closing quote, got more text after \"the \\\"; a backslash before a quote doesn't escape "
      "it: have what writes the file double quotes (Spark: escape='\"')");
  EXPECT_EQ(
      error("carrier,delay,distance\nAA,1,2\n\"BB,1,2\nCC,1,2\n"),
      "flights.csv: row 2 (line 3), column \"carrier\": expected a closing quote, got the end of "
      "the file after \"BB,1,2\\nCC,1,2\"");
}

TEST(csv_reader, reports_a_stray_quote_before_taking_the_rest_of_the_file_for_one_cell) {
  std::string text = "carrier,delay,distance\nA\"A,1,2\n";
  while (text.size() < 4'000'000) text += "BB,1,2\n";
  test_memory memory(300'000);
  test_workers team(2);
  csv_options options;
  options.slab_bytes = 100'000;
  csv_reader reader(source_of(text), flight_layout(), memory, options);
  EXPECT_EQ(
      message_of<format_error>([&] { read_all<flight>(reader, team); }),
      "flights.csv: row 1 (line 2), column \"carrier\": expected no quote inside an unquoted cell, "
      "got \"A\"\"; quote the whole cell and double the quotes in it");
}

TEST(csv_reader, names_the_row_that_does_not_fit_into_memory) {
  std::string text =
      "carrier,delay,distance\nAA,1,2\n\"" + std::string(1'000'000, 'x') + "\",1,2\n";
  test_memory memory(300'000);
  test_workers team(2);
  csv_options options;
  options.slab_bytes = 100'000;
  csv_reader reader(source_of(text), flight_layout(), memory, options);
  const std::string message = message_of<memory_error>([&] { read_all<flight>(reader, team); });
  EXPECT_TRUE(message.starts_with("flights.csv: row 2 (line 3): needs 200064 bytes")) << message;
}

TEST(csv_reader, lists_the_columns_of_the_file_when_one_is_missing) {
  EXPECT_EQ(error("carrier,dealy,distance\n"),
            "flights.csv: expected a column \"delay\", got the columns \"carrier\", \"dealy\", "
            "\"distance\"; did you mean \"dealy\"?");
  EXPECT_EQ(error("a,b\n"),
            "flights.csv: expected a column \"carrier\", got the columns \"a\", \"b\"");
  EXPECT_EQ(error("carrier,delay,distance,delay\n"),
            "flights.csv: expected one column \"delay\", got several of that name");
  EXPECT_EQ(error("carrier,delay,distance\rAA,1,2\rAS,3,4\r"),
            "flights.csv: line 1: expected lines that end in a newline, got some that end in a "
            "carriage return alone; convert it: tr '\\r' '\\n' < flights.csv");
  EXPECT_EQ(error(""),
            "flights.csv: expected a header line with the names of columns, got an empty file");
  EXPECT_EQ(error("carrier,\"delay\n"),
            "flights.csv: line 1: expected the names of columns, got a quote that opens or closes "
            "inside a name");
}

TEST(csv_reader, refuses_bindings_that_csv_can_not_serve) {
  struct vector {
    std::array<float, 3> x;
  };
  test_memory memory;
  const auto opening = [&](const detail::record_layout& layout, char delimiter = ',') {
    return message_of<usage_error>([&] {
      csv_options options;
      options.delimiter = delimiter;
      csv_reader(source_of("x,y\n"), layout, memory, options);
    });
  };
  EXPECT_EQ(opening(bound<vector>({column("x", &vector::x)})),
            "flights.csv: column \"x\": expected a field with one value, got an array of 3; bind "
            "single fields, or use JSON lines or npy");
  EXPECT_EQ(opening({8, {}}),
            "flights.csv: expected bindings of columns to fields, got none; add "
            "pappus::column(\"name\", &record::field)");
  EXPECT_EQ(opening(flight_layout(), '7'),
            "csv: expected a delimiter such as ',', ';', '|' or a tab, got \"7\", which cells or "
            "rows are made of");
  struct twice {
    int a, b;
  };
  EXPECT_EQ(opening(bound<twice>({column("x", &twice::a), column("x", &twice::b)})),
            "flights.csv: column \"x\" is bound to two fields; bind it once and copy it in a map");
}

TEST(csv_reader, gives_the_same_rows_at_any_slab_size_capacity_and_number_of_threads) {
  const std::string good =
      "carrier,delay,distance\r\n\"a\"\"\n,b\",1,2\nBB,-22,1e3\r\n\"\",3,\n \"\n";
  const std::string head = good.substr(0, good.find(" \""));
  const std::vector<std::string> texts{head,
                                       head + "CC,4,5",
                                       head + "CC,x,5\nDD,y,6\n",
                                       head + "C\"C,4,5\nDD,5,6\n",
                                       head + "\"CC,4,5\nDD,5,6\n",
                                       head + "\"CC\"\r,4,5\n",
                                       head + "CC,4,5\n\n\r\n"};
  for (const std::string& text : texts) {
    const outcome expected = read_flights(text, 1);
    for (const std::size_t slab : {1, 2, 3, 5, 7, 16, 33, 1000}) {
      for (const std::size_t piece : {1, 2, 3, 7, 64, 1000}) {
        for (const unsigned threads : {1U, 3U, 8U}) {
          for (const std::int64_t capacity : {1, 2, 1000}) {
            csv_options options;
            options.slab_bytes = slab;
            options.piece_bytes = piece;
            ASSERT_EQ(read_flights(text, threads, options, capacity), expected)
                << text << "slab " << slab << " piece " << piece << " threads " << threads
                << " capacity " << capacity;
          }
        }
        if (slab > 100) break;
      }
    }
  }
}

TEST(csv_reader, counts_rows_without_parsing_and_then_reads_them) {
  std::string text = "carrier,delay,distance\n";
  for (int i = 0; i < 5000; ++i) text += i % 7 == 0 ? "\"a\nb\",1,2\n" : "AA,1,2\n";
  test_memory memory;
  test_workers team(3);
  csv_options options;
  options.slab_bytes = 1000;
  options.piece_bytes = 100;
  csv_reader reader(source_of(text), flight_layout(), memory, options);
  EXPECT_EQ(reader.rows(), std::nullopt);
  EXPECT_EQ(reader.count(team), 5000);
  EXPECT_EQ(read_all<flight>(reader, team).size(), 5000U);
  reader.rewind();
  EXPECT_EQ(read_all<flight>(reader, team, 333).size(), 5000U);
}

TEST(csv_reader, keeps_strings_alive_while_their_handle_is_held) {
  test_memory memory;
  test_workers team(2);
  std::vector<flight> read;
  std::shared_ptr<void> strings;
  {
    csv_reader reader(source_of("carrier,delay,distance\nAlpha,1,2\nBeta,1,2\nAlpha,3,4\n"),
                      flight_layout(), memory);
    read = read_all<flight>(reader, team);
    strings = reader.take_strings();
  }
  EXPECT_EQ(read[0].carrier, "Alpha");
  EXPECT_EQ(read[1].carrier, "Beta");
  EXPECT_GT(memory.used_bytes(), 0U);
  strings.reset();
  EXPECT_EQ(memory.used_bytes(), 0U);
}

TEST(csv_reader, streams_a_file_with_repeated_strings_in_bounded_memory) {
  std::string text = "carrier,delay,distance\n";
  for (int i = 0; i < 200'000; ++i) text += "carrier number " + std::to_string(i % 50) + ",1,2\n";
  test_memory memory;
  test_workers team(2);
  csv_options options;
  options.slab_bytes = 100'000;
  options.piece_bytes = 10'000;
  csv_reader reader(source_of(text), flight_layout(), memory, options);
  const std::size_t scratch = reader.scratch_bytes();
  std::vector<flight> part(1000);
  std::int64_t rows = 0;
  while (const auto n = reader.read(team, reinterpret_cast<std::byte*>(part.data()), 1000))
    rows += n;
  EXPECT_EQ(rows, 200'000);
  EXPECT_LE(memory.peak_bytes(), scratch + 100'000);
}

TEST(csv_reader, keeps_distinct_strings_of_any_length) {
  std::string text = "carrier,delay,distance\n";
  const auto name = [](int i) {
    return std::string(static_cast<std::size_t>(i % 97), 'n') + std::to_string(i);
  };
  for (int i = 0; i < 30'000; ++i) text += name(i) + ",1,2\n";
  text += std::string(50'000, 'z') + ",1,2\n";
  test_memory memory;
  test_workers team(3);
  csv_reader reader(source_of(text), flight_layout(), memory);
  const auto read = read_all<flight>(reader, team, 100'000);
  ASSERT_EQ(read.size(), 30'001U);
  for (int i = 0; i < 30'000; ++i) ASSERT_EQ(read[static_cast<std::size_t>(i)].carrier, name(i));
  EXPECT_EQ(read.back().carrier, std::string(50'000, 'z'));
}

TEST(csv_reader, stops_when_the_query_is_cancelled) {
  test_memory memory;
  test_workers team(2);
  csv_reader reader(source_of("carrier,delay,distance\nAA,1,2\n"), flight_layout(), memory);
  team.cancel();
  EXPECT_THROW(read_all<flight>(reader, team), cancelled);
}

}  // namespace
}  // namespace pappus::testing
