// Records that are written to a file for each key.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pappus/pappus.h"
#include "support/spill_folder.h"

namespace pappus::split_files {
namespace {

using ::testing::HasSubstr;

struct trip {
  std::string_view carrier;
  int delay;
  date day;
};

std::vector<trip> trips(int n) {
  static const std::string_view carriers[] = {"AA", "B6", "a b", "é"};
  std::vector<trip> rows;
  for (int i = 0; i < n; ++i)
    rows.push_back({carriers[i * 7 % 11 % 4], i, date::of(2024, 1, 1) + i % 3});
  return rows;
}

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}
std::set<std::string> files_in(const std::string& folder) {
  std::set<std::string> names;
  for (const auto& one : std::filesystem::directory_iterator(folder))
    names.insert(one.path().filename().string());
  return names;
}
template <typename Error, typename F>
std::string message_of(F&& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

TEST(split_files, have_the_records_of_their_keys_in_order) {
  const testing::spill_folder folder;
  const auto rows = trips(20'001);
  std::map<std::string, std::string> expected;
  for (const auto& one : rows) {
    auto& text = expected[std::string(one.carrier) + ".csv"];
    if (text.empty()) text = "carrier,delay,day\n";
    text += std::string(one.carrier) + "," + std::to_string(one.delay) + ",2024-01-0" +
            std::to_string(one.day.day()) + "\n";
  }
  for (const auto& how : {options{.threads = 1, .chunk_rows = 100}, options{.threads = 3},
                          options{.threads = 2, .host_memory = std::size_t{24} << 20}}) {
    session s(how);
    const auto path = folder.path() + "/out" + std::to_string(how.threads);
    s.from(rows).write_by(&trip::carrier, path + "/{}.csv");
    std::set<std::string> names;
    for (const auto& [name, text] : expected) {
      names.insert(name);
      EXPECT_EQ(text_of(path + "/" + name), text) << how.threads;
    }
    EXPECT_EQ(files_in(path), names);
  }
}

TEST(split_files, are_named_by_numbers_dates_and_what_functions_make) {
  const testing::spill_folder folder;
  session s(options{.threads = 2});
  const auto rows = s.from(trips(100));
  rows.write_by(&trip::day, folder.path() + "/days/{}/trips.csv", column("delay", &trip::delay));
  EXPECT_EQ(files_in(folder.path() + "/days"),
            (std::set<std::string>{"2024-01-01", "2024-01-02", "2024-01-03"}));
  EXPECT_THAT(text_of(folder.path() + "/days/2024-01-02/trips.csv"), HasSubstr("delay\n1\n4\n"));
  rows.filter([](const trip& t) { return t.delay < 4; })
      .map(&trip::delay)
      .write_by([](int delay) { return delay - 2; }, folder.path() + "/delays/d{}.npy");
  EXPECT_EQ(files_in(folder.path() + "/delays"),
            (std::set<std::string>{"d-2.npy", "d-1.npy", "d0.npy", "d1.npy"}));
  EXPECT_EQ(s.npy<int>(folder.path() + "/delays/d-1.npy").sum().get(), 1);
  rows.write_by([](const trip& t) { return t.delay % 2 == 0; }, folder.path() + "/even/{}.csv");
  EXPECT_EQ(files_in(folder.path() + "/even"), (std::set<std::string>{"false.csv", "true.csv"}));
}

TEST(split_files, have_what_is_put_behind_their_records) {
  const testing::spill_folder folder;
  const auto rows = trips(20'000);
  session s(options{.threads = 3, .chunk_rows = 700});
  const auto all = s.from(rows);
  for (const char* const suffix : {".csv", ".jsonl", ".npy", ".csv.zst"}) {
    SCOPED_TRACE(suffix);
    const auto whole = folder.path() + "/whole{}" + suffix,
               parts = folder.path() + "/parts{}" + suffix;
    const auto day_of = [](const trip& t) { return t.day; };
    const auto written = [&](const auto& records, const std::string& to, bool behind) {
      if (std::string_view(suffix) == ".npy") {
        const auto numbers = records.map([](const trip& t) { return pair{t.day, t.delay}; });
        const auto key = [](const pair<date, int>& p) { return p.first; };
        return behind ? numbers.append_by(key, to) : numbers.write_by(key, to);
      }
      return behind ? records.append_by(day_of, to) : records.write_by(day_of, to);
    };
    written(all, whole, false);
    written(all.filter([](const trip& t) { return t.delay == 1; }), parts, true);
    written(
        all.filter([](const trip& t) { return t.delay == 0 || (t.delay > 1 && t.delay < 900); }),
        parts, true);
    written(all.filter([](const trip& t) { return t.delay < 0; }), parts, true);
    written(all.filter([](const trip& t) { return t.delay >= 900; }), parts, true);
    for (const int day : {1, 2, 3}) {
      const auto name = "2024-01-0" + std::to_string(day) + suffix;
      if (!name.ends_with(".zst")) {
        EXPECT_TRUE(text_of(folder.path() + "/parts" + name) ==
                    text_of(folder.path() + "/whole" + name))
            << day;
      } else {
        EXPECT_TRUE(std::ranges::equal(
            s.csv<trip>(folder.path() + "/parts" + name).map(&trip::delay).collect(),
            s.csv<trip>(folder.path() + "/whole" + name).map(&trip::delay).collect()));
      }
    }
  }
}

TEST(split_files, grow_when_all_records_are_known_or_stay_as_they_are) {
  const testing::spill_folder folder;
  session s(options{.threads = 2});
  const auto rows = s.from(trips(1'000));
  const auto pattern = folder.path() + "/{}.csv";
  rows.write_by(&trip::carrier, pattern, column("delay", &trip::delay));
  const auto before = text_of(folder.path() + "/AA.csv");
  const auto files = files_in(folder.path());
  const auto unchanged = [&] {
    EXPECT_EQ(text_of(folder.path() + "/AA.csv"), before);
    EXPECT_EQ(files_in(folder.path()), files);
  };
  EXPECT_THAT(message_of<format_error>([&] { rows.append_by(&trip::carrier, pattern); }),
              HasSubstr(".csv: expected a file with the columns \"carrier\", \"delay\", \"day\""));
  unchanged();
  EXPECT_THAT(message_of<usage_error>([&] { rows.append_by(&trip::delay, pattern); }),
              HasSubstr("append_by: expected 500 different keys at most"));
  unchanged();
  EXPECT_THROW(rows.append_by(
                   [](const trip& t) {
                     if (t.delay == 900) throw std::runtime_error("no key");
                     return t.carrier;
                   },
                   pattern, column("delay", &trip::delay)),
               std::runtime_error);
  unchanged();
  struct late {
    int delay;
  };
  const auto path = folder.path() + "/AA.csv";
  EXPECT_EQ(
      message_of<usage_error>([&] {
        s.csv<late>(path, column("delay", &late::delay))
            .append_by([](const late&) { return std::string_view("AA"); }, pattern,
                       column("delay", &late::delay));
      }),
      path +
          ": expected a file that the query doesn't read, as it would grow by what is read of "
          "it, got one that it reads; write another file");
  unchanged();
  EXPECT_THAT(message_of<usage_error>(
                  [&] { rows.append_by(&trip::carrier, folder.path() + "/{}.parquet"); }),
              HasSubstr("key.parquet: expected a file that can grow"));
  EXPECT_THAT(message_of<usage_error>([&] { rows.append_by(&trip::carrier, "a.csv"); }),
              HasSubstr("append_by: expected a pattern with {} once"));
  unchanged();
}

TEST(split_files, are_none_of_no_records) {
  const testing::spill_folder folder;
  std::filesystem::create_directories(folder.path());
  session s;
  s.from(trips(0)).write_by(&trip::carrier, folder.path() + "/{}.csv");
  EXPECT_TRUE(folder.empty());
}

TEST(split_files, appear_all_or_not_at_all) {
  const testing::spill_folder folder;
  session s(options{.threads = 2});
  const auto rows = s.from(trips(10'000));
  const auto pattern = folder.path() + "/{}.csv";
  std::filesystem::create_directories(folder.path());
  EXPECT_THAT(message_of<usage_error>([&] { rows.write_by(&trip::delay, pattern); }),
              HasSubstr("write_by: expected 500 different keys at most, as each has a file, got "));
  EXPECT_THAT(
      message_of<usage_error>([&] {
        rows.write_by(
            [](const trip& t) { return t.delay == 9'999 ? std::string_view("../x") : t.carrier; },
            pattern);
      }),
      HasSubstr("expected keys that can be part of a file's name, got \"../x\""));
  const std::string longest(220 - 4, 'x'), longer(255, 'x');
  EXPECT_THAT(message_of<usage_error>([&] {
                rows.write_by(
                    [&](const trip& t) -> std::string_view {
                      return t.delay == 9'999 ? longer : t.carrier;
                    },
                    pattern);
              }),
              HasSubstr("write_by: expected keys of 216 bytes at most, as names of files have no "
                        "room for more, got one of 255: \"xxx"));
  EXPECT_TRUE(folder.empty());
  rows.write_by([&](const trip&) -> std::string_view { return longest; }, pattern);
  EXPECT_EQ(files_in(folder.path()), (std::set<std::string>{longest + ".csv"}));
  std::filesystem::remove(folder.path() + "/" + longest + ".csv");
  EXPECT_THROW(rows.write_by(
                   [](const trip& t) -> int {
                     if (t.delay == 5'000) throw std::runtime_error("no key");
                     return t.delay % 2;
                   },
                   pattern),
               std::runtime_error);
  EXPECT_TRUE(folder.empty());
}

TEST(split_files, need_a_pattern_with_a_place_for_the_key) {
  session s;
  const auto rows = s.from(trips(3));
  for (const std::string bad : {"flights.csv", "{}/{}.csv", ""})
    EXPECT_THAT(message_of<usage_error>([&] { rows.write_by(&trip::carrier, bad); }),
                HasSubstr("expected a pattern with {} once"));
  EXPECT_THAT(message_of<usage_error>([&] { rows.write_by(&trip::carrier, "{}.xyz"); }),
              HasSubstr("expected a name that ends in one of"));
}

}  // namespace
}  // namespace pappus::split_files
