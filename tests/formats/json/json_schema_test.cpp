#include "formats/json/json_schema.h"

#include <gtest/gtest.h>

#include <string>

#include "formats/compressed_support.h"
#include "formats/support.h"

namespace pappus::testing {
namespace {

using detail::cell;
using formats::record_schema;

record_schema json_schema_of(std::string_view text, std::size_t bytes = SIZE_MAX,
                             unsigned threads = 2) {
  test_memory memory;
  test_workers team(threads);
  return formats::infer_json_schema(source_of(text, "e.jsonl"), bytes, team, memory);
}

/// Of the column "x" of lines that have these values.
record_schema::column json_column(const std::vector<std::string>& values) {
  std::string text;
  for (const auto& one : values) text += "{\"x\":" + one + "}\n";
  return json_schema_of(text).columns.at(0);
}

TEST(json_schema, is_the_type_that_reads_all_values) {
  EXPECT_EQ(json_column({"1", "-2147483648"}).type, cell::i32);
  EXPECT_EQ(json_column({"1", "2147483648"}).type, cell::i64);
  EXPECT_EQ(json_column({"-2147483649"}).type, cell::i64);
  EXPECT_EQ(json_column({"1", "18446744073709551615"}).type, cell::u64);
  EXPECT_EQ(json_column({"-1", "18446744073709551615"}).type, cell::f64);
  EXPECT_EQ(json_column({"1", "0.5"}).type, cell::f64);
  EXPECT_EQ(json_column({"true", "false"}).type, cell::boolean);
  EXPECT_EQ(json_column({"\"2024-02-29\""}).type, cell::date);
  EXPECT_EQ(json_column({"\"2024-02-29T10:00:00Z\""}).type, cell::timestamp);
  EXPECT_EQ(json_column({"\"2024-02-29\"", "\"2024-02-29T10:00:00Z\""}).type, cell::string);
  EXPECT_EQ(json_column({"null"}).type, cell::string);
  EXPECT_EQ(json_column({"\"a\"", "null"}).missing, 1);
  EXPECT_EQ(json_column({"1", "null", "2"}).type, cell::i32);
}

TEST(json_schema, knows_arrays_and_leaves_out_what_no_field_can_have) {
  const auto pairs = json_column({"[1,2]", "[3,null]"});
  EXPECT_EQ(pairs.left_out, "has arrays with null");
  const auto floats = json_column({"[1,2.5,3]", "[3,null,1]"});
  EXPECT_EQ(floats.left_out, "");
  EXPECT_EQ(floats.type, cell::f64);
  EXPECT_EQ(floats.count, 3u);
  EXPECT_EQ(json_column({"[[1],[2]]"}).left_out, "has arrays of objects or arrays");
  EXPECT_EQ(json_column({"[1,2]", "[{}]"}).left_out, "has arrays of objects or arrays");
  EXPECT_EQ(json_column({"[]"}).left_out, "has empty arrays");
  EXPECT_EQ(json_column({"[1,2]", "[\"a\"]"}).left_out, "has values of several types");
  EXPECT_EQ(json_column({"[1,2]", "[null]"}).left_out, "has arrays with null");
  EXPECT_EQ(json_column({"1", "\"a\""}).left_out, "has values of several types");
  EXPECT_EQ(json_column({"1", "[1,2]"}).left_out, "has values of several types");
}

TEST(json_schema, takes_arrays_of_several_lengths_for_lists) {
  for (const auto& values : {std::vector<std::string>{"[1,2]", "[1]"}, {"[]", "[3]"}, {"[7]"}}) {
    const auto found = json_column(values);
    EXPECT_EQ(found.left_out, "");
    EXPECT_EQ(found.type, cell::list);
    EXPECT_EQ(found.item, cell::i32);
    EXPECT_EQ(found.count, 1u);
    EXPECT_FALSE(found.optional);
  }
  const auto lacking = json_column({"[\"a\",\"b\"]", "null"});
  EXPECT_EQ(lacking.left_out, "");
  EXPECT_EQ(lacking.type, cell::list);
  EXPECT_EQ(lacking.item, cell::string);
  EXPECT_TRUE(lacking.optional);
  EXPECT_EQ(lacking.missing, 1);
  EXPECT_EQ(json_column({"[1.5]", "[null,2]"}).item, cell::f64);
}

TEST(json_schema, finds_keys_in_order_and_those_of_nested_objects) {
  const auto schema = json_schema_of(
      "\xEF\xBB\xBF{\"b\":1,\"a\":{\"y\":null,\"x\":{\"z\":true}}}\n\n{\"c\":1,\"a\":null}\n");
  std::string names;
  for (const auto& column : schema.columns)
    names += column.name + ":" + std::to_string(column.missing) + " ";
  EXPECT_EQ(names, "b:1 a.y:2 a.x.z:1 c:1 ");
  EXPECT_EQ(schema.rows, 2);
  EXPECT_TRUE(schema.all);
  EXPECT_TRUE(json_schema_of("").columns.empty());
}

TEST(json_schema, is_the_same_whatever_the_threads_and_looks_at_some) {
  std::string text;
  for (int i = 0; i < 40'000; ++i)
    text += "{\"k" + std::to_string(i * 7 % 5) + "\":" + std::to_string(i) + "}\n";
  const auto described = [](const record_schema& schema) {
    std::string all = std::to_string(schema.rows) + (schema.all ? " all" : " some");
    for (const auto& column : schema.columns)
      all += " " + column.name + ":" + std::to_string(column.missing);
    return all;
  };
  EXPECT_EQ(described(json_schema_of(text)),
            "40000 all k0:32000 k2:32000 k4:32000 k1:32000 k3:32000");
  EXPECT_EQ(described(json_schema_of(text, SIZE_MAX, 5)), described(json_schema_of(text)));
  EXPECT_EQ(described(json_schema_of(zstd_of(text))), described(json_schema_of(text)));
  EXPECT_EQ(json_schema_of(text, 1000).rows, 16384);
  EXPECT_FALSE(json_schema_of(text, 1000).all);
}

TEST(json_schema, says_which_line_is_bad) {
  const auto refusal = [](const std::string& line) {
    return message_of<format_error>([&] { json_schema_of("{}\n" + line); });
  };
  EXPECT_EQ(refusal("[1]"), "e.jsonl: line 2: expected an object, got \"[1]\"");
  EXPECT_EQ(refusal("{\"a\":}"),
            "e.jsonl: line 2: expected JSON, got \"}\" at byte 6 (unexpected '}'; expected '[', "
            "'{', or a literal)");
  const std::string deep(100'000, '[');
  EXPECT_TRUE(refusal("{\"a\":" + deep).starts_with("e.jsonl: line 2: expected JSON, got "));
  EXPECT_EQ(json_column({deep + std::string(100'000, ']')}).left_out,
            "has arrays of objects or arrays");
}

}  // namespace
}  // namespace pappus::testing
