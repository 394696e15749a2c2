#include "pappus/detail/fuse/batch.h"

#include <gtest/gtest.h>

namespace pappus::detail {
namespace {

// A function that takes 16 or 32 records at a time is slower by a whole vector for each batch that
// leaves some over.
TEST(batch, has_a_power_of_two_of_records) {
  EXPECT_EQ(rows_of_batch(4, 32, 1024), 1024u);
  EXPECT_EQ(rows_of_batch(88, 32, 1024), 128u);  // 186 would fit
  EXPECT_EQ(rows_of_batch(168, 32, 1024), 64u);  // 97 would fit
  EXPECT_EQ(rows_of_batch(100'000, 32, 1024), 32u);
}

}  // namespace
}  // namespace pappus::detail
