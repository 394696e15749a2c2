// Arrays of JSON lines as lists in records, and lists written as arrays.
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>

#include "formats/json/json_reader.h"
#include "formats/json/json_writer.h"
#include "formats/registry.h"
#include "formats/support.h"
#include "pappus/list.h"

namespace pappus::testing::json_lists {
namespace {

using formats::json_reader;
using formats::json_writer;
using ::testing::ElementsAre;

struct article {
  std::int64_t id;
  list<std::string_view> tags;
  std::optional<list<double>> scores;
  list<date> days;
};

detail::record_layout article_layout() {
  return bound<article>({column("id", &article::id), column("tags", &article::tags),
                         column("scores", &article::scores), column("in.days", &article::days)});
}

/// The records, with what their lists lie in.
struct held {
  test_memory memory;
  std::unique_ptr<json_reader> reader;
  std::vector<article> rows;
};

std::unique_ptr<held> read(std::string_view text, unsigned threads = 2, std::int64_t capacity = 10,
                           std::size_t slab = 1 << 20, std::size_t piece = 1 << 16) {
  auto result = std::make_unique<held>();
  test_workers team(threads);
  result->reader = std::make_unique<json_reader>(source_of(text, "a.jsonl"), article_layout(),
                                                 result->memory, slab, piece);
  result->rows = read_all<article>(*result->reader, team, capacity);
  return result;
}

/// The error of a line that has this at "tags", and at "scores".
std::string refusal(std::string_view tags, std::string_view scores = "null") {
  const auto line = R"({"id":1,"in":{"days":[]},"tags":)" + std::string(tags) +
                    ",\"scores\":" + std::string(scores) + "}";
  return message_of<format_error>([&] { read(line); });
}

TEST(json_lists, are_arrays_of_any_length) {
  const auto all = read(
      R"({"id":1,"tags":["a","b\"c",""],"scores":[1,-2.5e3,null],"in":{"days":["2024-02-29"]}})"
      "\n"
      R"({"tags":[ ],"id":2,"in":{"days":[]},"scores":null})"
      "\n"
      R"({"id":3,"tags":["a"],"in":{"days":["2024-02-29","1970-01-02"]},"scores":[]})"
      "\n");
  ASSERT_EQ(all->rows.size(), 3u);
  const auto& rows = all->rows;
  EXPECT_THAT(rows[0].tags, ElementsAre("a", "b\"c", ""));
  ASSERT_TRUE(rows[0].scores);
  EXPECT_EQ(rows[0].scores->size(), 3u);
  EXPECT_EQ((*rows[0].scores)[1], -2500);
  EXPECT_TRUE(std::isnan((*rows[0].scores)[2]));
  EXPECT_THAT(rows[0].days, ElementsAre(date{19782}));
  EXPECT_TRUE(rows[1].tags.empty());
  EXPECT_FALSE(rows[1].scores);
  EXPECT_THAT(rows[2].tags, ElementsAre("a"));
  ASSERT_TRUE(rows[2].scores);
  EXPECT_TRUE(rows[2].scores->empty());
  EXPECT_THAT(rows[2].days, ElementsAre(date{19782}, date{1}));
}

TEST(json_lists, have_items_of_every_type) {
  struct row {
    list<std::int8_t> small;
    list<std::uint64_t> large;
    list<float> numbers;
    list<bool> flags;
    list<timestamp> times;
    list<category> kinds;
  };
  const auto layout =
      bound<row>({column("s", &row::small), column("l", &row::large), column("n", &row::numbers),
                  column("f", &row::flags), column("t", &row::times), column("k", &row::kinds)});
  const std::string line =
      R"({"s":[-128,127],"l":[18446744073709551615],"n":[0.1,1],"f":[true,false,true],)"
      R"("t":["1970-01-01T00:00:01.500000Z"],"k":["x","yy","x"]})"
      "\n";
  test_memory memory;
  test_workers team(2);
  json_reader reader(source_of(line, "a.jsonl"), layout, memory);
  const auto rows = read_all<row>(reader, team, 5);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_THAT(rows[0].small, ElementsAre(-128, 127));
  EXPECT_THAT(rows[0].large, ElementsAre(std::numeric_limits<std::uint64_t>::max()));
  EXPECT_THAT(rows[0].numbers, ElementsAre(0.1f, 1.0f));
  EXPECT_THAT(rows[0].flags, ElementsAre(true, false, true));
  EXPECT_THAT(rows[0].times, ElementsAre(timestamp{1'500'000}));
  EXPECT_THAT(rows[0].kinds, ElementsAre(category("x"), category("yy"), category("x")));
  const temporary_folder folder;
  const auto path = folder.file("b.jsonl");
  json_writer writer(path, layout, memory);
  writer.append(team, reinterpret_cast<const std::byte*>(rows.data()), 1);
  writer.close();
  EXPECT_EQ(content_of(path), line);
}

