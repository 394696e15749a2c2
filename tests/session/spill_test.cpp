// Rows of cache() that go to the spill file and come back: the same bits at any budget, errors with
// names, nothing left behind.
#include <sys/resource.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pappus/pappus.h"
#include "support/scaled_memory.h"
#include "support/spill_folder.h"

namespace pappus::spilling {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::scaled_mib;
using testing::spill_folder;
using ::testing::StartsWith;

constexpr int caches = 16;
constexpr std::int64_t rows_each = 16'384;  // 128 KiB of doubles

using spill = testing::scaled_test;
using spill_death = testing::scaled_test;

options settings(std::size_t memory, const std::string& folder, unsigned threads = 2) {
  return {.threads = threads, .host_memory = memory, .devices = "cpu", .spill = folder};
}

collection<double> numbers(session& s, int which) {
  return s.range(0, rows_each)
      .map([which](std::int64_t i) { return 1.0 / static_cast<double>(i * 7 % 1009 + which + 1); })
      .cache();
}

/// What several rounds of queries over caches yield.
std::vector<double> results(const std::vector<collection<double>>& kept) {
  std::vector<double> all;
  for (int round = 0; round < 3; ++round)
    for (std::size_t i = 0; i < kept.size(); ++i) {
      const auto& rows = kept[(i * 5 + static_cast<std::size_t>(round)) % kept.size()];
      all.push_back(rows.sum().get());
      all.push_back(rows.filter([](double x) { return x > 0.01; }).mean().get());
      for (const double x : rows.top(3).collect()) all.push_back(x);
    }
  return all;
}

TEST_F(spill, leaves_results_the_same_bits_at_any_budget) {
  const spill_folder folder;
  std::vector<double> expected;
  for (const std::size_t part : {1, 2, 4, 8}) {
    session s(settings(32 * scaled_mib / part, folder.path()));
    std::vector<collection<double>> kept;
    for (int i = 0; i < caches; ++i) kept.push_back(numbers(s, i));
    const auto found = results(kept);
    if (part == 1) expected = found;
    EXPECT_EQ(found, expected) << part;  // floats: none of them is NaN
    const auto report = kept[0].sum().explain_analyze();
    if (part <= 1) {
      EXPECT_THAT(report, ::testing::Not(HasSubstr("spill file: ")));
    } else if (part >= 4) {
      EXPECT_THAT(report, AllOf(HasSubstr("128 KiB read back from the spill file"),
                                HasSubstr("128 KiB read back meanwhile")));
    }
    EXPECT_LE(s.host_memory_peak(), s.host_memory());
  }
  EXPECT_TRUE(folder.empty());
}

TEST_F(spill, makes_room_for_what_is_not_cached) {
  const spill_folder folder;
  session s(settings(20 * scaled_mib, folder.path()));
  std::vector<collection<double>> kept;
  for (int i = 0; i < caches; ++i) kept.push_back(numbers(s, i)), kept.back().count().get();
  const auto sorted =
      s.range(0, 125'000)
          .map([](std::int64_t i) { return static_cast<double>(i * 7919 % 1'000'003); })
          .collect();
  EXPECT_EQ(sorted.size(), 125'000u);
  EXPECT_THAT(
      kept[0].sum().explain(),
      AllOf(HasSubstr("rest in the spill file in " + folder.path()),
            HasSubstr("read back from the spill file"), HasSubstr("rows that rest, 128 KiB")));
}

TEST_F(spill, says_where_rows_of_a_cache_will_be) {
  const spill_folder folder;
  session s(settings(24 * scaled_mib, folder.path())), off(settings(24 * scaled_mib, "off"));
  auto rows = numbers(s, 1);
  EXPECT_THAT(rows.sum().explain(),
              HasSubstr("in memory, or a spill file in " + folder.path() + " where that is short"));
  rows.count().get();
  EXPECT_THAT(rows.sum().explain(), HasSubstr("128 KiB in memory, may go to a spill file in " +
                                              folder.path() + " where memory is short"));
  EXPECT_THAT(numbers(off, 1).sum().explain(),
              HasSubstr("in memory, where they stay (PAPPUS_SPILL is off)"));
}

TEST_F(spill, that_is_off_refuses_what_does_not_fit) {
  session s(settings(8 * scaled_mib, "off"));
  std::vector<collection<double>> kept;
  const auto fill = [&] {
    for (int i = 0; i < caches; ++i) kept.push_back(numbers(s, i)), kept.back().count().get();
  };
  EXPECT_THROW(fill(), memory_error);
}

struct named {
  std::string_view name;
  double value;
};

TEST_F(spill, keeps_the_text_that_records_point_to) {
  const spill_folder folder;
  const auto path = folder.path() + ".csv";
  {
    std::ofstream file(path);
    file << "name,value\n";
    for (int i = 0; i < 25'000; ++i) file << "name" << i % 5000 << "," << i << "\n";
  }
  session s(settings(24 * scaled_mib, folder.path()));
  const auto rows =
      s.csv<named>(path, column("name", &named::name), column("value", &named::value)).cache();
  const auto longest = [&] {
    return rows.map([](const named& row) { return static_cast<std::int64_t>(row.name.size()); })
        .sum()
        .get();
  };
  const auto before = longest();
  const auto other = s.range(0, 287'500).map([](std::int64_t i) { return i; }).collect().size();
  EXPECT_EQ(other, 287'500u);
  EXPECT_THAT(rows.count().explain(), AllOf(HasSubstr("rest in the spill file"),
                                            HasSubstr("text of their strings stays in memory")));
  EXPECT_EQ(longest(), before);
  std::filesystem::remove(path);
}

TEST_F(spill, serves_threads_of_one_session) {
  const spill_folder folder;
  session s(settings(12 * scaled_mib, folder.path(), 4));
  std::vector<collection<double>> kept;
  std::vector<double> expected;
  for (int i = 0; i < caches; ++i) {
    kept.push_back(numbers(s, i));
    expected.push_back(kept.back().sum().get());
  }
  std::atomic<int> right = 0, cancels = 0, refused = 0;
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      for (unsigned i = 0; i < 30; ++i) try {
          const auto which = (t * 5 + i * 3) % caches;
          EXPECT_EQ(kept[which].sum().get(), expected[which]);
          ++right;
          if (t == 0 && i % 10 == 9) s.cancel();
        } catch (const cancelled&) {
          ++cancels;
        } catch (const memory_error&) {  // the others had it all
          ++refused;
        }
    });
  for (auto& thread : threads) thread.join();
  EXPECT_GT(right, 100);
  EXPECT_EQ(kept[0].sum().get(), expected[0]);
  kept.clear();
  EXPECT_EQ(s.host_memory_used(), 0u);
}

TEST_F(spill, on_a_bad_disk_yields_the_right_bits_or_the_error) {
  const spill_folder folder;
  std::vector<double> expected;
  session large(settings(64 * scaled_mib, "off"));
  for (int i = 0; i < caches; ++i) expected.push_back(numbers(large, i).sum().get());
  int right = 0, failed = 0;
  for (int seed = 1; seed <= 8; ++seed) {
    ::setenv("PAPPUS_IO",
             ("faulty:seed=" + std::to_string(seed) + "+short=0.1+eio=0.01+flip=0.01+full=1792KiB")
                 .c_str(),
             1);
    session s(settings(6 * scaled_mib, folder.path()));
    ::unsetenv("PAPPUS_IO");
    std::vector<collection<double>> kept;
    for (int i = 0; i < caches; ++i) kept.push_back(numbers(s, i));
    for (int i = 0; i < 3 * caches; ++i) try {
        const auto which = static_cast<std::size_t>(i % caches);
        EXPECT_EQ(kept[which].sum().get(), expected[which]) << seed;
        ++right;
      } catch (const spill_error&) {
        ++failed;
      }
    kept.clear();
    EXPECT_EQ(s.host_memory_used(), 0u) << seed;
  }
  EXPECT_GT(right, 100);
  EXPECT_GT(failed, 0);
}

TEST_F(spill, to_a_disk_that_is_full_is_an_error_after_which_all_goes_on) {
  const spill_folder folder;
  session s(settings(6 * scaled_mib, folder.path()));
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const rlimit little{2 * scaled_mib, before.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &little);
  std::vector<collection<double>> kept;
  std::string problem;
  try {
    for (int i = 0; i < caches; ++i) kept.push_back(numbers(s, i)), kept.back().count().get();
  } catch (const spill_error& e) {
    problem = e.what();
  }
  ::setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_THAT(problem, AllOf(HasSubstr("the spill file in " + folder.path() +
                                       " failed after 256 KiB: "
                                       "File too large; free space there"),
                             HasSubstr("PAPPUS_HOST_MEMORY")));
  const double first = kept[0].sum().get();
  for (int i = 0; i < caches; ++i) kept.push_back(numbers(s, i)), kept.back().count().get();
  EXPECT_EQ(kept[0].sum().get(), first);
}

std::string refusal(const std::string& folder) {
  try {
    const session s(settings(6 * scaled_mib, folder));
    return "accepted";
  } catch (const usage_error& e) {
    return e.what();
  }
}

TEST_F(spill, refuses_folders_that_can_not_be_right) {
  EXPECT_EQ(refusal("/no/such/folder"),
            "PAPPUS_SPILL or options::spill: expected off or a folder on a disk that can be "
            "written to, got /no/such/folder: No such file or directory");
  EXPECT_THAT(refusal("/dev/null"), HasSubstr("got /dev/null: "));
  if (std::filesystem::exists("/dev/shm")) {
    EXPECT_THAT(refusal("/dev/shm"), HasSubstr("got /dev/shm: is in memory itself (tmpfs)"));
  }
}

void spill_and_be_killed(const std::string& folder) {
  session s(settings(6 * scaled_mib, folder));
  std::vector<collection<double>> kept;
  for (int i = 0; i < caches; ++i) kept.push_back(numbers(s, i)), kept.back().count().get();
  if (kept[0].sum().explain_analyze().find("128 KiB read back") != std::string::npos)
    ::raise(SIGKILL);
}

TEST_F(spill_death, leaves_no_file) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  constexpr const char* variable = "PAPPUS_TEST_SPILL_FOLDER";  // the child begins anew
  std::unique_ptr<spill_folder> own;
  if (std::getenv(variable) == nullptr) {
    own = std::make_unique<spill_folder>();
    ::setenv(variable, own->path().c_str(), 1);
  }
  const std::string folder = std::getenv(variable);
  EXPECT_EXIT(spill_and_be_killed(folder), ::testing::KilledBySignal(SIGKILL), "");
  ::unsetenv(variable);
  if (own) {
    EXPECT_TRUE(own->empty());
  }
}

}  // namespace
}  // namespace pappus::spilling
