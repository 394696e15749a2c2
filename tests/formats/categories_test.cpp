// Files of text that are read into categories, and written from them: as std::string_view is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "formats/csv/csv_reader.h"
#include "formats/json/json_reader.h"
#include "formats/npy/npy_match.h"
#include "formats/registry.h"
#include "formats/support.h"
#include "pappus/category.h"

namespace pappus::testing::category_files {
namespace {

template <typename Text>
struct row {
  Text carrier;
  std::int32_t delay;
  std::optional<Text> plane;
  Text notes;
};
using coded = row<category>;
using plain = row<std::string_view>;

std::string shown(category text) { return std::string(text.text()); }
std::string shown(std::string_view text) { return std::string(text); }

/// All rows, between bars, or the error.
template <typename Row, typename Open>
std::string outcome(Open&& open, unsigned threads, std::int64_t capacity) {
  std::string text;
  try {
    test_memory memory;
    test_workers team(threads);
    const auto reader = open(detail::layout_of<Row>(), memory);
    for (const auto& one : read_all<Row>(*reader, team, capacity))
      text += shown(one.carrier) + '|' + std::to_string(one.delay) + '|' +
              (one.plane ? shown(*one.plane) : "none") + '|' + shown(one.notes) + '\n';
  } catch (const error& problem) {
    text = problem.what();
  }
  return text;
}

template <typename Row>
std::string csv_outcome(std::string_view text, formats::csv_options options, unsigned threads = 1,
                        std::int64_t capacity = 1000) {
  options.missing = {"NA"};
  return outcome<Row>(
      [&](const detail::record_layout& layout, detail::memory_source& memory) {
        return std::make_unique<formats::csv_reader>(source_of(text), layout, memory, options);
      },
      threads, capacity);
}
template <typename Row>
std::string json_outcome(std::string_view text, unsigned threads = 1,
                         std::int64_t capacity = 1000) {
  return outcome<Row>(
      [&](const detail::record_layout& layout, detail::memory_source& memory) {
        return std::make_unique<formats::json_reader>(source_of(text, "flights.jsonl"), layout,
                                                      memory);
      },
      threads, capacity);
}

formats::csv_options options_of(std::size_t slab, std::size_t piece) {
  formats::csv_options options;
  options.slab_bytes = slab;
  options.piece_bytes = piece;
  return options;
}

/// Of the first kind few are different; of all lengths, quoted where that is due.
std::string csv_of(int rows) {
  std::mt19937 random(5);
  std::string text = "plane,carrier,delay,unused,notes\n";
  for (int i = 0; i < rows; ++i) {
    const char* const planes[] = {"",   "NA",      "\"NA\"",   "\"\"",
                                  "N1", "N123456", "N1234567", "N12345678"};
    const char* const carriers[] = {
        "AA",       "a carrier of more than eight bytes",    "",
        "eightbyt", "\"with a \"\"quote\"\", and a comma\"", "\"two\nlines\"",
        "é"};
    text += planes[random() % 8];
    text += ',';
    text += carriers[random() % 7];
    text += ',' + std::to_string(static_cast<int>(random() % 700) - 60) + ",x,n" +
            std::to_string(random() % 6000) + (random() % 2 == 0 ? "\n" : "\r\n");
  }
  return text;
}

TEST(categories_of_csv, are_the_texts_however_the_file_is_cut) {
  const auto text = csv_of(9000);
  const auto expected = csv_outcome<plain>(text, {});
  ASSERT_THAT(expected, ::testing::HasSubstr("with a \"quote\", and a comma|"));
  EXPECT_EQ(csv_outcome<coded>(text, {}), expected);
  EXPECT_EQ(csv_outcome<coded>(text, options_of(4096, 700), 3, 77), expected);
  EXPECT_EQ(csv_outcome<coded>(text, options_of(1 << 16, 1 << 12), 4), expected);
}

TEST(categories_of_csv, in_mutated_files_are_what_text_is) {
  std::mt19937 random(11);
  const auto whole = csv_of(12);
  constexpr std::string_view letters = "\"\"\",,\n\n\r0123456789NA ";
  int good = 0;
  for (int round = 0; round < 1500; ++round) {
    auto text = whole;
    for (unsigned changes = 1 + random() % 3; changes > 0; --changes) {
      const auto at = random() % text.size();
      if (random() % 2 == 0)
        text[at] = letters[random() % letters.size()];
      else
        text.erase(at, random() % 6);
    }
    SCOPED_TRACE(text);
    const auto expected = csv_outcome<plain>(text, {});
    good += expected.starts_with("flights.csv: ") ? 0 : 1;
    ASSERT_EQ(csv_outcome<coded>(text, options_of(64, 16)), expected);
    ASSERT_EQ(csv_outcome<coded>(text, {}), expected);
  }
  EXPECT_GT(good, 100);
  EXPECT_LT(good, 1400);
}

TEST(categories_of_json, are_the_texts) {
  std::mt19937 random(3);
  std::string text;
  for (int i = 0; i < 3000; ++i) {
    const char* const carriers[] = {"AA",       "",        "a carrier of more than eight bytes",
                                    "tab\\tin", "\\u00e9", "eightbyt"};
    const char* const planes[] = {"null", "\"N1\"", "\"\"", "\"N12345678\""};
    text += "{\"notes\": \"n" + std::to_string(random() % 2000) + "\", \"carrier\": \"" +
            carriers[random() % 6] + "\", \"plane\": " + planes[random() % 4] +
            ", \"delay\": " + std::to_string(random() % 100) + "}\n";
  }
  const auto expected = json_outcome<plain>(text);
  ASSERT_THAT(expected, ::testing::HasSubstr("tab\tin|"));
  EXPECT_EQ(json_outcome<coded>(text), expected);
  EXPECT_EQ(json_outcome<coded>(text, 3, 70), expected);
  text.replace(text.find("\"AA\""), 4, "12.5");
  EXPECT_THAT(json_outcome<coded>(text),
              ::testing::HasSubstr("\"carrier\": expected text, got 12.5"));
  EXPECT_EQ(json_outcome<coded>(text), json_outcome<plain>(text));
}

/// What a file has that records are written to.
template <typename Row>
std::string written(const std::vector<Row>& rows, const std::string& name) {
  const temporary_folder folder;
  test_memory memory;
  test_workers team(2);
  const auto path = folder.file(name);
  const auto writer = formats::format_of(name).create(path, detail::layout_of<Row>(), memory);
  writer->append(team, reinterpret_cast<const std::byte*>(rows.data()), std::ssize(rows));
  writer->close();
  return content_of(path);
}

TEST(categories, are_written_as_text) {
  const std::vector<plain> rows{{"AA", 5, "N1", ""},
                                {"with a \"quote\", and a comma", -3, std::nullopt, "a\nb"},
                                {"", 0, "", std::string_view("long enough for no small text")}};
  std::vector<coded> same;
  for (const auto& one : rows)
    same.push_back({one.carrier, one.delay,
                    one.plane ? std::optional(category(*one.plane)) : std::nullopt, one.notes});
  EXPECT_EQ(written(same, "a.csv"), written(rows, "a.csv"));
  EXPECT_EQ(written(same, "a.jsonl"), written(rows, "a.jsonl"));
  EXPECT_THAT(written(same, "a.csv"),
              ::testing::HasSubstr("\"with a \"\"quote\"\", and a comma\",-3,,"));
}

TEST(categories, have_no_place_in_files_of_numbers) {
  struct numbered {
    category carrier;
    std::int32_t delay;
  };
  const auto says = [](const std::string& name) {
    return message_of<usage_error>([&] { written(std::vector<numbered>{{"AA", 1}}, name); });
  };
  EXPECT_THAT(says("a.raw"), ::testing::HasSubstr("a.raw: expected fields that hold their values, "
                                                  "got a pappus::category, which points elsewhere; "
                                                  "use csv for text"));
  const std::string no_text =
      "a.npy: expected fields of fixed size, got a pappus::category; arrays have no text of "
      "varying length: use csv, or map it to a number";
  EXPECT_THAT(says("a.npy"), ::testing::EndsWith(no_text));
  formats::npy_header header;
  header.shape = {3};
  EXPECT_EQ(message_of<usage_error>(
                [&] { formats::match_npy("a.npy", header, detail::layout_of<numbered>()); }),
            no_text);
}

TEST(categories, of_all_columns_share_the_dictionary) {
  std::string text = "carrier,delay,plane,notes\n";
  const auto before = category::dictionary_size();
  for (int i = 0; i < 50'000; ++i)
    text += "category_files " + std::to_string(i % 7) + ",1,,category_files " + std::to_string(i) +
            "\n";
  ASSERT_NE(csv_outcome<coded>(text, {}, 4), "");
  EXPECT_EQ(category::dictionary_size() - before, 50'000);
}

// The limit is that of a process: another one runs the statement.
TEST(categories, for_which_the_dictionary_has_no_room_are_an_error_that_names_the_column) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  ::setenv("PAPPUS_CATEGORY_MEMORY", "64KiB", 1);
  EXPECT_EXIT(
      {
        std::string text = "carrier,delay,plane,notes\n";
        for (int i = 0; i < 5000; ++i) text += "AA,1,,note " + std::to_string(i) + "\n";
        std::cerr << csv_outcome<coded>(text, {});
        std::exit(0);
      },
      ::testing::ExitedWithCode(0),
      "^flights.csv: strings, column \"notes\": categories: the dictionary of this process may "
      "take 64 KiB, .* read columns of so many different texts as std::string_view");
  ::unsetenv("PAPPUS_CATEGORY_MEMORY");
}

}  // namespace
}  // namespace pappus::testing::category_files
