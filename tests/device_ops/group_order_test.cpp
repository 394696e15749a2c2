// group_by on devices of all kinds, those that compile texts also as if they were GPUs: float sums
// whose last digits tell in which order they were added.
#include <cstdint>
#include <cstring>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "device_ops/coded_readings.h"
#include "device_ops/stage_runner.h"

namespace pappus::testing {
namespace {

bool same_bits(const weighted_sum& a, const weighted_sum& b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}
bool same_bits(std::int64_t a, std::int64_t b) { return a == b; }

/// What devices must agree with: the CPU, where leaves are cut as there, or the first of them.
enum class compared { with_cpu, with_each_other };

/// Asks the query on the CPU and runs its stage on each device.
template <typename Value, typename Query>
void expect_same_groups(compared with, Query query, std::int64_t chunk_rows = 0) {
  session cpu(options{.threads = 2, .devices = "cpu"});
  const auto asked = query(cpu);
  ASSERT_EQ(refusal(*detail::access::node(asked)), "");
  std::vector<keyed<int, Value>> expected;
  if (with == compared::with_cpu) expected = asked.collect().to_vector();
  std::set<std::pair<std::string, bool>> asked_already;  // models, as what they are
  for (const auto& device : devices_of_all_kinds()) {
    const auto& about = device.used->about();
    if (!asked_already.emplace(about.model, about.like_cpu).second) continue;
    SCOPED_TRACE(device.name);
    const auto got =
        records_of<keyed<int, Value>>(run_on(device, *detail::access::node(asked), chunk_rows));
    if (expected.empty()) expected = got;
    ASSERT_EQ(got.size(), expected.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
      ASSERT_EQ(got[i].key, expected[i].key) << "record " << i;
      ASSERT_TRUE(same_bits(got[i].value, expected[i].value)) << "record " << i;
    }
  }
}

class group_order : public ::testing::Test {
 protected:
  void SetUp() override {
    if (compiling_devices().empty()) GTEST_SKIP() << "there is no OpenCL device";
  }
};

// Tiles of rows that are full and that aren't; groups of some of a work-group's items, of all, and
// of more than it has.
TEST_F(group_order, of_tables_is_that_of_rows) {
  for (const std::int64_t n : {1, 255, 257, 70'001}) {
    const auto rows = readings(n, 21);
    for (const int groups : {17, 256, 600}) {
      SCOPED_TRACE(std::to_string(n) + " rows, " + std::to_string(groups) + " groups");
      expect_same_groups<weighted_sum>(compared::with_cpu, [&](session& s) {
        return s.borrow(rows)
            .filter(positive_ones())
            .group_by(in_buckets(groups), domain{groups})
            .reduce<weighted_sum>();
      });
    }
  }
}

TEST_F(group_order, does_not_matter_to_counts) {
  const auto rows = readings(70'001, 22);
  expect_same_groups<std::int64_t>(compared::with_cpu, [&](session& s) {
    return s.borrow(rows).group_by(in_buckets(40), domain{40}).count();
  });
}

// With 2,000 groups they have fewer rows than make a group long.
TEST_F(group_order, of_long_groups_is_that_of_rows) {
  const auto rows = readings(70'001, 23);
  for (const int groups : {1, 3, 500, 2'000}) {
    SCOPED_TRACE(groups);
    expect_same_groups<weighted_sum>(compared::with_each_other, [&](session& s) {
      return s.borrow(rows)
          .filter(positive_ones())
          .group_by(in_buckets(groups))
          .reduce<weighted_sum>();
    });
  }
}

// GPUs sort all leaves of a chunk at once.
TEST_F(group_order, is_that_of_rows_in_each_of_several_leaves) {
  const auto rows = readings(600'001, 25);  // three leaves
  for (const std::int64_t chunk_rows : {0, 1, 300'000})
    expect_same_groups<weighted_sum>(
        compared::with_each_other,
        [&](session& s) {
          return s.borrow(rows)
              .filter(positive_ones())
              .group_by(in_buckets(50'000))
              .reduce<weighted_sum>();
        },
        chunk_rows);
}

TEST_F(group_order, is_the_cpus_where_keys_lie_outside_their_domain) {
  session cpu(options{.threads = 2, .devices = "cpu"});
  const auto rows = readings(40'000, 24);
  const auto counts_of = [&](int keys) {
    return cpu.borrow(rows).group_by(in_buckets(7), domain{keys}).count();
  };
  for (const auto& device : compiling_devices()) {
    SCOPED_TRACE(device.name);
    EXPECT_THROW(run_on(device, *detail::access::node(counts_of(6))), chunk_loop::needs_cpu);
    EXPECT_NO_THROW(run_on(device, *detail::access::node(counts_of(7))));
  }
}

}  // namespace
}  // namespace pappus::testing
