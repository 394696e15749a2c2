// Groups over many leaves of rows, against the documented order of additions.
#include <unistd.h>

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "conformance/harness.h"
#include "cpu_ops/group.h"
#include "support/test_memory.h"

namespace pappus::testing {
namespace {

constexpr std::int64_t group_leaf_rows = 32'768;  // where groups are few

struct leaf_row {
  std::int32_t key;
  double value;
};

struct leaf_total {
  double sum = 0;
  void accumulate(double value) { sum += value; }
  void merge(const leaf_total& other) { sum += other.sum; }
};

/// Values whose sum depends on the order of addition.
std::vector<leaf_row> leaf_rows_of(random& random, std::int64_t n, int keys) {
  std::vector<leaf_row> rows(static_cast<std::size_t>(n));
  for (leaf_row& r : rows)
    r = {static_cast<std::int32_t>(random.between(0, keys - 1)),
         random.real(-1, 1) * std::exp(random.real(-20, 20))};
  return rows;
}

using group_totals = std::map<std::int32_t, leaf_total>;

/// Eight leaves become one until one is left. Leaves begin at the rows given.
group_totals totals_by_leaves(const std::vector<leaf_row>& rows,
                              const std::vector<std::int64_t>& begins) {
  std::vector<group_totals> leaves;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (leaves.size() < begins.size() && static_cast<std::int64_t>(i) == begins[leaves.size()])
      leaves.emplace_back();
    leaves.back()[rows[i].key].accumulate(rows[i].value);
  }
  while (leaves.size() > 1) {
    std::vector<group_totals> parents;
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      if (i % 8 == 0)
        parents.push_back(leaves[i]);
      else
        for (const auto& [key, total] : leaves[i]) parents.back()[key].merge(total);
    }
    leaves = std::move(parents);
  }
  return leaves.front();
}

/// Where leaves of `rows` begin, from a row on.
void add_leaves(std::vector<std::int64_t>& begins, std::int64_t from, std::int64_t to,
                std::int64_t rows) {
  for (std::int64_t row = from; row < to; row += rows) begins.push_back(row);
}

template <typename Query>
void expect_totals(const group_totals& expected, const Query& query) {
  const auto got = query.collect().to_vector();
  ASSERT_EQ(got.size(), expected.size());
  auto wanted = expected.begin();
  std::size_t different = 0;
  for (const auto& [key, total] : got) {
    ASSERT_EQ(key, wanted->first);
    different += same_bytes(total.sum, wanted->second.sum) ? 0 : 1;
    ++wanted;
  }
  EXPECT_EQ(different, 0u);
}

TEST(groups_of_a_domain, merge_many_leaves_of_a_domain_by_eights) {
  random random(45);
  constexpr int keys = 30;
  for (const std::int64_t leaves : {8, 9, 70}) {
    const auto rows = leaf_rows_of(random, up_to(leaves * group_leaf_rows + 7), keys);
    std::vector<std::int64_t> begins;
    add_leaves(begins, 0, std::ssize(rows), group_leaf_rows);
    const auto expected = totals_by_leaves(rows, begins);
    for (const auto* devices : {"cpu", "test"}) {
      SCOPED_TRACE(devices);
      session s(options{.threads = 3, .devices = devices});
      auto groups = s.borrow(rows).group_by(&leaf_row::key, domain{keys});
      expect_totals(expected, groups.reduce<leaf_total>(&leaf_row::value));
    }
  }
}

/// As leaf_total, and large: so a table of some ten thousand exceeds a cache.
struct wide_total : leaf_total {
  std::int64_t more = 0;
  void merge(const wide_total& other) { sum += other.sum; }
};

TEST(groups_of_a_domain, merge_leaves_of_sixteen_rows_a_key_where_tables_are_large) {
  random random(46);
  constexpr int keys = 40'000;
  const auto rows = leaf_rows_of(random, up_to(std::int64_t{2'500'000}), keys);
  std::vector<std::int64_t> begins;
  add_leaves(begins, 0, std::ssize(rows), 1 << 20);
  auto expected = totals_by_leaves(rows, begins);
  for (int key = 0; key < keys; ++key) expected[key];
  for (const unsigned threads : {1u, 3u, 8u}) {
    SCOPED_TRACE(threads);
    session s(options{.threads = threads});
    auto groups = s.borrow(rows).group_by(&leaf_row::key, domain{keys});
    expect_totals(expected, groups.reduce<wide_total>(&leaf_row::value));
  }
}

/// The first 2^20 rows of unknown keys.
std::vector<std::int64_t> first_leaves(bool few, std::int64_t rows) {
  std::vector<std::int64_t> begins{0};
  if (rows > 8192) begins.push_back(8192);
  if (few) add_leaves(begins, 65536, std::min<std::int64_t>(rows, 1 << 20), 65536);
  return begins;
}

struct unknown_keys {
  int keys;
  bool few;                ///< their keys and states take up to 64 KiB for each byte of a value
  std::int64_t leaf_rows;  ///< behind the first 2^20 rows
};

