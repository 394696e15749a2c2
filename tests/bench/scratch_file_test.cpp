#include "system/scratch_file.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pappus/error.h"

namespace pappus::bench {
namespace {

using ::testing::EndsWith;

/// Bytes that count from 0 again and again.
void count(std::int64_t begin, std::span<std::byte> to) {
  for (auto& byte : to) byte = static_cast<std::byte>(begin++);
}

TEST(scratch_files, are_removed_in_the_end) {
  std::string path;
  {
    scratch_file first(".raw");
    path = first.path();
    const scratch_file file(std::move(first));
    EXPECT_THAT(file.path(), EndsWith(".raw"));
    EXPECT_EQ(file.path(), path);
    EXPECT_TRUE(std::filesystem::exists(path));
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(input_bytes, are_what_several_threads_made) {
  team workers(3);
  input_bytes file(scratch_file(), 1000, 7, workers, count);
  std::vector<std::byte> expected(1000), got(1000);
  count(0, expected);
  file.read(0, got);
  EXPECT_EQ(got, expected);
  file.leave_page_cache();
  file.announce(100, 5000);
  got.assign(200, std::byte{});
  file.read(800, got);
  file.check();
  EXPECT_EQ(got, std::vector(expected.begin() + 800, expected.end()));
}

TEST(input_bytes, tell_when_a_read_failed) {
  team workers(1);
  const input_bytes file(scratch_file(), 10, 10, workers, count);
  std::array<std::byte, 4> some{};
  file.read(8, some);
  EXPECT_THROW(
      {
        try {
          file.check();
        } catch (const format_error& e) {
          EXPECT_EQ(std::string(e.what()), file.path() + ": the benchmark's input can't be read");
          throw;
        }
      },
      format_error);
}

}  // namespace
}  // namespace pappus::bench
