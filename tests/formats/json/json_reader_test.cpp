#include "formats/json/json_reader.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "formats/compressed_support.h"
#include "formats/support.h"

namespace pappus::testing {
namespace {

using formats::json_reader;

struct event {
  std::string_view kind;
  std::int32_t size;
  std::optional<double> cost;
};

detail::record_layout event_layout() {
  return bound<event>(
      {column("kind", &event::kind), column("size", &event::size), column("cost", &event::cost)});
}

/// What reading events comes to, as text, or the error.
std::vector<std::string> read_events(std::string_view text, unsigned threads = 2,
                                     std::int64_t capacity = 1000, std::size_t slab = 1 << 20,
                                     std::size_t piece = 1 << 16) {
  test_memory memory;
  test_workers team(threads);
  std::vector<std::string> rows;
  try {
    json_reader reader(source_of(text, "e.jsonl"), event_layout(), memory, slab, piece);
    for (const event& e : read_all<event>(reader, team, capacity))
      rows.push_back(std::string(e.kind) + "|" + std::to_string(e.size) + "|" +
                     (e.cost ? std::to_string(*e.cost) : "-"));
  } catch (const format_error& thrown) {
    rows = {thrown.what()};
  }
  return rows;
}

using texts = std::vector<std::string>;

/// The error of a second line.
std::string error_of(std::string_view line) {
  const auto rows = read_events("{\"kind\":\"a\",\"size\":1}\n" + std::string(line) + "\n");
  return rows.size() == 1 ? rows[0] : "nothing was refused";
}

/// The records, with what their text lies in.
template <typename Record>
struct held {
  test_memory memory;
  std::unique_ptr<json_reader> reader;
  std::vector<Record> rows;
};

template <typename Record>
std::shared_ptr<held<Record>> read(const detail::record_layout& layout, std::string_view text) {
  auto result = std::make_shared<held<Record>>();
  test_workers team(2);
  result->reader =
      std::make_unique<json_reader>(source_of(text, "e.jsonl"), layout, result->memory);
  result->rows = read_all<Record>(*result->reader, team, 10);
  return result;
}

/// The value that a line has at "x".
template <typename T>
T value_of_line(std::string_view json) {
  struct one {
    T x;
  };
  const auto line = "{\"x\":" + std::string(json) + "}";
  const auto rows = read<one>(bound<one>({column("x", &one::x)}), line)->rows;
  EXPECT_EQ(rows.size(), 1u);
  return rows.at(0).x;
}
template <typename T>
std::string refusal_of_line(std::string_view json) {
  return message_of<format_error>([&] { value_of_line<T>(json); });
}

TEST(json_reader, finds_keys_by_name_in_any_order_and_passes_over_others) {
  EXPECT_EQ(
      read_events("{\"kind\":\"a\",\"size\":1,\"cost\":2.5}\n"
                  "{ \"cost\" : 1e2, \"other\":{\"kind\":[1,{}]}, \"size\": 2 , \"kind\":\"b\"}\r\n"
                  "{\"size\":3,\"kind\":\"\"}"),
      (texts{"a|1|2.500000", "b|2|100.000000", "|3|-"}));
}

TEST(json_reader, passes_over_blank_lines_and_a_byte_order_mark) {
  EXPECT_EQ(
      read_events(
          "\xEF\xBB\xBF{\"kind\":\"a\",\"size\":1}\n\n \t\r\n{\"kind\":\"b\",\"size\":2}\n\n"),
      (texts{"a|1|-", "b|2|-"}));
  EXPECT_EQ(read_events(""), texts{});
  EXPECT_EQ(read_events("\n\n"), texts{});
}

TEST(json_reader, takes_null_and_absent_keys_for_missing) {
  EXPECT_EQ(read_events("{\"kind\":\"a\",\"size\":1,\"cost\":null}\n{\"kind\":\"a\",\"size\":1}\n"),
            (texts{"a|1|-", "a|1|-"}));
  EXPECT_EQ(error_of("{\"kind\":\"a\",\"sise\":1}"),
            "e.jsonl: line 2, key \"size\": expected a 32-bit integer, got the keys \"kind\", "
            "\"sise\"; did you mean \"sise\"?; where values may be missing, make the field a "
            "std::optional");
  EXPECT_EQ(error_of("{}"),
            "e.jsonl: line 2, key \"kind\": expected text, got no keys; where values may be "
            "missing, make the field a std::optional");
  EXPECT_EQ(error_of("{\"kind\":\"a\",\"size\":null}"),
            "e.jsonl: line 2, key \"size\": expected a 32-bit integer, got null; where values may "
            "be missing, make the field a std::optional");
  EXPECT_TRUE(std::isnan(value_of_line<double>("null")));
  EXPECT_TRUE(std::isnan(value_of_line<float>("null")));
  EXPECT_FALSE(value_of_line<std::optional<double>>("null"));
}

TEST(json_reader, takes_the_last_of_equal_keys) {
  EXPECT_EQ(
      read_events("{\"kind\":\"a\",\"size\":1,\"cost\":2,\"size\":5,\"cost\":null,\"kind\":\"c\"}"),
      (texts{"c|5|-"}));
}

TEST(json_reader, reads_numbers_exactly) {
  EXPECT_EQ(value_of_line<std::int64_t>("-9223372036854775808"),
            std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(value_of_line<std::uint64_t>("18446744073709551615"),
            std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(value_of_line<std::int64_t>("9007199254740993"), 9007199254740993);
  EXPECT_EQ(value_of_line<double>("0.1"), 0.1);
  EXPECT_EQ(value_of_line<double>("1.7976931348623157e308"), std::numeric_limits<double>::max());
  EXPECT_EQ(value_of_line<double>("5e-324"), std::numeric_limits<double>::denorm_min());
  EXPECT_EQ(value_of_line<double>("1e-400"), 0.0);
  // Halfway between two floats as a double: rounding twice would give the other one.
  EXPECT_EQ(value_of_line<float>("1.00000017881393432617187499"), 1.00000011920928955078125f);
  EXPECT_EQ(value_of_line<double>("12"), 12.0);
}

TEST(json_reader, refuses_numbers_that_are_none_or_do_not_fit) {
  EXPECT_EQ(refusal_of_line<std::int8_t>("128"),
            "e.jsonl: line 1, key \"x\": expected an 8-bit integer, got 128 (out of range: -128 to "
            "127)");
  EXPECT_EQ(refusal_of_line<std::uint8_t>("-1"),
            "e.jsonl: line 1, key \"x\": expected an unsigned 8-bit integer, got -1 (out of range: "
            "0 to 255)");
  EXPECT_EQ(refusal_of_line<double>("1e999"),
            "e.jsonl: line 1, key \"x\": expected a number, got 1e999 (out of range)");
  EXPECT_EQ(refusal_of_line<std::int32_t>("1.0"),
            "e.jsonl: line 1, key \"x\": expected a 32-bit integer, got 1.0");
  EXPECT_EQ(refusal_of_line<std::int32_t>("\"12\""),
            "e.jsonl: line 1, key \"x\": expected a 32-bit integer, got \"12\"");
  EXPECT_EQ(refusal_of_line<double>("true"),
            "e.jsonl: line 1, key \"x\": expected a number, got true");
  EXPECT_EQ(refusal_of_line<std::int32_t>("{\"a\":1}"),
            "e.jsonl: line 1, key \"x\": expected a 32-bit integer, got an object");
  for (const char* none : {"NaN", "Infinity", "-Infinity", "nan", "+1", "01", ".5", "1.", "1e",
                           "--1", "0x10", "-", "1_000"})
    EXPECT_TRUE(refusal_of_line<double>(none).starts_with("e.jsonl: line 1: expected JSON, got "))
        << none << ": " << refusal_of_line<double>(none);
}

TEST(json_reader, reads_true_and_false_alone_as_booleans) {
  EXPECT_TRUE(value_of_line<bool>("true"));
  EXPECT_FALSE(value_of_line<bool>("false"));
  EXPECT_EQ(refusal_of_line<bool>("1"),
            "e.jsonl: line 1, key \"x\": expected true or false, got 1");
  EXPECT_TRUE(refusal_of_line<bool>("trues").starts_with("e.jsonl: line 1: expected JSON"));
}

TEST(json_reader, reads_dates_and_times_as_text) {
  EXPECT_EQ(value_of_line<date>("\"2024-02-29\""), date{19782});
  EXPECT_EQ(value_of_line<timestamp>("\"2024-02-29T01:02:03.5Z\""),
            value_of_line<timestamp>("\"2024-02-29 01:02:03.500000\""));
  EXPECT_EQ(refusal_of_line<date>("\"2024-02-30\""),
            "e.jsonl: line 1, key \"x\": expected a date like 2024-02-29, got \"2024-02-30\"");
  EXPECT_EQ(refusal_of_line<timestamp>("1709200800"),
            "e.jsonl: line 1, key \"x\": expected a time like 2024-02-29 13:45:00.5, got "
            "1709200800");
}

TEST(json_reader, undoes_escapes_and_keeps_utf8) {
  EXPECT_EQ(read_events(R"({"kind":"a\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00é😀","size":1})"),
            texts{"a\"\\/\b\f\n\r\té😀é😀|1|-"});
  EXPECT_EQ(read_events(R"({"k\u0069nd":"a","s\u0069ze":1})"
                        "\n"
                        R"({"kind":"b","size":2})"
                        "\n"
                        R"({"k\u0069nd":"c","size":3})"),
            (texts{"a|1|-", "b|2|-", "c|3|-"}));
}

TEST(json_reader, reads_arrays_of_as_many_values) {
  struct point {
    std::array<float, 3> at;
    std::array<std::string_view, 2> names;
  };
  const auto layout = bound<point>({column("at", &point::at), column("names", &point::names)});
  const auto all = read<point>(layout, R"({"at":[1,2.5,null],"names":["a","b"]})");
  const auto& rows = all->rows;
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].at[1], 2.5f);
  EXPECT_TRUE(std::isnan(rows[0].at[2]));
  const auto refusal = [&](std::string_view line) {
    return message_of<format_error>([&] { read<point>(layout, line); });
  };
  EXPECT_EQ(refusal(R"({"at":[1,2],"names":["a","b"]})"),
            "e.jsonl: line 1, key \"at\": expected an array of 3 values, got one of 2");
  EXPECT_EQ(refusal(R"({"at":[1,2,3,4],"names":["a","b"]})"),
            "e.jsonl: line 1, key \"at\": expected an array of 3 values, got one of 4");
  EXPECT_EQ(refusal(R"({"at":7,"names":["a","b"]})"),
            "e.jsonl: line 1, key \"at\": expected an array of 3 values, got 7");
  EXPECT_EQ(refusal(R"({"at":[1,"2",3],"names":["a","b"]})"),
            "e.jsonl: line 1, key \"at\": expected a number, got \"2\"");
  EXPECT_EQ(refusal(R"({"at":[1,2,3],"names":["a",null]})"),
            "e.jsonl: line 1, key \"names\": expected text, got null in the array");
}

struct visit {
  std::int64_t user;
  std::optional<std::string_view> city;
  std::int32_t n;
};
detail::record_layout visit_layout() {
  return bound<visit>({column("user.id", &visit::user), column("user.home.city", &visit::city),
                       column("n", &visit::n)});
}

TEST(json_reader, finds_keys_of_nested_objects_by_names_with_dots) {
  const auto all =
      read<visit>(visit_layout(), R"({"user":{"id":1,"home":{"zip":2,"city":"Delft"}},"n":1})"
                                  "\n"
                                  R"({"n":2,"user":{"home":null,"id":2}})"
                                  "\n"
                                  R"({"n":3,"user.id":3,"user":{"home.city":"Turin"}})");
  const auto& rows = all->rows;
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].user, 1);
  EXPECT_EQ(rows[0].city, "Delft");
  EXPECT_FALSE(rows[1].city);
  EXPECT_EQ(rows[2].user, 3);
  EXPECT_EQ(rows[2].city, "Turin");
  const auto refusal = [&](std::string_view line) {
    return message_of<format_error>([&] { read<visit>(visit_layout(), line); });
  };
  EXPECT_EQ(refusal(R"({"n":1,"user":7})"),
            "e.jsonl: line 1, key \"user\": expected an object, got 7");
  EXPECT_EQ(refusal(R"({"n":1,"user":{"id":1,"home":[]}})"),
            "e.jsonl: line 1, key \"user.home\": expected an object, got an array");
  EXPECT_TRUE(refusal(R"({"n":1,"user":null})").starts_with("e.jsonl: line 1, key \"user.id\": "));
}

