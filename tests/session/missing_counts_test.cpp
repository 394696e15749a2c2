// Counts of what is missing follow from what readers counted, and are those of the rows.
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/arrow/arrow_support.h"
#include "pappus/pappus.h"
#include "support/scaled_memory.h"
#include "support/spill_settings.h"

namespace pappus::missing_counts {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* counted = "counted while they were read";

struct visit {
  std::int64_t number;
  std::optional<std::string_view> who;
  std::optional<double> paid;
  std::optional<category> kind;
  std::optional<std::int32_t> length;
};

struct some_visits {
  const testing::spill_folder folder;
  std::vector<visit> all;

  explicit some_visits(int rows, unsigned seed = 1) {
    std::filesystem::create_directories(in(""));
    std::mt19937 random(seed);
    const auto is_there = [&] { return random() % 3 != 0; };
    for (int i = 0; i < rows; ++i) {
      visit v{i, {}, {}, {}, {}};
      if (is_there()) v.who = random() % 5 == 0 ? "" : "somebody whose name is long";
      if (is_there()) v.paid = static_cast<double>(random() % 100) / 4;
      if (random() % 50 == 0) v.kind = random() % 2 == 0 ? "long" : "short";
      v.length = static_cast<std::int32_t>(random() % 1000);  // always
      all.push_back(v);
    }
  }
  some_visits(const some_visits&) = delete;
  ~some_visits() { std::filesystem::remove_all(in("")); }

  std::string in(const std::string& name) const { return folder.path() + ".files/" + name; }
  std::string written(session& s, const std::string& name) const {
    s.from(all).write(in(name));
    return in(name);
  }
  template <typename F>
  std::int64_t with(F field) const {
    return std::ranges::count_if(all, [&](const visit& v) { return (v.*field).has_value(); });
  }
  std::int64_t rows() const { return std::ssize(all); }
};

/// All ways to ask for counts.
void expect_counts(session& s, const collection<visit>& visits, const some_visits& expected) {
  const auto who = expected.with(&visit::who), paid = expected.with(&visit::paid),
             kind = expected.with(&visit::kind);
  EXPECT_EQ(visits.count().get(), expected.rows());
  EXPECT_EQ(visits.count(&visit::who).get(), who);
  EXPECT_EQ(visits.count(&visit::length).get(), expected.rows());
  EXPECT_EQ(visits.count(&visit::number).get(), expected.rows());
  const auto [all, some, fewer, fewest] =
      visits.aggregate(count(), count(&visit::who), count(&visit::paid), count(&visit::kind)).get();
  EXPECT_EQ(std::vector({all, some, fewer, fewest}),
            std::vector({expected.rows(), who, paid, kind}));
  const auto [again, kinds] = s.run(visits.count(), visits.count(&visit::kind));
  EXPECT_EQ(again, expected.rows());
  EXPECT_EQ(kinds, kind);
  // What looks at records as well.
  const auto [numbers, others] = visits.aggregate(sum(&visit::number), count(&visit::who)).get();
  EXPECT_EQ(numbers, expected.rows() * (expected.rows() - 1) / 2);
  EXPECT_EQ(others, who);
  EXPECT_EQ(visits.count([](const visit& v) { return v.paid; }).get(), paid);
  EXPECT_EQ(
      visits.filter([](const visit& v) { return v.paid.has_value(); }).count(&visit::paid).get(),
      paid);
}

std::string told(const collection<visit>& visits) {
  return visits.aggregate(count(), count(&visit::who), count(&visit::kind)).explain_analyze();
}

bool needs_arrow(std::string_view name) {
  return name.ends_with(".parquet") || name.ends_with(".arrow");
}

class missing_counts : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (needs_arrow(GetParam())) PAPPUS_NEEDS_ARROW();
  }
};

