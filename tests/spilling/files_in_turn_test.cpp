// Files that are put behind one another stream as one: the rows of all, in order, whatever the
// memory, and text with them.
#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pappus/pappus.h"
#include "support/result_bytes.h"
#include "support/scaled_memory.h"
#include "support/spill_settings.h"

namespace pappus::files_in_turn {
namespace {

using ::testing::AllOf;
using testing::bytes_of;
using testing::bytes_of_value;
using ::testing::HasSubstr;
using testing::scaled_mib;

struct entry {
  std::int64_t key;
  double value;
};

/// Files of some rows each: raw, CSV, one without rows, and the rows of all of them.
struct some_files {
  const testing::spill_folder folder;
  const std::string first = folder.path() + ".1.raw", second = folder.path() + ".2.csv",
                    empty = folder.path() + ".3.csv", last = folder.path() + ".4.raw";
  std::vector<entry> all;

  explicit some_files(std::int64_t rows) {
    std::ofstream(empty) << "key,value\n";
    const auto add = [&](std::int64_t n, const std::string& path) {
      session s({.devices = "cpu"});
      const auto begin = all.size();
      for (std::int64_t i = 0; i < n; ++i) {
        const auto row = static_cast<std::int64_t>(all.size());
        all.push_back({row * 7'919 % (rows + 1), static_cast<double>(row * 37 % 1'001) / 3});
      }
      const auto own = s.borrow(std::span(all).subspan(begin));
      if (path.ends_with("csv"))
        own.write(path, column("key", &entry::key), column("value", &entry::value));
      else
        own.write(path);
    };
    all.reserve(static_cast<std::size_t>(2 * rows + 1'003));
    add(rows, first);
    add(rows / 2, second);
    add(1'003, last);
  }
  std::string result() const { return folder.path() + ".result.raw"; }

  session with(std::size_t memory, unsigned threads = 2) const {
    return session(settings(folder, memory, threads));
  }
  collection<entry> csv(session& in, const std::string& path) const {
    return in.csv<entry>(path, column("key", &entry::key), column("value", &entry::value));
  }
  collection<entry> in_turn(session& in) const {
    return in.raw<entry>(first).concat(csv(in, second), csv(in, empty), in.raw<entry>(last));
  }
};

/// What queries yield of the rows, where `n` is the number of those in the first file.
std::vector<std::vector<char>> programs(session& in, const collection<entry>& rows,
                                        const std::vector<entry>& others, std::int64_t n) {
  const auto odd = [](const entry& a) { return (a.key & 1) != 0; };
  const auto both = [](const entry& a, const entry& b) { return entry{a.key, a.value - b.value}; };
  const auto right = in.borrow(others);
  return {
      bytes_of(rows),
      bytes_of(rows.filter(odd)),
      bytes_of_value(rows.map(&entry::value).sum().get()),
      bytes_of_value(rows.count().get()),
      bytes_of(rows.take(n + 5)),
      bytes_of(rows.skip(n - 3).take(10)),
      bytes_of(rows.skip(n + 17)),
      bytes_of_value(std::int64_t{rows.any([&](const entry& a) { return a.key == n / 3; }).get()}),
      bytes_of(rows.enumerate().map(
          [](const indexed<entry>& a) { return entry{a.index, a.value.value}; })),
      bytes_of(rows.map(&entry::value).inclusive_scan()),
      bytes_of(rows.sort_by(&entry::value)),
      bytes_of(rows.group_by(&entry::key).sum(&entry::value)),
      bytes_of(rows.group_by(&entry::key).map_groups([](auto key, auto group) {
        return entry{key, group.front().value};
      })),
      bytes_of(rows.top(100, &entry::value)),
      bytes_of(rows.join(right, &entry::key, &entry::key, both)),
      bytes_of(right.join(rows, &entry::key, &entry::key, both)),
      bytes_of(rows.concat(right).filter(odd)),
      bytes_of(right.concat(rows, right).map(&entry::key))};
}

TEST(files_in_turn, have_the_rows_of_all_in_order) {
  for (const std::int64_t n : {0, 1, 4'097, 37'500}) {
    SCOPED_TRACE(n);
    const some_files files(n);
    std::vector<entry> others;
    for (std::int64_t i = 0; i < 625; ++i) others.push_back({i * 31, static_cast<double>(i)});
    auto large = files.with(2'048 * scaled_mib);
    const auto expected = programs(large, large.borrow(files.all), others, n);
    for (const std::size_t memory : {24 * scaled_mib, 2'048 * scaled_mib})
      for (const unsigned threads : {1u, 3u}) {
        SCOPED_TRACE(memory / scaled_mib);
        auto s = files.with(memory, threads);
        const auto found = programs(s, files.in_turn(s), others, n);
        for (std::size_t i = 0; i < expected.size(); ++i)
          EXPECT_TRUE(found[i] == expected[i]) << "program " << i;
      }
  }
}

TEST(files_in_turn, are_explained_and_take_no_more_memory_than_one) {
  const some_files files(187'500);
  auto s = files.with(12 * scaled_mib);
  const auto sum = files.in_turn(s).map(&entry::value).sum();
  EXPECT_THAT(sum.explain(), AllOf(HasSubstr("read files in turn"), HasSubstr("in windows")));
  double expected = 0;
  for (const auto& one : files.all) expected += one.value;
  EXPECT_NEAR(sum.get(), expected, 1e-6 * expected);
  EXPECT_THAT(sum.explain_analyze(), HasSubstr("streamed in"));
  files.in_turn(s).sort_by(&entry::key).write(files.result());
  EXPECT_EQ(std::filesystem::file_size(files.result()), files.all.size() * sizeof(entry));
}

TEST(files_in_turn, may_be_either_side_of_a_join_that_goes_to_the_disk) {
  const some_files files(31'250);
  std::vector<entry> sales;
  for (std::int64_t i = 0; i < 5'000; ++i) sales.push_back({i * 13, 0.5});
  auto s = files.with(12 * scaled_mib), large = files.with(2'048 * scaled_mib);
  const auto both = [](const entry& a, const entry& b) { return entry{a.key, a.value + b.value}; };
  const auto as_right = s.borrow(sales).join(files.in_turn(s), &entry::key, &entry::key, both);
  EXPECT_THAT(as_right.explain(), HasSubstr("to ask for right rows"));
  const auto same = large.borrow(files.all);
  EXPECT_TRUE(bytes_of(as_right) ==
              bytes_of(large.borrow(sales).join(same, &entry::key, &entry::key, both)));
  const auto as_both = files.in_turn(s).join(files.in_turn(s), &entry::key, &entry::key, both);
  EXPECT_THAT(as_both.explain(), HasSubstr("to ask for right rows"));
  EXPECT_TRUE(bytes_of(as_both) == bytes_of(same.join(same, &entry::key, &entry::key, both)));
}

TEST(files_in_turn, are_in_memory_where_somebody_needs_that) {
  const some_files files(2'500);
  auto s = files.with(64 * scaled_mib);
  const auto one = s.raw<entry>(files.first);
  const auto rows = files.in_turn(s);
  EXPECT_EQ(one.concat(one).count().get(), 5'000);
  EXPECT_EQ(rows.concat(rows.cache()).count().get(),
            2 * static_cast<std::int64_t>(files.all.size()));
  EXPECT_EQ(rows.zip(rows).count().get(), static_cast<std::int64_t>(files.all.size()));
  const auto [count, sum] = s.run(rows.count(), rows.map(&entry::key).sum());
  EXPECT_EQ(count, static_cast<std::int64_t>(files.all.size()));
  EXPECT_GT(sum, 0);
}

TEST(files_in_turn, are_named_in_errors) {
  const some_files files(1'000);
  const std::string bad = files.folder.path() + ".bad.csv";
  std::ofstream(bad) << "key,value\n1,2\nx,3\n";
  auto s = files.with(16 * scaled_mib);
  try {
    files.in_turn(s).concat(files.csv(s, bad)).sum(&entry::key).get();
    FAIL() << "no error";
  } catch (const format_error& e) {
    EXPECT_THAT(e.what(), AllOf(HasSubstr(".bad.csv"), HasSubstr("line 3")));
  }
  EXPECT_EQ(s.host_memory_used(), 0u);
  EXPECT_EQ(files.in_turn(s).count().get(), 2'503);
}

struct person {
  std::int64_t id;
  std::string_view name;
};

TEST(files_in_turn, have_their_text_with_them) {
  const testing::spill_folder folder;
  constexpr std::int64_t n = 5'000;
  const auto name_of = [](std::int64_t i) {
    return "name " + std::to_string(i * 31 % (2 * n)) +
           std::string(static_cast<std::size_t>(i % 200), 'n');
  };
  const std::array<std::string, 2> paths{folder.path() + ".1.csv", folder.path() + ".2.csv"};
  std::vector<std::string> expected;
  for (std::int64_t i = 0; i < 2; ++i) {
    std::ofstream file(paths[static_cast<std::size_t>(i)]);
    file << "id,name\n";
    for (auto k = i * n; k < (i + 1) * n; ++k) {
      file << k << ',' << name_of(k) << '\n';
      expected.push_back(name_of(k));
    }
  }
  std::ranges::sort(expected);
  for (const std::size_t memory : {12 * scaled_mib, 20 * scaled_mib, 1'024 * scaled_mib}) {
    session s(settings(folder, memory));
    const auto read = [&](const std::string& path) {
      return s.csv<person>(path, column("id", &person::id), column("name", &person::name));
    };
    const auto people = read(paths[0]).concat(read(paths[1]));
    std::size_t at = 0, wrong = 0;
    people.sort_by(&person::name).for_each_chunk([&](std::span<const person> chunk) {
      for (const auto& one : chunk) wrong += one.name != expected[at++];
    });
    EXPECT_EQ(at, expected.size());
    EXPECT_EQ(wrong, 0u);
    EXPECT_EQ(people.map([](const person& p) { return p.name.size(); }).max().get(), 208u);
  }
}

}  // namespace
}  // namespace pappus::files_in_turn
