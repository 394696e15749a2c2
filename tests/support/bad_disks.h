// Queries whose rows go to disks that fail.
#pragma once

#include <cstdlib>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pappus/pappus.h"

namespace pappus::testing {

/// Disks that fail, each in its own way.
struct bad_disks {
  std::string faults;             ///< of PAPPUS_IO: "+eio=0.01"
  std::string little = "768KiB";  ///< that every third has room for
  int count = 12;
  int queries = 1;   ///< in each session
  bool csv = false;  ///< rows are of CSV files, whose windows need memory for text
};

/// Runs queries in a session on each disk. Expects that some yield what they should and some end
/// with a spill_error that names who needed memory, the operator or a CSV file that is read beside
/// it, and of all that nothing stays in memory and the next query works.
/// \param query  session -> whether the result is right
template <typename Query>
void expect_right_or_spill_error(const bad_disks& disks, const options& settings,
                                 const std::string& owner, Query&& query) {
  int good = 0, failed = 0;
  for (int seed = 1; seed <= disks.count; ++seed) {
    SCOPED_TRACE("disk " + std::to_string(seed));
    const auto room = seed % 3 == 0 ? disks.little : "1GiB";
    const auto faults = "faulty:seed=" + std::to_string(seed) + "+short=0.1+delay_us=20" +
                        disks.faults + "+full=" + room;
    ::setenv("PAPPUS_IO", faults.c_str(), 1);
    session s(settings);
    ::unsetenv("PAPPUS_IO");
    for (int i = 0; i < disks.queries; ++i) try {
        EXPECT_TRUE(query(s));
        ++good;
      } catch (const spill_error& e) {
        const std::string told = e.what();
        const bool by_a_file = disks.csv && told.find(".csv: ") != told.npos;
        EXPECT_TRUE(by_a_file || told.starts_with(owner)) << told;
        EXPECT_THAT(told, ::testing::HasSubstr("spill file"));
        ++failed;
      }
    EXPECT_EQ(s.host_memory_used(), 0u);
    EXPECT_EQ(s.range(0, 1000).sum().get(), 499'500);
  }
  EXPECT_GT(good, 0);
  EXPECT_GT(failed, 0);
}

}  // namespace pappus::testing
