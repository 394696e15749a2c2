#include "formats/lines/lines_reader.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "formats/compressed_support.h"
#include "formats/support.h"

namespace pappus::testing {
namespace {

using formats::lines_reader;
using strings = std::vector<std::string>;

/// By the book.
strings expected_lines(std::string_view text) {
  strings lines;
  while (!text.empty()) {
    const auto end = text.find('\n');
    auto line = text.substr(0, end);
    if (end != text.npos && line.ends_with('\r')) line.remove_suffix(1);
    lines.emplace_back(line);
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
  return lines;
}

strings lines_of(std::string_view stored, unsigned threads = 2, std::size_t slab = 16 << 20,
                 std::size_t piece = 256 << 10, std::int64_t capacity = 1000) {
  test_memory memory;
  test_workers team(threads);
  lines_reader reader(source_of(stored, "x.log"), memory, slab, piece);
  strings lines;
  std::vector<std::string_view> part(static_cast<std::size_t>(capacity));
  for (;;) {
    const auto n = reader.read(team, reinterpret_cast<std::byte*>(part.data()), capacity);
    lines.insert(lines.end(), part.begin(), part.begin() + n);
    reader.take_strings();
    if (n < capacity) return lines;
  }
}

TEST(lines_reader, splits_at_newlines_and_keeps_all_other_bytes) {
  using namespace std::string_view_literals;
  EXPECT_EQ(lines_of(""), strings{});
  EXPECT_EQ(lines_of("\n"), strings{""});
  EXPECT_EQ(lines_of("a"), strings{"a"});
  EXPECT_EQ(lines_of("a\nb\r\n\r\n\nc"), (strings{"a", "b", "", "", "c"}));
  EXPECT_EQ(lines_of("a\rb\r\r\n\r"), (strings{"a\rb\r", "\r"}));
  EXPECT_EQ(lines_of("a\0b\n\0\xFF\xFE\n\"x\ny\""sv),
            (strings{std::string("a\0b", 3), std::string("\0\xFF\xFE", 3), "\"x", "y\""}));
}

TEST(lines_reader, gives_the_same_lines_at_any_slab_size_capacity_and_number_of_threads) {
  std::mt19937 random(7);
  for (int round = 0; round < 30; ++round) {
    std::string text(random() % 300, '\0');
    for (auto& c : text) c = "ab\n\r\n"[random() % (round % 2 == 0 ? 5 : 2)];
    const auto expected = expected_lines(text);
    for (const auto& stored : {text, gzipped(text), in_parts(zstd_of, text, 50)}) {
      if (stored.empty() && !text.empty()) continue;
      for (const std::size_t slab : {1, 2, 3, 7, 64, 1000})
        for (const std::size_t piece : {1, 3, 64})
          for (const unsigned threads : {1U, 3U})
            for (const std::int64_t capacity : {1, 2, 1000})
              ASSERT_EQ(lines_of(stored, threads, slab, piece, capacity), expected)
                  << "round " << round << " slab " << slab << " piece " << piece;
    }
  }
}

TEST(lines_reader, reads_large_files_and_long_lines) {
  auto text = noise(3'000'000);
  text += std::string(2'000'000, 'x') + "\nlast";
  const auto expected = expected_lines(text);
  for (const auto& stored :
       {text, gzipped(text), in_parts(gzipped, text, 100'000), zstd_of(text)}) {
    EXPECT_EQ(lines_of(stored, 3, 100'000, 10'000, 777), expected);
    EXPECT_EQ(lines_of(stored, 2, 16 << 20, 256 << 10, 1 << 20), expected);
  }
}

TEST(lines_reader, counts_lines_and_starts_over) {
  const auto text = noise(500'000);
  for (const auto& stored : {text, gzipped(text)}) {
    test_memory memory;
    test_workers team(2);
    lines_reader reader(source_of(stored), memory, 50'000, 5'000);
    EXPECT_EQ(reader.rows(), std::nullopt);
    EXPECT_EQ(reader.count(team), 5'000);
    std::vector<std::string_view> some(10);
    EXPECT_EQ(reader.read(team, reinterpret_cast<std::byte*>(some.data()), 10), 10);
    reader.rewind();
    EXPECT_EQ(read_all<std::string_view>(reader, team, 333).size(), 5'000U);
  }
}

TEST(lines_reader, keeps_the_lines_that_somebody_has_and_no_others) {
  const auto text = noise(1'000'000);
  test_memory memory;
  test_workers team(2);
  std::vector<std::string_view> some(100);
  std::shared_ptr<void> strings;
  {
    lines_reader reader(source_of(text), memory, 50'000, 5'000);
    const auto scratch = reader.scratch_bytes();
    ASSERT_EQ(reader.read(team, reinterpret_cast<std::byte*>(some.data()), 100), 100);
    EXPECT_GE(reader.string_bytes(), 10'000U);
    strings = reader.take_strings();
    EXPECT_EQ(reader.string_bytes(), 0U);
    std::vector<std::string_view> others(400);
    while (reader.read(team, reinterpret_cast<std::byte*>(others.data()), 400) > 0)
      reader.take_strings();
    EXPECT_LE(memory.peak_bytes(), 3 * 50'000U + scratch);
  }
  const auto expected = expected_lines(text);
  for (std::size_t i = 0; i < some.size(); ++i) EXPECT_EQ(some[i], expected[i]);
  EXPECT_GT(memory.used_bytes(), 0U);
  strings.reset();
  EXPECT_EQ(memory.used_bytes(), 0U);
}

TEST(lines_reader, ends_a_read_early_when_there_is_enough_text) {
  const auto text = noise(1'000'000);
  test_memory memory;
  test_workers team(2);
  lines_reader reader(source_of(text), memory, 50'000, 5'000);
  reader.limit_strings(60'000);
  std::vector<std::string_view> all(20'000);
  std::int64_t rows = 0;
  while (const auto n = reader.read(team, reinterpret_cast<std::byte*>(all.data()), 20'000)) {
    rows += n;
    EXPECT_LE(reader.string_bytes(), 60'000U + 50'000U);
    reader.take_strings();
  }
  EXPECT_EQ(rows, 10'000);
}

TEST(lines_reader, tells_what_is_wrong_with_a_file_after_the_lines_before_it) {
  const auto text = noise(2'000'000);
  const auto stored = gzipped(text);
  for (const std::size_t slab : {10'000U, 1U << 24}) {
    test_memory memory;
    test_workers team(2);
    lines_reader reader(
        source_of(std::string_view(stored).substr(0, stored.size() / 2), "x.log.gz"), memory, slab,
        5'000);
    std::vector<std::string_view> all(1000);
    std::int64_t rows = 0;
    const auto message = message_of<format_error>([&] {
      while (const auto n = reader.read(team, reinterpret_cast<std::byte*>(all.data()), 1000))
        rows += n;
    });
    EXPECT_EQ(message, "x.log.gz: gzip member at byte 0, at byte " +
                           std::to_string(stored.size() / 2) +
                           ": expected more of it, got the end of the file, which is truncated");
    EXPECT_GE(rows, 9'000);
  }
  test_memory little(100'000);
  test_workers team(2);
  const std::string line(300'000, 'x');
  lines_reader reader(source_of(line, "x.log"), little, 50'000, 5'000);
  std::string_view one;
  EXPECT_TRUE(message_of<memory_error>([&] {
                reader.read(team, reinterpret_cast<std::byte*>(&one), 1);
              }).starts_with("x.log: line 1: needs "));
}

}  // namespace
}  // namespace pappus::testing
