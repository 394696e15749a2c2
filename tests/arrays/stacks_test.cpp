// Arrays that are stacks of files: launches over them yield what loops over all elements do.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "pappus/pappus.h"
#include "support/scaled_memory.h"
#include "support/spill_folder.h"
#include "support/spill_settings.h"

namespace pappus::testing {
namespace {

struct sample {
  float red;
  std::int16_t place;
  friend bool operator==(const sample&, const sample&) = default;
};

constexpr std::int64_t days = 7, rows = 500, columns = 400;

float value_at(std::int64_t day, std::int64_t i, std::int64_t j) {
  return static_cast<float>((day * 31 + i * 7 + j * 3) % 101) / 4;
}

/// Writes a file a day.
std::vector<std::filesystem::path> pictures(session& s, const spill_folder& folder,
                                            const std::string& suffix) {
  std::vector<std::filesystem::path> paths;
  for (std::int64_t day = 0; day < days; ++day) {
    const auto one = s.unwritten<float, 2>({rows, columns});
    s.for_each(
        {rows, columns},
        [day](idx<2> p, writes<float, 2> to) { to[p] = value_at(day, p[0], p[1]); }, one);
    paths.emplace_back(folder.path() + "/" + std::to_string(day) + suffix);
    one.write(paths.back());
  }
  return paths;
}

array<float, 3> stack_of(session& s, const std::vector<std::filesystem::path>& paths) {
  if (paths[0].extension() == ".raw") return s.open<float, 3>(paths, {rows, columns});
  return s.open<float, 3>(paths);
}

/// Highest values over time of a part, and how each day differs from the one before it.
void compare_with_loops(session& s, const array<float, 3>& stack) {
  constexpr std::int64_t first = 2;
  const auto highest = s.zeros<float, 2>({rows, columns});
  s.for_each(
      box<3>{{first, 0, 0}, {days, rows, columns}},
      [](idx<3> p, reads<float, 3> stack, reduces<largest<float>, 2> highest) {
        highest(p[1], p[2]).accumulate(stack[p]);
      },
      stack, highest);
  const auto grown = s.zeros<float, 3>({days - 1, rows, columns});
  s.for_each(
      grown.extents(),
      [](idx<3> p, reads<float, 3> stack, writes<float, 3> grown) {
        grown[p] = stack(p[0] + 1, p[1], p[2]) - stack[p];
      },
      stack, grown);
  {
    const auto found = highest.host();
    for (std::int64_t i = 0; i < rows; ++i)
      for (std::int64_t j = 0; j < columns; ++j) {
        float expected = 0;
        for (auto day = first; day < days; ++day)
          expected = std::max(expected, value_at(day, i, j));
        ASSERT_EQ(found(i, j), expected) << i << " " << j;
      }
  }
  for (std::int64_t day = 0; day + 1 < days; ++day) {  // all together they don't fit in memory
    const auto found = grown[box<3>{{day, 0, 0}, {day + 1, rows, columns}}].host();
    for (std::int64_t i = 0; i < rows; ++i)
      for (std::int64_t j = 0; j < columns; ++j)
        ASSERT_EQ(found(0, i, j), value_at(day + 1, i, j) - value_at(day, i, j));
  }
}

using stacks_in_little_memory = scaled_test;

TEST_F(stacks_in_little_memory, are_read_by_launches_as_other_arrays_are) {
  for (const auto* suffix : {".npy", ".raw", ".zarr"}) {
    SCOPED_TRACE(suffix);
    const spill_folder folder;
    std::vector<std::filesystem::path> paths;
    {
      session s({.threads = 3});
      paths = pictures(s, folder, suffix);
    }
    for (const std::size_t mib : {32, 512}) {
#ifndef PAPPUS_TEST_INFERRED  // nobody knows what is read, so that it is all
      if (mib == 32) continue;
#endif
      session s(settings(folder, mib * scaled_mib));
      compare_with_loops(s, stack_of(s, paths));
    }
  }
}

TEST(stacks, have_rows_and_parts) {
  const spill_folder folder;
  session s({.threads = 2});
  const auto stack = stack_of(s, pictures(s, folder, ".npy"));
  EXPECT_EQ(stack.extents(), (idx<3>{days, rows, columns}));
  EXPECT_EQ(stack.rows().count(), days * rows * columns);
  const box<3> where{{1, 40, 50}, {5, 60, 53}};
  const auto part = stack[where].copy();
  const auto found = part.host();
  for (std::int64_t day = 0; day < 4; ++day)
    for (std::int64_t i = 0; i < 20; ++i)
      for (std::int64_t j = 0; j < 3; ++j)
        ASSERT_EQ(found(day, i, j), value_at(day + 1, i + 40, j + 50));
}

TEST(stacks, may_have_names_within_files_and_fields_by_name) {
  const spill_folder folder;
  session s({.threads = 2});
  std::vector<std::string> paths, tables;
  std::vector<float> expected;
  std::vector<sample> expected_samples;
  for (int day = 0; day < 3; ++day) {
    paths.push_back(folder.path() + "/" + std::to_string(day) + ".zarr");
    const std::vector<float> numbers{1.F * static_cast<float>(day), 2, 3};
    std::filesystem::create_directory(paths.back());
    s.to_array(numbers).write(paths.back() + ":/red");
    s.zeros<float>({5}).write(paths.back() + ":/lat");
    expected.insert(expected.end(), numbers.begin(), numbers.end());
    tables.push_back(folder.path() + "/" + std::to_string(day) + ".npy");
    const std::vector<sample> some{{static_cast<float>(day), 7},
                                   {2, static_cast<std::int16_t>(day)}};
    s.from(some).write(tables.back(), column("red", &sample::red), column("place", &sample::place));
    expected_samples.insert(expected_samples.end(), some.begin(), some.end());
  }
  EXPECT_EQ((s.open<float, 2>(paths, "/red").to_vector()), expected);
  EXPECT_EQ((s.open<float, 2>(paths, std::string("red")).to_vector()), expected);
  EXPECT_EQ((s.open<float, 2>(paths, "/lat").extents()), (idx<2>{3, 5}));
  EXPECT_EQ((s.open<sample, 2>(tables, column("red", &sample::red), column("place", &sample::place))
                 .to_vector()),
            expected_samples);
}

}  // namespace
}  // namespace pappus::testing
