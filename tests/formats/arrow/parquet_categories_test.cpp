// Parquet files of text that are read into categories, and written from them.
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/arrow/arrow_support.h"
#include "pappus/category.h"

namespace pappus::testing::parquet_categories {
namespace {

template <typename Text>
struct flight {
  Text carrier;
  std::int32_t delay;
  std::optional<Text> plane;
  Text notes;
};
using coded = flight<category>;
using plain = flight<std::string_view>;

/// Few carriers, others from some row on; so many planes that writers give dictionaries up.
std::vector<std::string> texts_of(std::size_t rows) {
  std::vector<std::string> texts{""};
  for (std::size_t i = 0; i < rows; ++i) {
    texts.push_back("carrier " + std::to_string(i / (rows / 2 + 1) * 50 + i * 7 % 13));
    texts.push_back("plane " + std::to_string(i * 7919 % (rows + 1)) + std::string(i % 40, 'x'));
  }
  return texts;
}
std::vector<plain> flights_of(const std::vector<std::string>& texts) {
  std::vector<plain> rows;
  for (std::size_t i = 1; i + 1 < texts.size(); i += 2)
    rows.push_back({i % 11 == 0 ? std::string_view() : texts[i], static_cast<std::int32_t>(i),
                    i % 5 == 0 ? std::nullopt : std::optional<std::string_view>(texts[i + 1]),
                    texts[i + 1]});
  return rows;
}

std::string_view text_of(std::string_view text) { return text; }
std::string_view text_of(const category& text) { return text.text(); }

template <typename Text>
void expect_same(const std::vector<flight<Text>>& got, const std::vector<plain>& expected) {
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    ASSERT_EQ(text_of(got[i].carrier), expected[i].carrier) << i;
    ASSERT_EQ(got[i].delay, expected[i].delay) << i;
    ASSERT_EQ(got[i].plane.has_value(), expected[i].plane.has_value()) << i;
    if (got[i].plane) {
      ASSERT_EQ(text_of(*got[i].plane), *expected[i].plane) << i;
    }
    ASSERT_EQ(text_of(got[i].notes), expected[i].notes) << i;
  }
}

TEST(parquet_categories, are_the_texts_however_many_rows_are_asked_for) {
  PAPPUS_NEEDS_ARROW();
  const temporary_folder folder;
  test_memory memory;
  const auto texts = texts_of(120'000);
  const auto rows = flights_of(texts);
  write_parquet(folder.file("a.parquet"), rows, 2, memory);
  for (const unsigned threads : {1u, 4u})
    for (const std::int64_t capacity : {1'000'000, 7001}) {
      std::vector<std::shared_ptr<void>> kept;
      expect_same(read_parquet<coded>(folder.file("a.parquet"), threads, memory, kept, capacity),
                  rows);
      expect_same(read_parquet<plain>(folder.file("a.parquet"), threads, memory, kept, capacity),
                  rows);
    }
}

TEST(parquet_categories, of_dictionaries_of_several_groups) {
  PAPPUS_NEEDS_ARROW();
  const temporary_folder folder;
  test_memory memory(std::size_t{3} << 20);  // of little memory groups are short
  const auto texts = texts_of(60'000);
  const auto rows = flights_of(texts);
  write_parquet(folder.file("a.parquet"), rows, 1, memory, 900);
  std::vector<std::shared_ptr<void>> kept;
  test_memory enough;
  expect_same(read_parquet<coded>(folder.file("a.parquet"), 3, enough, kept), rows);
}

TEST(parquet_categories, are_written_as_text) {
  PAPPUS_NEEDS_ARROW();
  const temporary_folder folder;
  test_memory memory;
  const auto texts = texts_of(5000);
  const auto rows = flights_of(texts);
  std::vector<coded> same;
  for (const auto& one : rows)
    same.push_back({one.carrier, one.delay,
                    one.plane ? std::optional(category(*one.plane)) : std::nullopt, one.notes});
  write_parquet(folder.file("a.parquet"), same, 2, memory);
  write_parquet(folder.file("b.parquet"), rows, 2, memory);
  EXPECT_EQ(content_of(folder.file("a.parquet")), content_of(folder.file("b.parquet")));
}

TEST(parquet_categories, are_none_where_the_column_is_no_text_or_lacks_values) {
  PAPPUS_NEEDS_ARROW();
  const temporary_folder folder;
  test_memory memory;
  struct number {
    std::int32_t carrier;
  };
  struct text {
    category carrier;
  };
  struct text_or_none {
    std::optional<std::string_view> carrier;
  };
  write_parquet<number>(folder.file("a.parquet"), {{5}}, 1, memory);
  EXPECT_THAT(parquet_problem<text>(folder.file("a.parquet")),
              ::testing::HasSubstr(
                  "a.parquet: column \"carrier\": expected one that a pappus::category can have, "
                  "got int32; make the field a 32-bit integer"));
  write_parquet<text_or_none>(folder.file("b.parquet"), {{"x"}, {std::nullopt}}, 1, memory);
  EXPECT_THAT(parquet_problem<text>(folder.file("b.parquet")),
              ::testing::HasSubstr("row 2, column \"carrier\": expected a value, got none (null); "
                                   "make the field a std::optional"));
}

}  // namespace
}  // namespace pappus::testing::parquet_categories
