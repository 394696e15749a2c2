// Records that are made of columns where they are read, beside those that read() puts together.
#include <algorithm>
#include <cstring>
#include <random>

#include "formats/arrow/arrow_support.h"
#include "formats/files_reader.h"

namespace pappus::testing {
namespace {

struct wide {
  std::int64_t number;
  std::optional<std::int32_t> some;
  double value;
  std::string_view text, few;
  std::optional<std::string_view> named;
  date day;
  timestamp at;
  bool flag;
  std::optional<bool> answer;
  category kind;
  std::optional<category> other;
};

std::vector<wide> wide_records(std::size_t n, const std::vector<std::string>& texts) {
  std::mt19937_64 random(n);
  std::vector<wide> records(n);
  for (auto& r : records) {
    const auto bits = random();
    r.number = static_cast<std::int64_t>(bits);
    if (bits % 3 != 0) r.some = static_cast<std::int32_t>(bits >> 20);
    r.value = static_cast<double>(bits >> 11) / 3;
    r.text = texts[bits % texts.size()];
    r.few = texts[bits % 3];
    if (bits % 7 != 0) r.named = texts[bits / 7 % texts.size()];
    r.day = {static_cast<std::int32_t>(bits % 30'000)};
    r.at = {static_cast<std::int64_t>(bits >> 12)};
    r.flag = bits % 2 == 1;
    if (bits % 5 != 0) r.answer = bits % 10 < 4;
    r.kind = category(r.few);
    if (bits % 11 != 0) r.other = category(r.text);
  }
  return records;
}

std::vector<std::string> numbered_texts(std::size_t n) {
  std::vector<std::string> texts{"", "b", "a somewhat longer text"};
  while (texts.size() < n) texts.push_back("text " + std::to_string(texts.size() * 7919));
  return texts;
}

/// What a reader's columns make of records [first, first + n), in memory that was zero.
std::vector<std::byte> made(const detail::record_maker& of, std::int64_t first, std::int64_t n) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(n) * sizeof(wide));
  of.make(first, n, bytes.data());
  return bytes;
}

bool same(const wide& a, const wide& b) {
  return a.number == b.number && a.some == b.some && a.value == b.value && a.text == b.text &&
         a.few == b.few && a.named == b.named && a.day == b.day && a.at == b.at &&
         a.flag == b.flag && a.answer == b.answer && a.kind == b.kind && a.other == b.other;
}

wide record_at(const std::vector<std::byte>& bytes, std::int64_t i) {
  wide one;
  std::memcpy(&one, bytes.data() + static_cast<std::size_t>(i) * sizeof one, sizeof one);
  return one;
}

/// Windows of both, of which one reader makes records, some at a time.
void expect_same(formats::reader& whole, formats::reader& by_column, unsigned threads,
                 std::int64_t window) {
  SCOPED_TRACE(std::to_string(threads) + " threads, windows of " + std::to_string(window));
  std::mt19937_64 random(7);
  test_workers team(threads);
  ASSERT_TRUE(by_column.has_columns());
  std::vector<std::byte> expected(static_cast<std::size_t>(window) * sizeof(wide));
  for (std::int64_t rows = window; rows == window;) {
    rows = whole.read(team, expected.data(), window);
    const auto found = by_column.read_columns(team, window);
    ASSERT_EQ(found.rows, rows);
    const auto strings = whole.take_strings(), others = by_column.take_strings();
    for (std::int64_t at = 0, some; at < rows; at += some) {
      some = std::min<std::int64_t>(rows - at, 1 + static_cast<std::int64_t>(random() % 5000));
      const auto bytes = made(*found.of, at, some);
      for (std::int64_t i = 0; i < some; ++i)
        ASSERT_TRUE(same(record_at(expected, at + i), record_at(bytes, i))) << "record " << at + i;
    }
  }
}

TEST(arrow_columns, make_the_records_that_are_read) {
  PAPPUS_NEEDS_ARROW();
  const temporary_folder folder;
  const auto layout = detail::layout_of<wide>();
  for (const std::size_t n : {0, 1, 1000, 70'001}) {
    SCOPED_TRACE(n);
    const auto texts = numbered_texts(n == 1000 ? 20 : 40'000);
    test_memory little(std::size_t{8} << 20), memory;  // several groups
    write_parquet(folder.file("a.parquet"), wide_records(n, texts), 2, little, 20'000);
    for (const unsigned threads : {1, 3})
      for (const std::int64_t window : {100'000, 9'001})
        expect_same(*formats::open_parquet(folder.file("a.parquet"), layout, memory),
                    *formats::open_parquet(folder.file("a.parquet"), layout, memory), threads,
                    window);
  }
}

TEST(arrow_columns, of_several_files_follow_one_another) {
  PAPPUS_NEEDS_ARROW();
  const temporary_folder folder;
  const auto layout = detail::layout_of<wide>();
  const auto texts = numbered_texts(500);
  test_memory memory;
  std::vector<formats::files_reader::file> files;
  for (const std::size_t n : {30'000, 0, 1, 25'000}) {
    const auto path = folder.file(std::to_string(n) + ".parquet");
    write_parquet(path, wide_records(n, texts), 2, memory);
    files.push_back({[&, path] { return formats::open_parquet(path, layout, memory); }, 1e9});
  }
  for (const unsigned threads : {1, 3})
    for (const std::int64_t window : {100'000, 9'001}) {
      formats::files_reader whole(files, std::nullopt, {}, memory);
      formats::files_reader by_column(files, std::nullopt, {}, memory);
      expect_same(whole, by_column, threads, window);
    }
  for (auto& one : files) one.bytes = 1000;
  EXPECT_FALSE(formats::files_reader(files, std::nullopt, {}, memory).has_columns());
  using by_column = formats::files_reader::by_column;
  for (const unsigned threads : {1, 3})
    for (const std::int64_t window : {100'000, 30'000, 9'001}) {
      formats::files_reader whole(files, std::nullopt, {}, memory);
      formats::files_reader side_by_side(files, std::nullopt, {}, memory, by_column::always);
      expect_same(whole, side_by_side, threads, window);
    }
  for (auto& one : files) one.bytes = 1e9;
  EXPECT_FALSE(
      formats::files_reader(files, std::nullopt, {}, memory, by_column::never).has_columns());
}

struct narrow {
  std::int8_t number;
  std::int64_t other;
};
struct number {
  std::int64_t number;
  std::optional<std::int64_t> other;
};

/// The first in the file's order is told, before any record is made.
TEST(arrow_columns, refuse_what_fields_can_not_have) {
  PAPPUS_NEEDS_ARROW();
  const temporary_folder folder;
  test_memory memory;
  std::vector<number> records(50'000, {100, 5});
  records[40'123].number = 128;
  records[30'001].other.reset();
  write_parquet(folder.file("a.parquet"), records, 2, memory);
  const auto problem = [&](unsigned threads) {
    return message_of<format_error>([&] {
      test_workers team(threads);
      formats::open_parquet(folder.file("a.parquet"), detail::layout_of<narrow>(), memory)
          ->read_columns(team, 1'000'000);
    });
  };
  const auto expected = parquet_problem<narrow>(folder.file("a.parquet"));
  EXPECT_NE(expected.find("row 30002, column \"other\""), std::string::npos) << expected;
  for (const unsigned threads : {1, 2, 3}) EXPECT_EQ(problem(threads), expected);
}

}  // namespace
}  // namespace pappus::testing
