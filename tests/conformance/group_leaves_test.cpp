// Groups of a domain over many leaves of rows, against the documented order of additions.
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "conformance/harness.h"

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

/// Leaves of rows have tables; eight become one until one is left.
std::vector<leaf_total> totals_by_leaves(const std::vector<leaf_row>& rows, std::size_t keys) {
  std::vector<std::vector<leaf_total>> leaves;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (static_cast<std::int64_t>(i) % group_leaf_rows == 0) leaves.emplace_back(keys);
    leaves.back()[static_cast<std::size_t>(rows[i].key)].accumulate(rows[i].value);
  }
  while (leaves.size() > 1) {
    std::vector<std::vector<leaf_total>> parents;
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      if (i % 8 == 0)
        parents.push_back(leaves[i]);
      else
        for (std::size_t key = 0; key < keys; ++key) parents.back()[key].merge(leaves[i][key]);
    }
    leaves = std::move(parents);
  }
  return leaves.front();
}

TEST(groups_of_a_domain, merge_many_leaves_of_a_domain_by_eights) {
  random random(45);
  constexpr int keys = 30;
  for (const std::int64_t leaves : {8, 9, 70}) {
    const auto rows = leaf_rows_of(random, up_to(leaves * group_leaf_rows + 7), keys);
    const auto expected = totals_by_leaves(rows, keys);
    for (const auto* devices : {"cpu", "test"}) {
      SCOPED_TRACE(devices);
      session s(options{.threads = 3, .devices = devices});
      const auto got = s.borrow(rows)
                           .group_by(&leaf_row::key, domain{keys})
                           .reduce<leaf_total>(&leaf_row::value)
                           .collect()
                           .to_vector();
      ASSERT_EQ(got.size(), expected.size());
      for (std::size_t key = 0; key < got.size(); ++key)
        EXPECT_TRUE(same_bytes(got[key].value.sum, expected[key].sum)) << key;
    }
  }
}

}  // namespace
}  // namespace pappus::testing