TEST(json_reader, leaves_values_that_nobody_wants) {
  auto layout = event_layout();
  layout.columns[1].wanted = false;
  const auto all = read<event>(layout, R"({"kind":"a","size":"not a number"})");
  const auto& rows = all->rows;
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].kind, "a");
  EXPECT_EQ(
      message_of<format_error>([&] { read<event>(layout, R"({"kind":"a"})"); }),
      "e.jsonl: line 1, key \"size\": expected a 32-bit integer, got the keys \"kind\"; where "
      "values may be missing, make the field a std::optional");
}

TEST(json_reader, says_where_a_line_is_no_json) {
  EXPECT_EQ(error_of("{\"kind\":\"a\",\"size\":tru}"),
            "e.jsonl: line 2: expected JSON, got \"tru}\" at byte 20 (invalid literal)");
  EXPECT_EQ(error_of("{\"kind\":\"a\" \"size\":1}"),
            "e.jsonl: line 2: expected JSON, got \"\"size\":1}\" at byte 13 (unexpected string "
            "literal; expected '}')");
  EXPECT_EQ(error_of("{\"kind\":\"a\",\"size\":1"),
            "e.jsonl: line 2: expected JSON, got the end of the line at byte 21 (unexpected end of "
            "input; expected '}'); an object has to be on one line, as jq -c . puts it");
  EXPECT_EQ(error_of("{\"kind\":\"a\",\"size\":1} 2"),
            "e.jsonl: line 2: expected JSON, got \"2\" at byte 23 (unexpected number literal; "
            "expected end of input)");
  EXPECT_TRUE(error_of("{\"kind\":\"a").starts_with("e.jsonl: line 2: expected JSON, got "));
  EXPECT_TRUE(error_of("{\"kind\":\"\xFF\",\"size\":1}")
                  .ends_with("(invalid string: ill-formed UTF-8 byte)"))
      << error_of("{\"kind\":\"\xFF\",\"size\":1}");
  EXPECT_TRUE(
      error_of("{\"kind\":\"\\ud800\",\"size\":1}").starts_with("e.jsonl: line 2: expected JSON"));
  EXPECT_EQ(
      error_of("[{\"kind\":\"a\",\"size\":1}]"),
      "e.jsonl: line 2: expected an object, got \"[{\"kind\":\"a\",\"size\":1}]\"; JSON lines "
      "have one a line, which jq -c '.[]' makes of an array");
  EXPECT_EQ(error_of("7"), "e.jsonl: line 2: expected an object, got \"7\"");
  EXPECT_EQ(error_of("{"),
            "e.jsonl: line 2: expected JSON, got the end of the line at byte 2 (unexpected end of "
            "input; expected string literal); an object has to be on one line, as jq -c . puts it");
}