TEST(json_lists, say_what_is_no_item) {
  const std::string at = "a.jsonl: line 1, key ";
  EXPECT_EQ(refusal("\"a\""), at + "\"tags\": expected an array, got \"a\"");
  EXPECT_EQ(refusal("{\"a\":1}"), at + "\"tags\": expected an array, got an object");
  EXPECT_EQ(refusal("null"), at + "\"tags\": expected an array, got null; where values may be "
                                  "missing, make the field a std::optional");
  EXPECT_EQ(refusal("[1]"), at + "\"tags\": expected text, got 1");
  EXPECT_EQ(refusal("[\"a\",null]"), at + "\"tags\": expected text, got null in the array");
  EXPECT_EQ(refusal("[[\"a\"]]"), at + "\"tags\": expected text, got an array");
  EXPECT_EQ(refusal("[]", "[\"1\"]"), at + "\"scores\": expected a number, got \"1\"");
  EXPECT_EQ(refusal("[]", "[1e999]"),
            at + "\"scores\": expected a number, got 1e999 (out of range)");
  EXPECT_TRUE(refusal("[\"a\",]").starts_with("a.jsonl: line 1")) << refusal("[\"a\",]");
  EXPECT_TRUE(refusal("[\"a\"").starts_with("a.jsonl: line 1")) << refusal("[\"a\"");
  EXPECT_EQ(message_of<format_error>([] { read(R"({"id":1,"tags":[]})"); }),
            at + "\"in.days\": expected an array, got the keys \"id\", \"tags\"; where values may "
                 "be missing, make the field a std::optional");
}

TEST(json_lists, of_random_lengths_are_written_as_they_were_read) {
  std::mt19937_64 random(7);
  const auto drawn = [&](int most) { return static_cast<int>(random() % (most + 1)); };
  std::string text;
  for (int i = 0; i < 3'000; ++i) {
    text += "{\"id\":" + std::to_string(i) + ",\"tags\":[";
    for (int n = drawn(i % 100 == 0 ? 300 : 4); n > 0; --n)
      text += "\"tag" + std::to_string(drawn(40)) + std::string(drawn(20), 'x') + "é\"" +
              (n > 1 ? "," : "");
    text += "],\"scores\":";
    if (drawn(4) == 0) {
      text += "null";
    } else {
      text += '[';
      for (int n = drawn(5); n > 0; --n) text += std::to_string(drawn(99)) + (n > 1 ? ".5," : "");
      text += ']';
    }
    text += ",\"in\":{\"days\":[\"2024-02-29\"]}}\n";
  }
  const temporary_folder folder;
  const auto path = folder.file("b.jsonl");
  for (const unsigned threads : {1U, 3U})
    for (const std::size_t piece : {std::size_t{300}, std::size_t{1} << 16}) {
      const auto all = read(text, threads, 700, 1 << 14, piece);
      ASSERT_EQ(all->rows.size(), 3'000u);
      test_workers team(threads);
      json_writer writer(path, article_layout(), all->memory);
      writer.append(team, reinterpret_cast<const std::byte*>(all->rows.data()), 3'000);
      writer.close();
      EXPECT_TRUE(content_of(path) == text);
    }
}

TEST(lists, are_refused_by_formats_that_have_none) {
  const temporary_folder folder;
  const auto layout = bound<article>({column("tags", &article::tags)});
  test_memory memory;
  create_file(folder.file("a.csv"), "tags\na\n");
  create_file(folder.file("a.raw"), std::string(sizeof(article), '\0'));
  const auto refused = [&](const char* name, bool writing) {
    const auto path = folder.file(name);
    const auto text = message_of<usage_error>([&] {
      const auto& format = formats::format_of(path);
      if (writing)
        format.create(path, layout, memory);
      else
        format.open(path, layout, memory);
    });
    EXPECT_TRUE(text.starts_with(path)) << text;
    return text.substr(path.size());
  };
  for (const bool writing : {false, true}) {
    EXPECT_EQ(refused("a.csv", writing),
              ": column \"tags\": expected a field with one value, got a pappus::list; use JSON "
              "lines or Parquet");
    EXPECT_EQ(refused("a.raw", writing),
              ": expected fields that hold their values, got a pappus::list, which points "
              "elsewhere; use jsonl for lists");
  }
  EXPECT_EQ(refused("a.npy", true),
            ": expected fields of fixed size, got a pappus::list; arrays have no lists of varying "
            "length: use jsonl, or map it to a number");
}

}  // namespace
}  // namespace pappus::testing::json_lists
