// group_by on devices of all kinds, those that compile texts also as if they were GPUs: float sums
// whose last digits tell in which order they were added.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "algorithms/dense_groups.h"
#include "algorithms/leaf_tree.h"
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

using sums_by_key = std::vector<keyed<int, weighted_sum>>;

/// Groups of positive readings where each so many rows are a leaf, and leaves are merged by
/// leaf_tree.
sums_by_key sums_in_leaves(const std::vector<reading>& rows, int groups, std::int64_t leaf_rows) {
  using table = std::vector<weighted_sum>;
  const auto n = static_cast<std::int64_t>(rows.size());
  const table none(static_cast<std::size_t>(groups));
  algorithms::leaf_tree tree;
  std::map<int, table> levels;
  const auto step = [&](int from, int to, bool first) {
    if (first) levels[to] = none;
    for (std::size_t key = 0; key < none.size(); ++key) levels[to][key].merge(levels[from][key]);
  };
  for (std::int64_t begin = 0; begin < n; begin += leaf_rows) {
    auto& leaf = levels[algorithms::leaf_tree::leaf] = none;
    for (auto row = begin; row < std::min(begin + leaf_rows, n); ++row) {
      const auto& r = rows[static_cast<std::size_t>(row)];
      if (has_positive(r)) leaf[static_cast<std::size_t>(bucket_of(r, groups))].accumulate(r);
    }
    tree.add(begin / leaf_rows, step);
  }
  const auto& result = levels[tree.finish(step)];
  sums_by_key found;
  for (int key = 0; key < groups; ++key)
    found.push_back({key, result[static_cast<std::size_t>(key)]});
  return found;
}

/// Rows of a leaf with a table, where a device isn't like a CPU.
std::int64_t table_leaf_rows(std::int64_t n, std::int64_t groups, std::int64_t on_cpu) {
  const auto power = [](std::int64_t least) {
    return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(least)));
  };
  const auto for_states = groups * static_cast<std::int64_t>(sizeof(weighted_sum)) / 16;
  return std::min(on_cpu,
                  power(std::max({(n + 8191) / 8192, 8 * groups, for_states, std::int64_t{512}})));
}

template <typename Value>
void expect_same(const std::vector<keyed<int, Value>>& expected,
                 const std::vector<keyed<int, Value>>& got) {
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    ASSERT_EQ(got[i].key, expected[i].key) << "record " << i;
    ASSERT_TRUE(same_bits(got[i].value, expected[i].value)) << "record " << i;
  }
}

/// Asks the query on the CPU and runs its stage on each device.
/// \param not_like_cpu  what devices yield that aren't like a CPU; null: the same as the others
template <typename Value, typename Query>
void expect_same_groups(compared with, Query query, std::int64_t chunk_rows = 0,
                        const std::vector<keyed<int, Value>>* not_like_cpu = nullptr) {
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
    expect_same(not_like_cpu != nullptr && !about.like_cpu ? *not_like_cpu : expected, got);
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
    for (const int groups : {1, 17, 100, 256, 600}) {
      SCOPED_TRACE(std::to_string(n) + " rows, " + std::to_string(groups) + " groups");
      const auto query = [&](session& s) {
        return s.borrow(rows)
            .filter(positive_ones())
            .group_by(in_buckets(groups), domain{groups})
            .reduce<weighted_sum>();
      };
      session s(options{.threads = 1, .devices = "cpu"});
      const auto node = detail::access::node(query(s));
      const auto on_cpu = algorithms::group_leaf_rows(node->as<detail::group_params>());
      const auto elsewhere = sums_in_leaves(rows, groups, table_leaf_rows(n, groups, on_cpu));
      for (const std::int64_t chunk_rows : {0, 4096})
        expect_same_groups(compared::with_cpu, query, chunk_rows, &elsewhere);
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

// Groups in one piece and in several; one of many rows among many of few; keys of both widths.
TEST_F(group_order, of_pieces_of_groups_is_that_of_rows) {
  if (roomy_gpus().empty()) GTEST_SKIP() << "there is no OpenCL device that is like a CPU";
  session s(options{.threads = 2, .devices = "cpu"});
  for (const std::int64_t n : {1, 4'097, 70'001}) {
    auto rows = readings(n, 26);
    for (const int groups : {1, 3, 500, 20'000}) {
      SCOPED_TRACE(std::to_string(n) + " rows, " + std::to_string(groups) + " groups");
      for (std::size_t i = 0; groups == 20'000 && i < rows.size(); ++i)
        if (i % 3 != 0) rows[i].key = 7;
      const auto expect_order = [&](const auto& asked) {
        using group = std::remove_const_t<
            typename std::remove_cvref_t<decltype(asked.collect())>::value_type>;
        const std::vector<group> expected = asked.collect().to_vector();
        for (const auto& device : roomy_gpus()) {
          const auto got = records_of<group>(run_on(device, *detail::access::node(asked)));
          ASSERT_EQ(got.size(), expected.size());
          for (std::size_t i = 0; i < got.size(); ++i) {
            ASSERT_EQ(got[i].key, expected[i].key);
            ASSERT_EQ(got[i].value.hash, expected[i].value.hash) << "group " << i;
          }
        }
      };
      const auto positive = s.borrow(rows).filter(positive_ones());
      expect_order(positive.group_by(in_buckets(groups)).reduce<row_order>());
      expect_order(positive.group_by(in_wide_buckets(groups)).reduce<row_order>());
    }
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
