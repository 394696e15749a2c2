// Parquet files as sources and targets of queries: the rows of CSV files that say the same, in much
// memory or little.
#include <sys/resource.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/arrow/arrow_support.h"
#include "pappus/pappus.h"
#include "session/column_files.h"
#include "support/scaled_memory.h"
#include "support/spill_settings.h"

namespace pappus::column_files {
namespace {

using ::testing::HasSubstr;
using testing::scaled_mib;

TEST(parquet_files, have_the_rows_of_others_however_they_are_named) {
  PAPPUS_NEEDS_ARROW();
  const some_files files(3'000);
  session plain({.threads = 1, .devices = "cpu"});
  const auto expected = programs(plain.csv<ride>(files.in("rides.csv")), files);
  std::vector<std::string> list;
  for (int i = 0; i < 3; ++i) list.push_back(files.in("rides-" + std::to_string(i) + ".parquet"));
  for (const unsigned threads : {1U, 2U, 3U}) {
    session s({.threads = threads, .chunk_rows = threads == 2 ? 100 : 0, .devices = "cpu"});
    EXPECT_EQ(programs(s.parquet<ride>(files.in("rides-*.parquet")), files), expected);
    EXPECT_EQ(programs(s.read<ride>(list), files), expected);
    EXPECT_EQ(
        programs(s.parquet<ride>(list, column("day", &ride::day), column("price", &ride::price),
                                 column("place", &ride::place), column("number", &ride::number)),
                 files),
        expected);
  }
}

class parquet_files_in_little_memory : public testing::scaled_test {};

TEST_F(parquet_files_in_little_memory, stream) {
  PAPPUS_NEEDS_ARROW();
  const some_files files(60'000);
  session plain({.threads = 2, .devices = "cpu"});
  const auto expected = programs(plain.csv<ride>(files.in("rides.csv")), files);
  for (const unsigned threads : {1U, 3U}) {
    session s(testing::settings(files.folder, 64 * scaled_mib, threads));
    const auto rows = s.parquet<ride>(files.in("rides-*.parquet"));
    EXPECT_EQ(programs(rows, files), expected);
    rows.sort_by(&ride::place).write(files.in("sorted.parquet"));
    plain.csv<ride>(files.in("rides.csv")).sort_by(&ride::place).write(files.in("a.csv"));
    s.parquet<ride>(files.in("sorted.parquet")).write(files.in("b.csv"));
    EXPECT_TRUE(files.content("a.csv") == files.content("b.csv"));
  }
}

struct noted {
  std::string_view note;
  std::int64_t number, other;
};

/// A sort that gets more text in a window than it has room for takes parts of the window.
TEST_F(parquet_files_in_little_memory, are_sorted_behind_a_filter) {
  PAPPUS_NEEDS_ARROW();
  const testing::temporary_folder folder;
  std::vector<std::string> notes;
  for (std::int64_t i = 0; i < 200'000; ++i)
    notes.push_back("so much text that windows are few rows: " + std::to_string(i * 7'919));
  std::vector<noted> all;
  for (std::int64_t i = 0; i < 200'000; ++i)
    all.push_back({notes[static_cast<std::size_t>(i)], i * 7'919 % 10'007, i});
  testing::test_memory memory(std::size_t{16} << 20);
  testing::write_parquet(folder.file("a.parquet"), all, 2, memory);
  const auto query = [](const auto& rows) {
    return rows.filter([](const noted& n) { return n.other != 5; })
        .sort_by(&noted::number)
        .map(&noted::other)
        .sum()
        .get();
  };
  session plain({.threads = 2, .devices = "cpu"});
  const auto expected = query(plain.borrow(all));
  for (const std::size_t mib : {40, 48, 64, 96}) {
    session s({.threads = 2, .host_memory = mib * scaled_mib, .devices = "cpu"});
    EXPECT_EQ(query(s.parquet<noted>(folder.file("a.parquet"))), expected) << mib << " MiB";
  }
}

TEST(parquet_files, tell_which_of_them_is_unlike_what_was_asked_for) {
  PAPPUS_NEEDS_ARROW();
  const some_files files(10);
  session s({.threads = 2, .devices = "cpu"});
  s.range(0, 5).map([](int i) { return pair{i, i}; }).write(files.in("rides-3.parquet"));
  EXPECT_EQ(testing::message_of<format_error>(
                [&] { s.parquet<ride>(files.in("rides-*.parquet")).count().get(); }),
            files.in("rides-3.parquet") +
                ": expected a column \"number\", got the columns \"first\", \"second\"");
}

TEST(parquet_files, appear_when_they_are_complete) {
  PAPPUS_NEEDS_ARROW();
  const some_files files(10);
  session s({.threads = 2, .devices = "cpu"});
  const auto before = files.content("rides-0.parquet");
  EXPECT_THROW(s.range(0, 100'000)
                   .map([](int i) {
                     if (i == 99'999) throw std::runtime_error("no");
                     return pair{i, i};
                   })
                   .write(files.in("rides-0.parquet")),
               std::runtime_error);
  EXPECT_TRUE(files.content("rides-0.parquet") == before);
  EXPECT_THAT(
      testing::message_of<usage_error>([&] { s.range(0, 3).write(files.in("x.parquet.gz")); }),
      HasSubstr("others can't be compressed by gzip"));
}

struct numbered {
  std::int64_t number;
};

/// In a process of its own, whose files can't be larger than 64 KiB: the second one is.
void write_files_that_are_too_large() {
  const testing::temporary_folder folder;
  const rlimit most{std::size_t{64} << 10, std::size_t{64} << 10};
  std::signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &most);
  session s({.threads = 1, .devices = "cpu"});
  const auto rows = s.range(0, 100'000).map([](int i) {
    return numbered{static_cast<std::int64_t>(i * 0x9E37'79B9'7F4A'7C15u)};
  });
  try {
    rows.write_by([](const numbered& n) { return n.number != 0; }, folder.file("{}.parquet"));
  } catch (const format_error& problem) {
    std::cerr << problem.what() << '\n';
  }
  std::cerr << "empty: " << std::filesystem::is_empty(folder.file("")) << '\n';
}

TEST(parquet_files, of_write_by_appear_when_the_last_is_complete) {
  PAPPUS_NEEDS_ARROW();
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT((write_files_that_are_too_large(), std::exit(0)), ::testing::ExitedWithCode(0),
              "true.parquet: writing failed: [^\n]*\nempty: 1\n");
}

/// In a process of its own, whose library for Parquet files is another.
void refuse_parquet(const char* library) {
  const testing::temporary_folder folder;
  testing::create_file(folder.file("x.parquet"), "");
  setenv("PAPPUS_ARROW_LIBRARY", library, 1);
  session s({.threads = 1, .devices = "cpu"});
  try {
    s.parquet<ride>(folder.file("x.parquet"));
  } catch (const format_error& problem) {
    std::cerr << problem.what() << '\n';
  }
}

TEST(parquet_files, say_what_is_missing_where_there_is_no_arrow) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      (refuse_parquet("/nonexistent.so"), std::exit(0)), ::testing::ExitedWithCode(0),
      "x.parquet: expected libpappus-arrow.so, which reads and writes Parquet and Arrow files, got "
      "none .*/nonexistent.so.*; [pP]");
  EXPECT_EXIT(
      (refuse_parquet("libm.so.6"), std::exit(0)), ::testing::ExitedWithCode(0),
      "x.parquet: expected a libpappus-arrow.so of this version of Pappus, got another one, "
      "libm.so.6, without the function pappus_arrow_library_5; build both together");
}

}  // namespace
}  // namespace pappus::column_files
