#include "memory/measure_disk.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pappus/error.h"
#include "support/spill_folder.h"

namespace pappus::memory {
namespace {

TEST(measure_disk, finds_rates_that_can_be) {
  const testing::spill_folder folder;
  const auto found = measure_disk({.folder = folder.path()});
  EXPECT_GT(found.write_gb_per_s, 1e-4);
  EXPECT_GT(found.read_gb_per_s, 1e-4);
  EXPECT_LT(found.write_gb_per_s, 1e4);
  EXPECT_LT(found.read_gb_per_s, 1e4);
}

TEST(measure_disk, says_what_is_in_the_way) {
  const testing::spill_folder folder;
  try {
    measure_disk({.folder = folder.path(), .bytes_max = std::size_t{64} << 20});
    FAIL() << "64 MiB were enough for 256";
  } catch (const spill_error& e) {
    EXPECT_THAT(e.what(), ::testing::HasSubstr("measuring the disk: the spill file in"));
    EXPECT_THAT(e.what(), ::testing::HasSubstr("64 MiB"));
  }
}

}  // namespace
}  // namespace pappus::memory
