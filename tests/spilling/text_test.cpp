// CSV files with text, larger than memory: their text goes with the windows, to the disk with the
// rows of sorts, and into the results that need it.
#include <algorithm>
#include <cstdint>
#include <fstream>
#include <functional>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pappus/pappus.h"
#include "support/bad_disks.h"
#include "support/scaled_memory.h"
#include "support/spill_settings.h"

namespace pappus::spilled_text {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::scaled_mib;
using testing::spill_folder;

constexpr std::int64_t file_rows = 18'750;

struct person {
  std::int64_t id;
  std::string_view name, city;
  double income;
};

std::int64_t id_of(std::int64_t row) { return row * 7'919 % file_rows; }
std::string name_of(std::int64_t row) {
  if (row % 97 == 0) return {};
  std::string name = "name " + std::to_string(row * 31 % 5'003);
  name.append(static_cast<std::size_t>(row % 60), static_cast<char>('a' + row % 26));
  return row % 5'000 == 0 ? std::string(20'000, 'l') + name : name;
}
std::string city_of(std::int64_t row) { return "city number " + std::to_string(row * row % 23); }
double income_of(std::int64_t row) { return static_cast<double>(row % 1'000) / 7; }

/// A folder to spill to, and beside it 1.6 MiB of CSV.
struct a_disk {
  spill_folder folder;
  std::string path = folder.path() + ".csv", result = folder.path() + ".result.csv";
  a_disk() {
    std::ofstream file(path);
    file.precision(17);
    file << "id,name,city,income\n";
    for (std::int64_t i = 0; i < file_rows; ++i)
      file << id_of(i) << ",\"" << name_of(i) << "\"," << city_of(i) << ',' << income_of(i) << "\n";
  }
  auto people(session& in) const {
    return in.csv<person>(path, column("id", &person::id), column("name", &person::name),
                          column("city", &person::city), column("income", &person::income));
  }
};

/// The rows by id: they are numbered from 0.
std::vector<std::int64_t> rows_by_id() {
  std::vector<std::int64_t> rows(file_rows);
  for (std::int64_t i = 0; i < file_rows; ++i) rows[static_cast<std::size_t>(id_of(i))] = i;
  return rows;
}

bool is_row(const person& one, std::int64_t row) {
  return one.id == id_of(row) && one.name == name_of(row) && one.city == city_of(row) &&
         one.income == income_of(row);
}

/// Whether the rows of a query are the given ones of the file.
::testing::AssertionResult are_rows(const collection<person>& found,
                                    const std::vector<std::int64_t>& expected) {
  std::size_t seen = 0, wrong = expected.size();
  found.for_each_chunk([&](std::span<const person> chunk) {
    for (const auto& one : chunk) {
      if (seen >= expected.size() || (wrong == expected.size() && !is_row(one, expected[seen])))
        wrong = std::min(wrong, seen);
      ++seen;
    }
  });
  if (seen == expected.size() && wrong == expected.size()) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure()
         << seen << " rows of " << expected.size() << ", first wrong one: " << wrong;
}

std::vector<std::int64_t> rows_by_name_and_city() {
  std::vector<std::tuple<std::string, std::string, std::int64_t>> all;
  for (std::int64_t i = 0; i < file_rows; ++i) all.emplace_back(name_of(i), city_of(i), i);
  std::ranges::sort(all);
  std::vector<std::int64_t> rows;
  for (const auto& one : all) rows.push_back(std::get<2>(one));
  return rows;
}

TEST(spilled_text, is_sorted_by_numbers_whatever_the_memory) {
  const a_disk disk;
  const auto expected = rows_by_id();
  unsigned threads = 0;
  for (const std::size_t memory :
       {14 * scaled_mib, 17 * scaled_mib, 24 * scaled_mib, 200 * scaled_mib}) {
    SCOPED_TRACE(memory);
    session s(settings(disk.folder, memory, 1 + threads++ % 3));
    const auto sorted = disk.people(s).sort_by(&person::id);
    EXPECT_TRUE(are_rows(sorted, expected));
    EXPECT_EQ(s.host_memory_used(), 0u);
    EXPECT_LE(s.host_memory_peak(), s.host_memory());
  }
}

TEST(spilled_text, is_sorted_by_itself_whatever_the_memory) {
  const a_disk disk;
  const auto expected = rows_by_name_and_city();
  for (const std::size_t memory : {14 * scaled_mib, 17 * scaled_mib, 200 * scaled_mib}) {
    SCOPED_TRACE(memory);
    session s(settings(disk.folder, memory));
    const auto sorted = disk.people(s).sort_by(&person::name, &person::city);
    EXPECT_TRUE(are_rows(sorted, expected));
    EXPECT_EQ(s.host_memory_used(), 0u);
  }
}

TEST(spilled_text, of_what_is_dropped_goes_behind_a_sort) {
  const a_disk disk;
  session s(settings(disk.folder, 10 * scaled_mib, 1));
  const auto rows = disk.people(s)
                        .sort_by(&person::id)
                        .filter([](const person& one) { return one.id % 125 == 0; })
                        .collect();
  EXPECT_LT(s.host_memory_used(), 3 * scaled_mib);
  const auto expected = rows_by_id();
  ASSERT_EQ(rows.size(), static_cast<std::size_t>(file_rows / 125));
  for (std::size_t i = 0; i < rows.size(); ++i) EXPECT_TRUE(is_row(rows[i], expected[i * 125]));
}

TEST(spilled_text, goes_where_groups_have_none) {
  const a_disk disk;
  session s(settings(disk.folder, 12 * scaled_mib));
  const auto longest =
      disk.people(s)
          .map([](const person& one) {
            return pair{one.id / 3, static_cast<std::int64_t>(one.name.size())};
          })
          .group_by([](const pair<std::int64_t, std::int64_t>& one) { return one.first; })
          .map_groups([](std::int64_t, std::span<const pair<std::int64_t, std::int64_t>> group) {
            return std::ranges::max(group, {}, &pair<std::int64_t, std::int64_t>::second).second;
          });
  EXPECT_EQ(longest.count(), file_rows / 3);
}

TEST(spilled_text, is_explained) {
  const a_disk disk;
  session s(settings(disk.folder, 14 * scaled_mib));
  const auto sorted = disk.people(s).sort_by(&person::id);
  EXPECT_THAT(sorted.count().explain_analyze(),
              AllOf(HasSubstr("runs, put together in"), HasSubstr("spill file: ")));
  EXPECT_EQ(sorted.count().get(), file_rows);
}

TEST(spilled_text, is_written_and_read_again) {
  const a_disk disk;
  session s(settings(disk.folder, 14 * scaled_mib));
  disk.people(s)
      .sort_by(&person::id)
      .write(disk.result, column("id", &person::id), column("name", &person::name),
             column("city", &person::city), column("income", &person::income));
  const auto again =
      s.csv<person>(disk.result, column("id", &person::id), column("name", &person::name),
                    column("city", &person::city), column("income", &person::income));
  EXPECT_TRUE(are_rows(again, rows_by_id()));
}

TEST(spilled_text, is_sorted_after_other_operators_and_before) {
  const a_disk disk;
  session s(settings(disk.folder, 14 * scaled_mib));
  struct part {
    std::string_view end;
    std::int64_t id;
  };
  const auto ends = disk.people(s)
                        .filter([](const person& p) { return p.name.size() > 5; })
                        .map([](const person& p) { return part{p.name.substr(5), p.id}; })
                        .sort_by(&part::id)
                        .filter([](const part& p) { return p.id % 3 == 0; })
                        .sort_by(descending(&part::id));
  std::vector<std::pair<std::int64_t, std::string>> expected;
  for (std::int64_t i = 0; i < file_rows; ++i)
    if (const auto name = name_of(i); name.size() > 5 && id_of(i) % 3 == 0)
      expected.emplace_back(id_of(i), name.substr(5));
  std::ranges::sort(expected, std::greater<>());
  std::size_t seen = 0;
  bool good = true;
  ends.for_each_chunk([&](std::span<const part> chunk) {
    for (const auto& one : chunk) {
      good = good && seen < expected.size() && one.id == expected[seen].first &&
             one.end == expected[seen].second;
      ++seen;
    }
  });
  EXPECT_TRUE(good);
  EXPECT_EQ(seen, expected.size());
  EXPECT_EQ(s.host_memory_used(), 0u);
}

TEST(spilled_text, stays_with_what_is_collected) {
  const a_disk disk;
  session s(settings(disk.folder, 15 * scaled_mib));
  const auto rows = rows_by_id();
  const auto few = disk.people(s)
                       .sort_by(&person::id)
                       .filter([](const person& p) { return p.id % 125 == 0; })
                       .collect();
  ASSERT_EQ(few.size(), static_cast<std::size_t>(file_rows / 125));
  const auto unsorted =
      disk.people(s).filter([](const person& p) { return p.id % 125 == 0; }).collect();
  ASSERT_EQ(unsorted.size(), few.size());
  disk.people(s).count().get();  // other text comes to where theirs might have been
  for (std::size_t i = 0; i < few.size(); ++i) ASSERT_TRUE(is_row(few[i], rows[i * 125])) << i;
  std::int64_t row = -1;
  for (const auto& one : unsorted) {
    do ++row;
    while (id_of(row) % 125 != 0);
    ASSERT_TRUE(is_row(one, row));
  }
}

TEST(spilled_text, is_grouped_by_without_being_in_memory) {
  const a_disk disk;
  std::map<std::string, std::pair<std::int64_t, double>> by_city;
  std::map<std::string, std::int64_t> by_name;
  for (std::int64_t i = 0; i < file_rows; ++i) {
    auto& [count, income] = by_city[city_of(i)];
    ++count, income += income_of(i);
    ++by_name[name_of(i)];
  }
  session s(settings(disk.folder, 24 * scaled_mib));
  const auto cities = disk.people(s).group_by(&person::city).sum(&person::income).collect();
  ASSERT_EQ(cities.size(), by_city.size());
  auto city = by_city.begin();
  for (const auto& one : cities) {
    EXPECT_EQ(one.key, city->first);
    EXPECT_NEAR(one.value, city->second.second, 1e-6);
    ++city;
  }
  session large(settings(disk.folder, 200 * scaled_mib));
  const auto names = disk.people(large).group_by(&person::name).count().collect();
  ASSERT_EQ(names.size(), by_name.size());
  auto name = by_name.begin();
  for (const auto& one : names) {
    EXPECT_EQ(one.key, name->first);
    EXPECT_EQ(one.value, (name++)->second);
  }
  EXPECT_EQ(disk.people(large).map(&person::name).distinct().count().get(),
            static_cast<std::int64_t>(by_name.size()));
}

TEST(spilled_text, is_kept_by_states_that_point_to_it) {
  const a_disk disk;
  session s(settings(disk.folder, 64 * scaled_mib));
  std::string least = name_of(1), most;
  std::map<std::int64_t, std::string> by_rest;
  for (std::int64_t i = 0; i < file_rows; ++i) {
    most = std::max(most, name_of(i));
    least = std::min(least, name_of(i));
    auto& best = by_rest[id_of(i) % 100];
    best = std::max(best, name_of(i));
  }
  EXPECT_EQ(disk.people(s).map(&person::name).max().get(), most);
  EXPECT_EQ(disk.people(s).map(&person::name).min().get(), least);
  const auto groups = disk.people(s)
                          .group_by([](const person& p) { return p.id % 100; })
                          .max(&person::name)
                          .collect();
  ASSERT_EQ(groups.size(), 100u);
  for (const auto& one : groups) EXPECT_EQ(one.value, by_rest[one.key]);
}

TEST(spilled_text, of_the_greatest_and_the_first_comes_with_them) {
  const a_disk disk;
  session s(settings(disk.folder, 14 * scaled_mib));
  const auto rows = rows_by_id();
  const auto best = disk.people(s).top(50, &person::id).collect();
  ASSERT_EQ(best.size(), 50u);
  for (std::size_t i = 0; i < 50; ++i) EXPECT_TRUE(is_row(best[i], rows[rows.size() - 1 - i])) << i;
  const auto by_name = rows_by_name_and_city();
  const auto last = disk.people(s).top(20, &person::name).collect();
  ASSERT_EQ(last.size(), 20u);
  for (std::size_t i = 0; i < 20; ++i)
    EXPECT_EQ(last[i].name, name_of(by_name[by_name.size() - 1 - i])) << i;
  EXPECT_TRUE(is_row(disk.people(s).skip(8'750).first().get(), 8'750));
  const auto some = disk.people(s).skip(12'500).take(125).collect();
  for (std::int64_t i = 0; i < 125; ++i)
    ASSERT_TRUE(is_row(some[static_cast<std::size_t>(i)], 12'500 + i));
}

TEST(spilled_text, is_scanned_across_windows) {
  const a_disk disk;
  session s(settings(disk.folder, 64 * scaled_mib));
  const auto longest = [](std::string_view a, std::string_view b) {
    return b.size() > a.size() ? b : a;
  };
  const collection<std::string_view> so_far =
      disk.people(s).map(&person::name).inclusive_scan(longest);
  std::string expected;
  std::int64_t row = 0;
  bool good = true;
  so_far.for_each_chunk([&](std::span<const std::string_view> chunk) {
    for (const auto one : chunk) {
      if (const auto name = name_of(row); name.size() > expected.size()) expected = name;
      good = good && one == expected;
      ++row;
    }
  });
  EXPECT_TRUE(good);
  EXPECT_EQ(row, file_rows);
}

TEST(spilled_text, goes_window_by_window_where_nothing_needs_it) {
  const a_disk disk;
  session s(settings(disk.folder, 14 * scaled_mib));
  std::int64_t bytes = 0;
  for (std::int64_t i = 0; i < file_rows; ++i)
    bytes += static_cast<std::int64_t>(name_of(i).size());
  const auto length = [](const person& p) { return static_cast<std::int64_t>(p.name.size()); };
  EXPECT_EQ(disk.people(s).map(length).sum().get(), bytes);
  EXPECT_LE(s.host_memory_peak(), 10 * scaled_mib);  // text and records are 2.5 MiB
  const auto report = disk.people(s).map(length).sum().explain_analyze();
  EXPECT_THAT(report, Not(HasSubstr("spill file: ")));
}

TEST(spilled_text, behind_pointers_stays_in_memory) {
  const a_disk disk;
  struct pointing {
    std::int64_t id;
    const char* name;
    std::size_t size;
  };
  session s(settings(disk.folder, 48 * scaled_mib));
  const auto rows = rows_by_id();
  const auto sorted =
      disk.people(s)
          .map([](const person& p) { return pointing{p.id, p.name.data(), p.name.size()}; })
          .sort_by(&pointing::id);
  std::size_t seen = 0;
  bool good = true;
  sorted.for_each_chunk([&](std::span<const pointing> chunk) {
    for (const auto& one : chunk)
      good = good && std::string_view(one.name, one.size) == name_of(rows[seen++]);
  });
  EXPECT_TRUE(good);
  EXPECT_EQ(seen, rows.size());
}

TEST(spilled_text, is_right_or_an_error_on_a_bad_disk) {
  const a_disk disk;
  const auto expected = rows_by_name_and_city();
  testing::expect_right_or_spill_error(
      {.faults = "+eio=0.001+flip=0.004", .little = "512KiB", .csv = true},
      settings(disk.folder, 14 * scaled_mib), "sort_by", [&](session& s) {
        return are_rows(disk.people(s).sort_by(&person::name, &person::city), expected);
      });
}

TEST(spilled_text, is_given_back_where_a_function_throws) {
  const a_disk disk;
  session s(settings(disk.folder, 13 * scaled_mib));
  for (const std::int64_t bad : {0, 8'750, 18'749}) {
    const auto sorted = disk.people(s).sort_by([bad](const person& p) {
      if (p.id == bad) throw std::runtime_error("no");
      return p.name;
    });
    EXPECT_THROW(sorted.count().get(), std::runtime_error);
    const auto passed_on = disk.people(s).sort_by(&person::name).map([bad](const person& p) {
      if (p.id == bad) throw std::runtime_error("no");
      return p.id;
    });
    EXPECT_THROW(passed_on.sum().get(), std::runtime_error);
    EXPECT_EQ(s.host_memory_used(), 0u);
  }
}

}  // namespace
}  // namespace pappus::spilled_text
