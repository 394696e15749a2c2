#include "formats/files_reader.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/compressed_support.h"
#include "formats/csv/csv_reader.h"
#include "formats/lines/lines_reader.h"
#include "formats/support.h"

namespace pappus::testing {
namespace {

using formats::files_reader;
using strings = std::vector<std::string>;

/// Texts as files "0", "1", ..., whose lines are read.
struct texts {
  strings stored;
  std::vector<files_reader::file> files;

  /// \param bytes  that each is taken for
  texts(strings all, detail::memory_source& memory, double bytes) : stored(std::move(all)) {
    for (std::size_t i = 0; i < stored.size(); ++i)
      files.push_back({[this, i, &memory]() -> std::unique_ptr<formats::reader> {
                         return std::make_unique<formats::lines_reader>(
                             source_of(stored[i], std::to_string(i)), memory, 4'000, 500);
                       },
                       bytes});
  }
  texts(const texts&) = delete;
};

strings lines_of(formats::reader& reader, detail::workers& team, std::int64_t capacity) {
  strings lines;
  std::vector<std::string_view> part(static_cast<std::size_t>(capacity));
  for (;;) {
    const auto n = reader.read(team, reinterpret_cast<std::byte*>(part.data()), capacity);
    lines.insert(lines.end(), part.begin(), part.begin() + n);
    reader.take_strings();
    if (n < capacity) return lines;
  }
}

/// Files of many sizes, some without lines, and all of their lines.
std::pair<strings, strings> some_files(int count) {
  strings files, lines;
  for (int i = 0; i < count; ++i) {
    std::string text;
    for (int line = 0; line < i * 37 % 500 * (i % 9 == 0 ? 20 : 1); ++line) {
      lines.push_back(std::to_string(i) + " " + std::to_string(line));
      text += lines.back() + "\n";
    }
    files.push_back(i % 3 == 0 ? text : i % 3 == 1 ? gzipped(text) : zstd_of(text));
  }
  return {files, lines};
}

TEST(files_reader, hands_out_the_records_of_all_files_in_their_order) {
  for (const int count : {1, 2, 3, 40}) {
    const auto [files, expected] = some_files(count);
    for (const unsigned threads : {1U, 2U, 5U})
      for (const double bytes : {0.0, 1e5, 1e12})  // right, about; too large to be read ahead
        for (const std::int64_t capacity : {1, 3, 1'000, 1'000'000}) {
          test_memory memory(std::size_t{32} << 20);
          test_workers team(threads);
          {
            const texts all(files, memory, bytes);
            files_reader reader(all.files, std::nullopt, {}, memory);
            ASSERT_EQ(lines_of(reader, team, capacity), expected) << count << " " << threads;
            std::int64_t stored = 0;
            for (const auto& one : files) stored += std::ssize(one);
            EXPECT_GE(reader.bytes_read(), stored);
            EXPECT_LE(reader.bytes_read(), stored + 4 * std::ssize(files)) << "magic bytes";
            EXPECT_EQ(reader.count(team), std::ssize(expected));
            std::string_view line;
            EXPECT_EQ(reader.read(team, reinterpret_cast<std::byte*>(&line), 1),
                      expected.empty() ? 0 : 1);
            reader.rewind();
            EXPECT_EQ(lines_of(reader, team, 777), expected);
          }
          EXPECT_EQ(memory.used_bytes(), 0U);
        }
  }
}

TEST(files_reader, reads_files_on_that_are_larger_than_they_were_taken_for) {
  strings files, expected;
  for (int i = 0; i < 12; ++i) {
    std::string text;
    for (int line = 0; line < 60'000; ++line) {
      expected.push_back(std::to_string(line) + " of " + std::to_string(i));
      text += expected.back() + "\n";
    }
    files.push_back(i % 2 == 0 ? text : gzipped(text));
  }
  test_memory memory(std::size_t{24} << 20);
  test_workers team(4);
  const texts all(files, memory, 1'000);
  files_reader reader(all.files, std::nullopt, {}, memory);
  EXPECT_EQ(lines_of(reader, team, 5'000), expected);
  EXPECT_LT(memory.peak_bytes(), std::size_t{16} << 20);
}

TEST(files_reader, ends_a_read_early_when_there_is_enough_text) {
  const auto [files, expected] = some_files(40);
  test_memory memory;
  test_workers team(3);
  const texts all(files, memory, 1e5);
  files_reader reader(all.files, std::nullopt, {}, memory);
  reader.limit_strings(20'000);
  std::vector<std::string_view> part(100'000);
  strings lines;
  int reads = 0;
  while (const auto n = reader.read(team, reinterpret_cast<std::byte*>(part.data()), 100'000)) {
    lines.insert(lines.end(), part.begin(), part.begin() + n);
    EXPECT_LT(reader.string_bytes(), 1'000'000U);
    reader.take_strings();
    EXPECT_EQ(reader.string_bytes(), 0U);
    ++reads;
  }
  EXPECT_EQ(lines, expected);
  EXPECT_GT(reads, 5);
}

TEST(files_reader, tells_what_is_wrong_with_a_file_when_its_turn_comes) {
  auto [files, lines] = some_files(20);
  files[13].resize(files[13].size() - 5);
  for (const unsigned threads : {1U, 4U}) {
    test_memory memory;
    test_workers team(threads);
    const texts all(files, memory, 1e5);
    files_reader reader(all.files, std::nullopt, {}, memory);
    std::string_view line;
    std::size_t rows = 0;
    const auto message = message_of<format_error>([&] {
      for (; reader.read(team, reinterpret_cast<std::byte*>(&line), 1) == 1; ++rows)
        ASSERT_EQ(line, lines[rows]);
    });
    EXPECT_TRUE(message.starts_with("13: gzip member at byte 0, ")) << message;
    EXPECT_TRUE(lines[rows - 1].starts_with("13 ") || lines[rows - 1].starts_with("12 "));
  }
}

TEST(files_reader, gives_back_what_it_read_ahead_where_a_file_before_needs_the_memory) {
  const strings files(7, "one\ntwo\n");
  strings expected;
  for (std::size_t i = 0; i < files.size(); ++i) expected.insert(expected.end(), {"one", "two"});
  test_memory memory(std::size_t{1} << 20);
  test_workers team(4);
  texts all(files, memory, 1);
  // The first of four that are read ahead: 256 KiB of records each, where there are any.
  int opened = 0;
  all.files[3].open = [&, open = all.files[3].open] {
    if (++opened == 1) throw memory_error("there is none while others are read ahead");
    const detail::buffer needed(memory, std::size_t{600} << 10, "the file before");
    return open();
  };
  files_reader reader(all.files, std::nullopt, {}, memory);
  EXPECT_EQ(lines_of(reader, team, 100), expected);
  EXPECT_EQ(opened, 2);
}

TEST(files_reader, does_without_what_it_can_not_read_ahead_and_stops_when_it_is_cancelled) {
  const auto [files, expected] = some_files(30);
  test_memory memory(std::size_t{1} << 20);
  test_workers team(4);
  const texts all(files, memory, 1);
  files_reader reader(all.files, std::nullopt, {}, memory);
  EXPECT_EQ(lines_of(reader, team, 100), expected);
  reader.rewind();
  team.cancel();
  EXPECT_THROW(lines_of(reader, team, 100), cancelled);
}

}  // namespace
}  // namespace pappus::testing
