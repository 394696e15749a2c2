// Records that are put behind those of a file.
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "formats/file_end.h"
#include "formats/support.h"
#include "pappus/pappus.h"

namespace pappus::append {
namespace {

using testing::content_of;
using testing::create_file;
using testing::message_of;
using testing::temporary_folder;

struct visit {
  std::int64_t id;
  std::string_view place;
  bool operator==(const visit&) const = default;
};

session cpu() { return session({.threads = 2, .devices = "cpu"}); }

/// Whether a file has these records and no others.
bool has(session& s, const std::string& file, const std::vector<visit>& expected) {
  return std::ranges::equal(s.read<visit>(file).collect(), expected);
}

/// Files of a folder, hidden and unfinished ones, too.
std::size_t files_in(const temporary_folder& folder) {
  std::size_t n = 0;
  for ([[maybe_unused]] const auto& one : std::filesystem::directory_iterator(folder.file(""))) ++n;
  return n;
}

TEST(append_to, puts_records_behind_those_of_a_file) {
  const temporary_folder folder;
  auto s = cpu();
  for (const char* name : {"a.csv", "a.tsv", "a.jsonl", "a.ndjson", "a.csv.gz", "a.csv.zst",
                           "a.tsv.gz", "a.jsonl.gz", "a.jsonl.zst"}) {
    SCOPED_TRACE(name);
    const auto file = folder.file(name);
    std::vector<visit> expected;
    for (int part = 0; part < 4; ++part) {
      std::vector<visit> some;
      for (int i = 0; i < part * 3'000; ++i) some.push_back({part * 10'000 + i, "Delft, NL"});
      s.from(some).append_to(file);
      expected.insert(expected.end(), some.begin(), some.end());
      EXPECT_TRUE(has(s, file, expected));
    }
  }
  EXPECT_EQ(files_in(folder), 9U);
}

TEST(append_to, writes_what_write_does) {
  const temporary_folder folder;
  auto s = cpu();
  const auto rows = s.range(0, 20'000).map([](int i) { return pair{std::int64_t{i}, i / 4.0}; });
  for (const char* name : {"a.csv", "a.tsv", "a.jsonl", "a.npy", "a.raw"}) {
    SCOPED_TRACE(name);
    rows.write(folder.file(std::string("whole_") + name));
    rows.filter([](const auto& p) { return p.first < 7'000; }).append_to(folder.file(name));
    rows.filter([](const auto& p) { return p.first >= 7'000; }).append_to(folder.file(name));
    EXPECT_TRUE(content_of(folder.file(name)) ==
                content_of(folder.file(std::string("whole_") + name)));
  }
}

TEST(append_to, gives_an_empty_file_a_header) {
  const temporary_folder folder;
  auto s = cpu();
  create_file(folder.file("a.csv"), "");
  s.from({visit{1, "x"}}).append_to(folder.file("a.csv"));
  EXPECT_EQ(content_of(folder.file("a.csv")), "id,place\n1,x\n");
  create_file(folder.file("b.csv.gz"), "");
  s.from({visit{1, "x"}}).append_to(folder.file("b.csv.gz"));
  EXPECT_EQ(s.csv<visit>(folder.file("b.csv.gz")).count().get(), 1);
}

TEST(append_to, ends_the_last_line) {
  const temporary_folder folder;
  auto s = cpu();
  create_file(folder.file("a.csv"), "id,place\n1,x");
  create_file(folder.file("b.csv"), "id,place");
  create_file(folder.file("c.csv"), "\xEF\xBB\xBFid,place\r\n1,x\r\n");
  create_file(folder.file("d.jsonl"), "{\"id\": 1, \"place\": \"x\"}");
  for (const char* name : {"a.csv", "b.csv", "c.csv", "d.jsonl"})
    s.from({visit{2, "y"}}).append_to(folder.file(name));
  EXPECT_EQ(content_of(folder.file("a.csv")), "id,place\n1,x\n2,y\n");
  EXPECT_EQ(content_of(folder.file("b.csv")), "id,place\n2,y\n");
  EXPECT_EQ(content_of(folder.file("c.csv")), "\xEF\xBB\xBFid,place\r\n1,x\r\n2,y\n");
  EXPECT_EQ(content_of(folder.file("d.jsonl")),
            "{\"id\": 1, \"place\": \"x\"}\n{\"id\":2,\"place\":\"y\"}\n");
  for (const char* name : {"a.csv", "c.csv", "d.jsonl"})
    EXPECT_TRUE(has(s, folder.file(name), {{1, "x"}, {2, "y"}})) << name;
}

TEST(append_to, ends_the_last_line_of_compressed_text) {
  const temporary_folder folder;
  auto s = cpu();
  for (const auto& [name, by] : {std::pair{"a.csv.gz", formats::compression::gzip},
                                 std::pair{"b.csv.zst", formats::compression::zstd}}) {
    create_file(folder.file(name), formats::packed("id,place\n1,x", by));
    for (const int i : {2, 3}) s.from({visit{i, "y"}}).append_to(folder.file(name));
    EXPECT_TRUE(has(s, folder.file(name), {{1, "x"}, {2, "y"}, {3, "y"}})) << name;
  }
}

template <typename F>
std::string refused(const temporary_folder& folder, const std::string& name, F&& append) {
  const auto file = folder.file(name);
  const auto before = content_of(file);
  const auto files = files_in(folder);
  const auto problem = message_of<error>([&] { append(file); });
  EXPECT_EQ(content_of(file), before);
  EXPECT_EQ(files_in(folder), files);
  EXPECT_TRUE(problem.starts_with(file + ": ")) << problem;
  return problem.substr(std::min(file.size() + 2, problem.size()));
}

TEST(append_to, refuses_a_file_with_other_columns) {
  const temporary_folder folder;
  auto s = cpu();
  const auto one = [&](const std::string& file) { s.from({visit{1, "x"}}).append_to(file); };
  const auto with = [&](const std::string& name, const std::string& content) {
    create_file(folder.file(name), content);
    return refused(folder, name, one);
  };
  const std::string expected =
      "expected a file with the columns \"id\", \"place\", which are to be added to, got ";
  const std::string remedy = "; give columns in the file's order";
  EXPECT_EQ(with("a.csv", "place,id\nx,1\n"), expected + "\"place\", \"id\"" + remedy);
  EXPECT_EQ(with("a.csv", "id,place,at\n1,x,3\n"), expected + "\"id\", \"place\", \"at\"" + remedy);
  EXPECT_EQ(with("a.csv", "id\n1\n"), expected + "\"id\"" + remedy);
  EXPECT_EQ(with("a.csv", "id;place\n1;x\n"), expected + "\"id;place\"" + remedy);
  create_file(folder.file("a.csv"), "place,id\nx,1\n");
  s.from({visit{2, "y"}})
      .append_to(folder.file("a.csv"), column("place", &visit::place), column("id", &visit::id));
  EXPECT_EQ(content_of(folder.file("a.csv")), "place,id\nx,1\ny,2\n");
  create_file(folder.file("b.csv"), "1;x\n");
  const csv_options bare{.delimiter = ';', .header = false};
  s.from({visit{2, "y"}}).append_to(folder.file("b.csv"), bare);
  EXPECT_EQ(content_of(folder.file("b.csv")), "1;x\n2;y\n");
}

TEST(append_to, refuses_files_that_would_be_spoilt) {
  const temporary_folder folder;
  auto s = cpu();
  const auto one = [&](const std::string& file) { s.from({visit{1, "x"}}).append_to(file); };
  create_file(folder.file("a.csv"), "id,place\n1,x\n\n");
  EXPECT_EQ(refused(folder, "a.csv", one),
            "expected a file whose last line is a row, got blank lines at its end, which would "
            "stand among rows; remove them");
  create_file(folder.file("b.csv.gz"), "id,place\n1,x\n");
  EXPECT_EQ(refused(folder, "b.csv.gz", one), "expected gzip, as its name says, got plain text");
  create_file(folder.file("c.raw"), std::string(17, 'x'));
  EXPECT_EQ(
      refused(folder, "c.raw", [&](const std::string& file) { s.range(0, 9).append_to(file); }),
      "expected a multiple of the record's 4 bytes, got 17 bytes; the file is cut off or holds "
      "other records");
  for (const char* suffix : {".parquet", ".arrow", ".feather"}) {
    const auto name = std::string("d") + suffix;
    create_file(folder.file(name), "");
    EXPECT_EQ(
        refused(folder, name, [&](const std::string& file) { s.range(0, 9).append_to(file); }),
        "expected a file that can grow (.csv, .tsv, .jsonl, .ndjson, .npy, .raw), got a " +
            std::string(suffix + 1) +
            " file, which tells in one place what all of it holds; write a file of its own "
            "for each part, such as " +
            folder.file("d-2") + suffix + ", and read them together: s.read<T>(\"" +
            folder.file("d-*") + suffix + "\")");
  }
}

TEST(append_to, refuses_a_file_that_the_query_reads) {
  const temporary_folder folder;
  auto s = cpu();
  s.from({visit{1, "x"}, visit{2, "y"}}).write(folder.file("a.csv"));
  std::filesystem::create_symlink(folder.file("a.csv"), folder.file("b.csv"));
  const std::string expected =
      "expected a file that the query doesn't read, as it would grow by what is read of it, got "
      "one that it reads; write another file";
  const auto read = s.csv<visit>(folder.file("*.csv"));
  const auto other = s.from({visit{2, "y"}});
  EXPECT_EQ(refused(folder, "a.csv", [&](const std::string& file) { read.append_to(file); }),
            expected);
  EXPECT_EQ(refused(folder, "b.csv",
                    [&](const std::string& file) {
                      s.csv<visit>(folder.file("a.csv"))
                          .sort_by(&visit::place)
                          .filter([](const visit& v) { return v.id > 0; })
                          .append_to(file);
                    }),
            expected);
  EXPECT_EQ(refused(folder, "a.csv",
                    [&](const std::string& file) {
                      other.semi_join(read, &visit::id, &visit::id).append_to(file);
                    }),
            expected);
  read.append_to(folder.file("c.csv"));
  EXPECT_EQ(s.csv<visit>(folder.file("c.csv")).count().get(), 4);
}

TEST(append_to, leaves_the_file_as_it_was_where_the_query_fails) {
  const temporary_folder folder;
  auto s = cpu();
  s.from({visit{1, "x"}}).write(folder.file("a.csv"));
  const auto before = content_of(folder.file("a.csv"));
  const auto failing = s.range(0, 300'000).map([](int i) {
    if (i == 299'999) throw std::runtime_error("no");
    return visit{i, "y"};
  });
  EXPECT_THROW(failing.append_to(folder.file("a.csv")), std::runtime_error);
  EXPECT_THROW(failing.append_to(folder.file("b.csv")), std::runtime_error);
  EXPECT_EQ(content_of(folder.file("a.csv")), before);
  EXPECT_EQ(files_in(folder), 1U);
}

/// Visits, the first of which does something when it is computed.
template <typename F>
auto visits_that(session& s, F f) {
  return s.range(0, 3).map([f](int i) {
    if (i == 0) f();
    return visit{i, "y"};
  });
}

TEST(append_to, sees_what_others_did_while_the_query_ran) {
  const temporary_folder folder;
  auto s = cpu();
  const auto file = folder.file("a.csv");
  const std::string theirs = "id,place\n7,theirs";
  const auto write = [&] { create_file(file, theirs); };
  EXPECT_EQ(message_of<format_error>([&] { visits_that(s, write).append_to(file); }),
            file + ": can't be put in place: File exists");
  EXPECT_EQ(content_of(file), theirs);
  create_file(file, "");
  EXPECT_EQ(message_of<format_error>([&] { visits_that(s, write).append_to(file); }),
            file + ": was empty, and was written to by another meanwhile; run the query again");
  EXPECT_EQ(content_of(file), theirs);
  create_file(file, "id,place\n");
  visits_that(s, write).append_to(file);
  EXPECT_EQ(content_of(file), theirs + "\n0,y\n1,y\n2,y\n");
  // Who takes the file's place is added to.
  visits_that(s, [&] {
    create_file(folder.file("b.csv"), "id,place\n8,new\n");
    std::filesystem::rename(folder.file("b.csv"), file);
  }).append_to(file);
  EXPECT_EQ(content_of(file), "id,place\n8,new\n0,y\n1,y\n2,y\n");
  EXPECT_EQ(files_in(folder), 1U);
}

TEST(append_to, refuses_a_file_that_cannot_be_written_before_the_query_runs) {
  const temporary_folder folder;
  if (::geteuid() == 0) GTEST_SKIP() << "root may write everything";
  auto s = cpu();
  create_file(folder.file("a.csv"), "id,place\n");
  std::filesystem::permissions(folder.file("a.csv"), std::filesystem::perms::owner_read);
  bool ran = false;
  EXPECT_EQ(message_of<format_error>(
                [&] { visits_that(s, [&] { ran = true; }).append_to(folder.file("a.csv")); }),
            folder.file("a.csv") + ": can't be added to: Permission denied");
  EXPECT_FALSE(ran);
}

/// In a process of its own, whose files can't be larger than 64 KiB: while records are gathered
/// there is room, and behind those of the file there isn't.
void append_too_much() {
  const temporary_folder folder;
  create_file(folder.file("a.raw"), std::string(40 << 10, 'x'));
  const rlimit most{std::size_t{64} << 10, std::size_t{64} << 10};
  std::signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &most);
  session s({.threads = 1, .devices = "cpu"});
  try {
    s.range(0, 10'000).append_to(folder.file("a.raw"));
  } catch (const format_error& problem) {
    std::cerr << problem.what() << '\n';
  }
  std::cerr << std::filesystem::file_size(folder.file("a.raw")) << '\n';
}

TEST(append_to, takes_back_what_it_wrote_where_the_disk_is_full) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT((append_too_much(), std::exit(0)), ::testing::ExitedWithCode(0),
              "a.raw: writing failed: [^\n]*\n40960\n");
}

// As processes do, which open the file for themselves, too.
TEST(append_to, keeps_the_records_of_several_writers_together) {
  const temporary_folder folder;
  constexpr int writers = 4, times = 5, rows = 2'000;
  create_file(folder.file("a.csv"), "first,second\n");
  std::vector<std::thread> threads;
  for (int writer = 0; writer < writers; ++writer)
    threads.emplace_back([&, writer] {
      session s({.threads = 1, .devices = "cpu"});
      for (int time = 0; time < times; ++time)
        s.range(0, rows)
            .map([=](int i) { return pair{writer * times + time, i}; })
            .append_to(folder.file("a.csv"));
    });
  for (auto& thread : threads) thread.join();
  auto s = cpu();
  const auto all = s.csv<pair<int, int>>(folder.file("a.csv")).collect();
  ASSERT_EQ(all.size(), std::size_t{writers} * times * rows);
  for (std::size_t i = 0; i < all.size(); ++i) {
    ASSERT_EQ(all[i].second, static_cast<int>(i % rows)) << i;
    ASSERT_EQ(all[i].first, all[i - i % rows].first) << i;
  }
}

}  // namespace
}  // namespace pappus::append
