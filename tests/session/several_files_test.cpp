// Text files, compressed or not, one or several: queries see the same rows.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/compressed_support.h"
#include "pappus/pappus.h"
#include "support/result_bytes.h"
#include "support/scaled_memory.h"
#include "support/spill_settings.h"

namespace pappus::several_files {
namespace {

using testing::bytes_of;
using testing::bytes_of_value;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::scaled_mib;

struct trip {
  std::string_view carrier;
  std::int64_t delay;
};

/// Trips in five files of all kinds, and in one.
struct some_files {
  const testing::spill_folder folder;
  std::string all_text = "carrier,delay\n";

  explicit some_files(int rows) {
    std::filesystem::create_directories(in(""));
    std::string text;
    const auto begin = [&](bool swapped) {
      text = swapped ? "delay,carrier\n" : "carrier,delay\n";
    };
    for (int file = 0; file < 5; ++file) {
      begin(file % 2 == 1);
      for (int i = file == 2 ? rows : 0; i < rows; ++i) {  // the third has none
        const auto delay = std::to_string((i * 7'919 + file) % 10'007);
        const auto carrier = "carrier " + std::to_string(i * 31 % 997);
        text += file % 2 == 1 ? delay + ",\"" + carrier + "\"\r\n" : carrier + "," + delay + "\n";
        all_text += carrier + "," + delay + "\n";
      }
      const std::string stored = file == 1   ? testing::gzipped(text)
                                 : file == 3 ? testing::in_parts(testing::zstd_of, text, 50'000)
                                             : text;
      write("trips-" + std::to_string(file) + ".csv", stored);
    }
    write("all.csv", all_text);
    write("all.csv.gz", testing::gzipped(all_text));
    write("all.csv.zst", testing::in_parts(testing::zstd_of, all_text, 200'000));
  }
  some_files(const some_files&) = delete;
  ~some_files() { std::filesystem::remove_all(in("")); }

  std::string in(const std::string& name) const { return folder.path() + ".files/" + name; }
  void write(const std::string& name, std::string_view bytes) const {
    std::ofstream(in(name), std::ios::binary) << bytes;
  }
};

/// What queries yield of the rows.
std::vector<std::vector<char>> programs(const collection<trip>& rows) {
  const auto text = [](const auto& records) {
    std::vector<char> bytes;
    for (const trip& t : records) {
      bytes.insert(bytes.end(), t.carrier.begin(), t.carrier.end());
      const auto delay = std::to_string(t.delay);
      bytes.insert(bytes.end(), delay.begin(), delay.end());
    }
    return bytes;
  };
  std::vector<std::vector<char>> results;
  results.push_back(text(rows.collect()));
  results.push_back(bytes_of_value(rows.count().get()));
  results.push_back(bytes_of_value(rows.sum(&trip::delay).get()));
  results.push_back(text(rows.sort_by(&trip::delay).collect()));
  results.push_back(text(rows.take(1'000).collect()));
  std::vector<char> groups;
  for (const auto& [carrier, sum] : rows.group_by(&trip::carrier).sum(&trip::delay).collect()) {
    groups.insert(groups.end(), carrier.begin(), carrier.end());
    const auto value = std::to_string(sum);
    groups.insert(groups.end(), value.begin(), value.end());
  }
  results.push_back(std::move(groups));
  return results;
}

TEST(several_files, have_the_rows_of_one_whatever_they_are_and_however_they_are_named) {
  const some_files files(3'000);
  session plain({.threads = 1, .devices = "cpu"});
  const auto expected = programs(plain.csv<trip>(files.in("all.csv")));
  std::vector<std::string> list;
  for (int i = 0; i < 5; ++i) list.push_back(files.in("trips-" + std::to_string(i) + ".csv"));
  for (const unsigned threads : {1U, 2U, 3U}) {
    session s({.threads = threads, .chunk_rows = threads == 2 ? 100 : 0, .devices = "cpu"});
    EXPECT_EQ(programs(s.csv<trip>(files.in("trips-*.csv"))), expected);
    EXPECT_EQ(programs(s.csv<trip>(files.in("trips-[0-4].csv"), column("delay", &trip::delay),
                                   column("carrier", &trip::carrier))),
              expected);
    EXPECT_EQ(programs(s.csv<trip>(list)), expected);
    EXPECT_EQ(programs(s.read<trip>(list)), expected);
    EXPECT_EQ(programs(s.csv<trip>({files.in("trips-[01].csv"), list[2], files.in("trips-[34]*")})),
              expected);
    EXPECT_EQ(programs(s.csv<trip>(std::filesystem::path(files.in("all.csv.gz")))), expected);
    EXPECT_EQ(programs(s.read<trip>(files.in("all.csv.zst"))), expected);
  }
}

class several_files_in_little_memory : public testing::scaled_test {};

TEST_F(several_files_in_little_memory, stream) {
  const some_files files(30'000);
  session plain({.threads = 2, .devices = "cpu"});
  const auto expected = programs(plain.csv<trip>(files.in("all.csv")));
  for (const unsigned threads : {1U, 3U})
    for (const char* name : {"trips-*.csv", threads == 1 ? "all.csv.gz" : "all.csv.zst"}) {
      session s(testing::settings(files.folder, 16 * scaled_mib, threads));
      const auto rows = s.csv<trip>(files.in(name));
      EXPECT_EQ(bytes_of_value(rows.count().get()), expected[1]) << name;
      EXPECT_EQ(bytes_of_value(rows.sum(&trip::delay).get()), expected[2]) << name;
      const auto path = files.in("sorted.csv");
      rows.sort_by(&trip::delay).write(path);
      session other({.devices = "cpu"});
      EXPECT_EQ(programs(other.csv<trip>(path))[0], expected[3]) << name;
      EXPECT_EQ(
          s.lines(files.in(name)).filter([](auto line) { return !line.empty(); }).count().get(),
          std::string_view(name).starts_with("all") ? 120'001 : 120'005);
      EXPECT_LE(s.host_memory_peak(), 16 * scaled_mib);
      EXPECT_EQ(s.host_memory_used(), 0U);
    }
}

TEST(several_files, are_read_right_or_an_error_says_which_failed_on_bad_disks) {
  const some_files files(20'000);
  int good = 0, failed = 0;
  for (int seed = 1; seed <= 12; ++seed) {
    const auto faults =
        "faulty:seed=" + std::to_string(seed) + "+short=0.2" + (seed % 2 == 0 ? "+eio=0.03" : "");
    ::setenv("PAPPUS_IO", faults.c_str(), 1);
    try {
      session s({.threads = 2, .devices = "cpu"});
      EXPECT_EQ(s.csv<trip>(files.in("trips-*.csv")).count().get(), 80'000);
      EXPECT_EQ(s.lines(files.in("all.csv.gz")).count().get(), 80'001);
      ++good;
    } catch (const format_error& e) {
      EXPECT_THAT(e.what(), HasSubstr("reading failed"));
      EXPECT_THAT(e.what(), HasSubstr(files.in("")));
      ++failed;
    }
    ::unsetenv("PAPPUS_IO");
  }
  EXPECT_GE(good, 6);
  EXPECT_GT(failed, 0);
}

template <typename F>
std::string message(const some_files& files, F&& f) {
  try {
    f();
  } catch (const error& e) {
    std::string text = e.what();
    for (auto at = text.find(files.in("")); at != text.npos; at = text.find(files.in("")))
      text.erase(at, files.in("").size());
    return text;
  }
  return "nothing was thrown";
}

TEST(several_files, are_named_in_what_is_wrong_with_them) {
  const some_files files(10);
  session s({.devices = "cpu"});
  files.write("trips-3.csv", testing::gzipped("carrier,late\nKL,3\n"));
  EXPECT_EQ(message(files, [&] { s.csv<trip>(files.in("trips-*.csv")); }),
            "trips-3.csv: expected a column \"delay\", got the columns \"carrier\", \"late\"");
  files.write("trips-3.csv", testing::gzipped("carrier,delay\nKL,3\nKL,x\n"));
  const auto rows = s.csv<trip>(files.in("trips-*.csv"));
  EXPECT_EQ(message(files, [&] { rows.sum(&trip::delay).get(); }),
            "trips-3.csv: row 2 (line 3), column \"delay\": expected a 64-bit integer, got \"x\"");
  EXPECT_EQ(message(files, [&] { s.csv<trip>({files.in("trips-0.csv"), files.in("gone.csv")}); }),
            "gone.csv: can't be opened: No such file or directory");
  EXPECT_THAT(message(files, [&] { s.lines(files.in("*.log")); }),
              HasSubstr("*.log: expected files that match \"*.log\" in the folder \""));
  EXPECT_EQ(message(files, [&] { s.read<trip>(files.in("trips-*")).collect(); }),
            "trips-3.csv: row 2 (line 3), column \"delay\": expected a 64-bit integer, got \"x\"");
  EXPECT_EQ(message(files, [&] { s.raw<trip>(std::vector<std::string>{}); }),
            "expected the paths of files, got an empty list");
}

TEST(several_files, of_other_formats_are_put_behind_one_another_too) {
  const some_files files(0);
  session s({.threads = 2, .devices = "cpu"});
  s.range(0, 10).write(files.in("a.npy"));
  s.range(10, 15).write(files.in("b.npy"));
  s.range(0, 3).write(files.in("c.raw"));
  EXPECT_EQ(s.npy<int>(files.in("?.npy")).sum().get(), 105);
  EXPECT_EQ(s.npy<int>({files.in("b.npy"), files.in("a.npy")}).collect()[0], 10);
  EXPECT_EQ(s.raw<int>({files.in("c.raw"), files.in("c.raw")}).count().get(), 6);
  EXPECT_EQ(s.read<int>({files.in("a.npy"), files.in("c.raw")}).sum().get(), 48);
  EXPECT_THAT(s.npy<int>(files.in("?.npy")).sort_by([](int x) { return -x; }).explain(),
              HasSubstr("?.npy (2 files)"));
}

TEST(lines, are_strings_of_one_file_or_several) {
  const some_files files(0);
  files.write("a.log", "b\n\na");
  files.write("b.log.gz", testing::gzipped("c\r\nd\n"));
  files.write("c.log", "");
  session s({.threads = 2, .devices = "cpu"});
  EXPECT_THAT(s.lines(files.in("a.log")).collect(), ElementsAre("b", "", "a"));
  EXPECT_THAT(s.lines(files.in("*.log*")).collect(), ElementsAre("b", "", "a", "c", "d"));
  EXPECT_THAT(s.lines({files.in("b.log.gz"), files.in("a.log")}).collect(),
              ElementsAre("c", "d", "b", "", "a"));
  EXPECT_THAT(s.lines(files.in("*.log*")).sort_by([](std::string_view x) { return x; }).collect(),
              ElementsAre("", "a", "b", "c", "d"));
}

}  // namespace
}  // namespace pappus::several_files