TEST_P(missing_counts, are_those_of_readers_where_rows_stay_in_memory) {
  for (const int rows : {1, 7, 50'000}) {
    const some_visits expected(rows);
    for (const unsigned threads : {1u, 3u}) {
      session s({.threads = threads, .devices = "cpu"});
      const auto visits = s.read<visit>(expected.written(s, GetParam())).cache();
      EXPECT_EQ(visits.count().get(), rows);
      EXPECT_THAT(told(visits), HasSubstr(counted));
      EXPECT_THAT(visits.count(&visit::kind).explain_analyze(), HasSubstr(counted));
      EXPECT_THAT(visits.count([](const visit& v) { return v.paid; }).explain_analyze(),
                  Not(HasSubstr(counted)));
      expect_counts(s, visits, expected);
    }
  }
}

TEST_P(missing_counts, are_right_where_rows_do_not_stay_as_they_were_read) {
  const some_visits expected(20'000);
  session s({.threads = 2, .devices = "cpu"});
  const auto visits = s.read<visit>(expected.written(s, GetParam()));
  expect_counts(s, visits, expected);  // read each time
  const auto some = visits.cache().take(1'234);
  const auto with = std::count_if(expected.all.begin(), expected.all.begin() + 1'234,
                                  [](const visit& v) { return v.paid.has_value(); });
  EXPECT_EQ(some.count(&visit::paid).get(), with);
  EXPECT_EQ(some.cache().count(&visit::paid).get(), with);
  const auto twice = visits.concat(visits);
  EXPECT_EQ(twice.count(&visit::paid).get(), 2 * expected.with(&visit::paid));
}

class missing_counts_in_little_memory : public missing_counts {};

TEST_P(missing_counts_in_little_memory, are_right) {
  const some_visits expected(60'000);
  session large({.threads = 2, .devices = "cpu"});
  const auto path = expected.written(large, GetParam());
  for (const std::size_t mib : {24, 40, 64}) {
    const testing::scaled_memory scaled;
    session s(testing::settings(expected.folder, mib * testing::scaled_mib));
    const auto visits = s.read<visit>(path);
    expect_counts(s, visits, expected);
    expect_counts(s, visits.cache(), expected);
  }
}

INSTANTIATE_TEST_SUITE_P(formats, missing_counts,
                         ::testing::Values("visits.csv", "visits.jsonl", "visits.parquet",
                                           "visits.arrow"));

INSTANTIATE_TEST_SUITE_P(formats, missing_counts_in_little_memory,
                         ::testing::Values("visits.csv", "visits.jsonl", "visits.parquet"));

TEST(missing_counts_of_files, are_summed_over_files_small_and_large) {
  for (const int rows : {3, 30'000}) {
    const some_visits expected(rows);
    session s({.threads = 2, .devices = "cpu"});
    const auto path = expected.written(s, "visits.csv");
    for (const auto* name : {"a.csv", "b.csv", "c.csv"})
      std::filesystem::copy_file(path, expected.in(name));
    std::filesystem::remove(path);
    const auto visits = s.csv<visit>(expected.in("*.csv")).cache();
    EXPECT_EQ(visits.count().get(), 3 * rows);
    EXPECT_THAT(told(visits), HasSubstr(counted));
    EXPECT_EQ(visits.count(&visit::who).get(), 3 * expected.with(&visit::who));
    EXPECT_EQ(visits.count(&visit::kind).get(), 3 * expected.with(&visit::kind));
  }
}

TEST(missing_counts_of_files, leave_out_bad_rows) {
  const some_visits expected(5'000);
  session s({.threads = 2, .devices = "cpu"});
  const auto path = expected.written(s, "visits.csv");
  std::ofstream(path, std::ios::app) << "x,,,,\n,,,,\n";
  bad_row_log log;
  const auto visits = s.csv<visit>(path, csv_options{.bad_rows = log}).cache();
  EXPECT_EQ(visits.count().get(), 5'000);
  EXPECT_EQ(log.count(), 2);
  EXPECT_THAT(told(visits), HasSubstr(counted));
  expect_counts(s, visits, expected);
}

TEST(missing_counts_of_files, do_not_know_of_records_from_elsewhere) {
  const some_visits expected(100);
  session s({.threads = 2, .devices = "cpu"});
  EXPECT_THAT(told(s.from(expected.all)), Not(HasSubstr(counted)));
  expect_counts(s, s.from(expected.all), expected);
  const auto mapped = s.csv<visit>(expected.written(s, "visits.csv"))
                          .map([](visit v) {
                            v.paid.reset();
                            return v;
                          })
                          .cache();
  EXPECT_EQ(mapped.count(&visit::paid).get(), 0);
}

}  // namespace
}  // namespace pappus::missing_counts
