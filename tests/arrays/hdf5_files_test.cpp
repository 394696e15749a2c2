// Launches over datasets of HDF5 files.
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "formats/hdf5/hdf5_support.h"
#include "pappus/pappus.h"
#include "support/scaled_memory.h"
#include "support/spill_folder.h"
#include "support/spill_settings.h"

namespace pappus::testing {
namespace {

constexpr std::int64_t height = 700, width = 900;

/// What stands at a place of the files: chunks of the last rows weren't written.
std::int32_t number_at(std::int64_t i, std::int64_t j) {
  return i < 640 ? static_cast<std::int32_t>(i * width + j) : 0;
}

std::string written(const spill_folder& folder, const hdf5_written_plan& plan) {
  const std::string path = folder.path() + "/x.h5";
  hdf5_written(path, plan).write({0, 0}, {640, width});
  return path + ":/x";
}

/// Sums of blocks of 10 x 10, and the elements of every seventh row.
void expect_same_as_loops(session& s, const array<std::int32_t, 2>& file) {
  const auto sums = s.zeros<std::int64_t, 2>({height / 10, width / 10});
  s.for_each(
      file.extents(),
      [](idx<2> p, reads<std::int32_t, 2> file, reduces<std::int64_t, 2> sums) {
        sums[p / 10] += file[p];
      },
      file, sums);
  const auto rows = s.unwritten<std::int32_t, 2>({height / 7, width});
  s.for_each(
      rows.extents(),
      [](idx<2> p, reads<std::int32_t, 2> file, writes<std::int32_t, 2> rows) {
        rows[p] = file[idx<2>{7 * p[0], p[1]}];
      },
      file, rows);
  std::vector<std::int64_t> expected((height / 10) * (width / 10));
  for (std::int64_t i = 0; i < height; ++i)
    for (std::int64_t j = 0; j < width; ++j)
      expected[static_cast<std::size_t>(i / 10 * (width / 10) + j / 10)] += number_at(i, j);
  EXPECT_EQ(sums.to_vector(), expected);
  const auto some = rows.host();
  for (std::int64_t i = 0; i < rows.extent(0); ++i)
    for (std::int64_t j = 0; j < width; ++j) ASSERT_EQ(some(i, j), number_at(7 * i, j));
}

using hdf5_files_in_little_memory = scaled_test;

TEST_F(hdf5_files_in_little_memory, are_launched_over_as_loops_would) {
  for (const bool latest : {false, true}) {
    SCOPED_TRACE(latest);
    const spill_folder folder;
    const auto path = written(folder, {.extents = {height, width},
                                       .chunk = {latest ? 20 : 64, 50},
                                       .latest = latest,
                                       .compressed = true});
    for (const std::size_t mib : {12, 512}) {
#ifndef PAPPUS_TEST_INFERRED  // nobody knows what is read, so that it is all
      if (mib == 12) continue;
#endif
      session s(settings(folder, mib * scaled_mib));
      expect_same_as_loops(s, s.open<std::int32_t, 2>(path));
    }
  }
}

}  // namespace
}  // namespace pappus::testing