TEST(json_reader, survives_deep_nesting_and_long_numbers) {
  const std::string before = "{\"kind\":\"a\",\"size\":1,\"x\":";
  const std::string open(100'000, '['), close(100'000, ']');
  EXPECT_EQ(read_events(before + open + close + "}"), texts{"a|1|-"});
  EXPECT_TRUE(error_of(before + open).starts_with("e.jsonl: line 2: expected JSON, got "));
  EXPECT_TRUE(error_of(before + open + "}").starts_with("e.jsonl: line 2: expected JSON, got "));
  EXPECT_TRUE(error_of("{\"kind\":" + open + close + "}")
                  .starts_with("e.jsonl: line 2, key \"kind\": expected text"));
  EXPECT_EQ(value_of_line<double>("0." + std::string(100'000, '3')), 1 / 3.0);
  EXPECT_TRUE(refusal_of_line<std::int64_t>(std::string(100'000, '3'))
                  .ends_with("(out of range: -9223372036854775808 to 9223372036854775807)"));
}

TEST(json_reader, refuses_a_column_that_is_bound_twice_and_no_columns) {
  test_memory memory;
  EXPECT_EQ(message_of<usage_error>([&] {
              json_reader(source_of("", "e.jsonl"),
                          bound<visit>({column("n", &visit::user), column("n", &visit::n)}),
                          memory);
            }),
            "e.jsonl: column \"n\" is bound to two fields; bind it once and copy it in a map");
  EXPECT_EQ(
      message_of<usage_error>([&] { json_reader(source_of("", "e.jsonl"), {8, {}}, memory); }),
      "e.jsonl: expected bindings of columns to fields, got none; add pappus::column(\"name\", "
      "&record::field)");
}

std::string many_events(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    text += "{\"kind\":\"" + std::string(static_cast<std::size_t>(i) % 7, 'k') +
            "\",\"size\":" + std::to_string(i) + (i % 3 == 0 ? ",\"cost\":0.5" : "") + "}\n";
    if (i % 100 == 5) text += "\n";
  }
  return text;
}

TEST(json_reader, reads_the_same_whatever_slabs_threads_and_parts) {
  const auto text = many_events(600);
  const auto expected = read_events(text, 1, 10'000);
  ASSERT_EQ(expected.size(), 600u);
  for (const unsigned threads : {1u, 2u, 5u})
    for (const std::int64_t capacity : {1, 7, 1000})
      for (const std::size_t slab : {std::size_t{1}, std::size_t{1000}, std::size_t{1} << 20})
        ASSERT_EQ(read_events(text, threads, capacity, slab, slab / 3 + 1), expected)
            << threads << " " << capacity << " " << slab;
  EXPECT_EQ(read_events(gzipped(text)), expected);
  EXPECT_EQ(read_events(zstd_of(text)), expected);
}

TEST(json_reader, tells_the_first_bad_line_whatever_the_threads) {
  const auto text = many_events(3000) + "{\"kind\":1}\n" + many_events(10) + "{\n";
  for (const unsigned threads : {1u, 4u})
    EXPECT_EQ(read_events(text, threads),
              texts{"e.jsonl: line 3031, key \"kind\": expected text, got 1"});
}

TEST(json_reader, counts_rows_and_starts_over) {
  test_memory memory;
  test_workers team(2);
  const auto text = many_events(2000);
  json_reader reader(source_of(text, "e.jsonl"), event_layout(), memory, 5000, 700);
  EXPECT_EQ(reader.rows(), std::nullopt);
  EXPECT_EQ(reader.count(team), 2000);
  EXPECT_EQ(read_all<event>(reader, team).size(), 2000u);
  reader.rewind();
  const auto rows = read_all<event>(reader, team, 300);
  ASSERT_EQ(rows.size(), 2000u);
  EXPECT_EQ(rows[1999].size, 1999);
}

}  // namespace
}  // namespace pappus::testing
