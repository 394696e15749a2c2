#include "demo/support/version.h"

#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace demo {
namespace {

int sign(int x) { return (x > 0) - (x < 0); }

TEST(compare_versions, orders_every_pair_of_an_ascending_list) {
  // Checked with dpkg --compare-versions.
  const std::vector<std::string_view> ascending{"~~",
                                                "~~a",
                                                "~",
                                                "0",
                                                "1.0~rc1-1",
                                                "1.0~rc1+b1",
                                                "1.0",
                                                "1.0-0+1",
                                                "1.0-1~~",
                                                "1.0-1~bpo",
                                                "1.0-1",
                                                "1.0-1+b1",
                                                "1.0-1.1",
                                                "1.0a",
                                                "1.0+dfsg",
                                                "1.0.1",
                                                "1.2",
                                                "1.10",
                                                "1.10-2-1",
                                                "2",
                                                "10",
                                                "99999999999999999999999998",
                                                "99999999999999999999999999",
                                                "1:0.1",
                                                "2:0"};
  for (std::size_t i = 0; i < ascending.size(); ++i)
    for (std::size_t j = 0; j < ascending.size(); ++j)
      EXPECT_EQ(sign(compare_versions(ascending[i], ascending[j])), i < j ? -1 : i > j)
          << ascending[i] << " and " << ascending[j];
}

TEST(compare_versions, finds_versions_equal_that_differ_in_leading_zeros_only) {
  EXPECT_EQ(compare_versions("1.01-1", "1.1-1"), 0);
  EXPECT_EQ(compare_versions("0:1.0", "1.0"), 0);
  EXPECT_EQ(compare_versions("1.0-0", "1.0"), 0);
  EXPECT_EQ(compare_versions("1.a", "1.a0"), 0);
}

TEST(compare_versions, splits_the_revision_at_the_last_hyphen) {
  EXPECT_LT(compare_versions("1-1-2", "1-2-1"), 0);
  EXPECT_LT(compare_versions("1-9", "1-1-1"), 0);
}

}  // namespace
}  // namespace demo