void expect_leaves_of(const std::vector<leaf_row>& rows, const std::vector<std::int64_t>& begins) {
  const auto expected = totals_by_leaves(rows, begins);
  for (const unsigned threads : {1u, 3u, 8u}) {
    SCOPED_TRACE(threads);
    session s(options{.threads = threads});
    expect_totals(expected,
                  s.borrow(rows).group_by(&leaf_row::key).reduce<leaf_total>(&leaf_row::value));
  }
}

TEST(groups_of_unknown_keys, merge_leaves_of_sixteen_rows_a_group) {
  random random(47);
  for (const auto [keys, few, leaf_rows] : {unknown_keys{100, true, 262'144},
                                            {9000, true, 262'144},
                                            {20'000, true, 524'288},
                                            {60'000, false, 1'048'576}})
    for (const std::int64_t n : {8192, 65'537, 1'048'576, 3'000'001}) {
      SCOPED_TRACE(::testing::Message() << keys << " keys, " << n << " rows");
      const auto rows = leaf_rows_of(random, up_to(n), keys);
      auto begins = first_leaves(few, std::ssize(rows));
      add_leaves(begins, 1 << 20, std::ssize(rows), leaf_rows);
      expect_leaves_of(rows, begins);
    }
}

TEST(groups_of_unknown_keys, keep_their_leaves_when_groups_become_many) {
  random random(48);
  auto rows = leaf_rows_of(random, up_to(std::int64_t{2'400'000}), 50);
  for (std::size_t i = 1'500'000; i < rows.size(); ++i)
    rows[i].key = static_cast<std::int32_t>(random.between(0, 60'000));
  auto begins = first_leaves(true, std::ssize(rows));
  add_leaves(begins, 1 << 20, std::ssize(rows), 262'144);
  expect_leaves_of(rows, begins);
}

TEST(groups_of_unknown_keys, merge_leaves_whose_groups_differ) {
  random random(49);
  auto rows = leaf_rows_of(random, up_to(std::int64_t{3'000'000}), 10);
  for (std::size_t i = 0; i < rows.size(); ++i)  // sorted: forty rows a group
    rows[i].key = static_cast<std::int32_t>(i / 40);
  auto begins = first_leaves(true, std::ssize(rows));
  // A leaf of 65,024 rows found 1,626 groups.
  add_leaves(begins, 1 << 20, std::ssize(rows), 262'144);
  expect_leaves_of(rows, begins);
}

TEST(groups_of_unknown_keys, are_cut_as_expected_groups_ask_for) {
  random random(50);
  const auto rows = leaf_rows_of(random, up_to(std::int64_t{2'500'000}), 3000);
  std::vector<std::int64_t> begins;
  add_leaves(begins, 0, std::ssize(rows), 1 << 20);
  const auto expected = totals_by_leaves(rows, begins);
  session s(options{.threads = 3});
  auto groups = s.borrow(rows).group_by(&leaf_row::key).expect(40'000);
  expect_totals(expected, groups.reduce<leaf_total>(&leaf_row::value));
}

/// Windows of a file cut leaves anywhere.
TEST(groups_of_unknown_keys, are_the_same_from_a_file_in_windows) {
  random random(51);
  for (const auto [keys, few, leaf_rows] :
       {unknown_keys{70, true, 262'144}, {9000, true, 262'144}, {60'000, false, 1'048'576}}) {
    SCOPED_TRACE(keys);
    const auto rows = leaf_rows_of(random, up_to(std::int64_t{1'800'000}), keys);
    const auto path =
        (std::filesystem::temp_directory_path() / fmt::format("pappus-leaves-{}.raw", ::getpid()))
            .string();
    session().borrow(rows).write(path);
    auto begins = first_leaves(few, std::ssize(rows));
    add_leaves(begins, 1 << 20, std::ssize(rows), leaf_rows);
    const auto expected = totals_by_leaves(rows, begins);
    session s(options{.threads = 2, .host_memory = 64 << 20});
    expect_totals(
        expected,
        s.raw<leaf_row>(path).group_by(&leaf_row::key).reduce<leaf_total>(&leaf_row::value));
    std::filesystem::remove(path);
  }
}

TEST(group_store, takes_a_quarter_of_what_tables_leave_and_a_little_in_any_case) {
  constexpr double gib = 1 << 30;
  const auto mib_of = [](double table_bytes, double missing_bytes) {
    const test_memory memory(std::size_t{8} << 30);
    return cpu_ops::wanted_store_bytes(memory, table_bytes, missing_bytes) >> 20;
  };
  EXPECT_EQ(mib_of(gib / 1024, 0), 128u);
  EXPECT_EQ(mib_of(gib / 64, 0), 256u);  // 16 times the tables
  EXPECT_EQ(mib_of(gib, 0), 2048u);
  EXPECT_EQ(mib_of(gib, 6 * gib), 512u);
  EXPECT_EQ(mib_of(gib, 8 * gib), 128u);
  EXPECT_EQ(mib_of(gib, 20 * gib), 128u);
}

}  // namespace
}  // namespace pappus::testing
