#include "memory/spill_file.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pappus/error.h"
#include "support/spill_folder.h"

namespace pappus::memory {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::spill_folder;
using ::testing::StartsWith;

constexpr std::size_t a_page = std::size_t{16} << 10, a_piece = std::size_t{1} << 20,
                      a_step = std::size_t{64} << 10;

std::vector<std::byte> random_bytes(std::size_t n, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::byte> bytes(n);
  for (std::size_t at = 0; at < n; at += sizeof(std::uint64_t)) {
    const auto here = random();
    std::memcpy(bytes.data() + at, &here, std::min(sizeof here, n - at));
  }
  return bytes;
}

spill_file::extent_ptr write(spill_file& file, const std::vector<std::byte>& bytes) {
  const std::span<const std::byte> all = bytes, parts[] = {all.first(bytes.size() / 3),
                                                           all.subspan(bytes.size() / 3)};
  return file.write(parts, "test");
}

std::vector<std::byte> read(spill_file& file, const spill_file::extent& from) {
  std::vector<std::byte> bytes(from.bytes());
  const spill_file::part all{&from, 0, bytes.size(), bytes.data()};
  file.read({&all, 1}, "test");
  return bytes;
}

template <typename F>
std::string problem_of(F&& f) {
  try {
    f();
    return "none";
  } catch (const spill_error& e) {
    return e.what();
  }
}

TEST(spill_file, gives_back_what_was_written) {
  const spill_folder folder;
  const auto file = std::make_shared<spill_file>(spill_settings{.folder = folder.path()});
  std::vector<spill_file::extent_ptr> extents;
  const std::size_t sizes[] = {1, 4096, a_page, a_page + 1, a_piece - 5, a_piece, 9 * a_piece + 77};
  for (const auto n : sizes) extents.push_back(write(*file, random_bytes(n, n)));
  EXPECT_EQ(file->in_use(), 11 * a_piece + 5 * a_step);
  for (std::size_t i = extents.size(); i-- > 0;)
    EXPECT_EQ(read(*file, *extents[i]), random_bytes(sizes[i], sizes[i]));
  EXPECT_TRUE(folder.empty());  // the file has no name
  extents.clear();
  EXPECT_EQ(file->in_use(), 0u);
}

TEST(spill_file, reads_parts_of_what_was_written) {
  const spill_folder folder;
  const auto file = std::make_shared<spill_file>(spill_settings{.folder = folder.path()});
  const std::size_t sizes[] = {77, a_page + 9, 5 * a_piece + 1234};
  std::vector<std::vector<std::byte>> written;
  std::vector<spill_file::extent_ptr> extents;
  for (const auto n : sizes) {
    written.push_back(random_bytes(n, n));
    extents.push_back(write(*file, written.back()));
  }
  std::mt19937_64 random(1);
  for (int round = 0; round < 40; ++round) {
    std::vector<spill_file::part> parts;
    std::vector<std::vector<std::byte>> to, expected;
    for (int i = 0; i < 12; ++i) {
      const auto which = random() % 3, begin = random() % (sizes[which] + 1),
                 bytes =
                     std::min(random() % (i < 6 ? 3 * a_page : 2 * a_piece), sizes[which] - begin);
      const auto first = written[which].begin() + static_cast<std::ptrdiff_t>(begin);
      expected.emplace_back(first, first + static_cast<std::ptrdiff_t>(bytes));
      to.emplace_back(bytes);
      parts.push_back({extents[which].get(), begin, bytes, to.back().data()});
    }
    file->read(parts, "test");
    EXPECT_EQ(to, expected);
  }
  const auto before = file->read_back();
  std::byte one{};
  const spill_file::part last{extents[2].get(), sizes[2] - 1, 1, &one};
  file->read({&last, 1}, "test");
  EXPECT_LE(file->read_back() - before, a_page);
}

TEST(spill_file, is_made_when_something_is_written) {
  const spill_folder folder;
  const auto file = std::make_shared<spill_file>(spill_settings{.folder = folder.path() + "/none"});
  EXPECT_THAT(problem_of([&] { write(*file, random_bytes(5, 1)); }),
              AllOf(StartsWith("test: no spill file can be made in " + folder.path() +
                               "/none: No such file or directory; "),
                    HasSubstr("PAPPUS_SPILL or options::spill")));
}

TEST(spill_file, uses_space_again) {
  const spill_folder folder;
  const auto file = std::make_shared<spill_file>(
      spill_settings{.folder = folder.path(), .bytes_max = 4 * a_piece + 5});
  auto a = write(*file, random_bytes(a_piece, 1)), b = write(*file, random_bytes(a_piece, 2)),
       c = write(*file, random_bytes(2 * a_piece, 3));
  EXPECT_EQ(problem_of([&] { write(*file, random_bytes(10, 4)); }),
            "test: the spill file in " + folder.path() +
                " would take more than 4 MiB (PAPPUS_SPILL_SIZE or options::spill_size; by "
                "default half of what is free); 4 MiB lie there; free space there, name another "
                "folder (PAPPUS_SPILL or options::spill) or raise the memory limit "
                "(PAPPUS_HOST_MEMORY or options::host_memory)");
  a.reset();
  b.reset();  // the two are one gap now
  const auto d = write(*file, random_bytes(2 * a_piece, 5));
  EXPECT_EQ(read(*file, *d), random_bytes(2 * a_piece, 5));
  EXPECT_EQ(read(*file, *c), random_bytes(2 * a_piece, 3));
}

TEST(spill_file, is_never_in_memory_itself) {
  if (why_no_spill_folder("/dev/shm") != "is in memory itself (tmpfs)")
    GTEST_SKIP() << "/dev/shm is no tmpfs here";
  const auto file = std::make_shared<spill_file>(spill_settings{.folder = "/dev/shm"});
  EXPECT_THAT(problem_of([&] { write(*file, random_bytes(5, 1)); }),
              StartsWith("test: no spill file can be made in /dev/shm: is in memory itself "
                         "(tmpfs); "));
}

TEST(spill_file, names_the_reason_of_a_full_disk) {
  const spill_folder folder;
  const auto file = std::make_shared<spill_file>(
      spill_settings{.folder = folder.path(), .io = "faulty:full=3MiB"});
  const auto kept = write(*file, random_bytes(2 * a_piece, 1));
  EXPECT_THAT(problem_of([&] { write(*file, random_bytes(2 * a_piece, 2)); }),
              StartsWith("test: taking up 2 MiB in the spill file in " + folder.path() +
                         " failed after 2 MiB: No space left on device; free space there"));
  EXPECT_EQ(file->in_use(), 2 * a_piece);
  EXPECT_EQ(read(*file, *kept), random_bytes(2 * a_piece, 1));
}

TEST(spill_file, on_a_bad_disk_gives_back_the_right_bytes_or_an_error) {
  const spill_folder folder;
  int right = 0, failed = 0;
  std::set<std::string> reasons;
  std::vector<std::vector<std::byte>> all;
  for (std::uint64_t i = 0; i < 4; ++i) all.push_back(random_bytes(3 * a_piece + 12345, i));
  for (int seed = 1; seed <= 16; ++seed) {
    const auto file = std::make_shared<spill_file>(spill_settings{
        .folder = folder.path(),
        .io = fmt::format("faulty:seed={}+short=0.1+eio=0.02+full=24MiB+flip=0.03+delay_us=20",
                          seed)});
    for (const auto& bytes : all) {
      const auto problem = problem_of([&] {
        const auto written = write(*file, bytes);
        ASSERT_EQ(read(*file, *written), bytes) << "seed " << seed;
        ++right;
      });
      if (problem == "none") continue;
      ++failed;
      for (const char* reason : {"Input/output error", "doesn't hold what was written there"})
        if (problem.find(reason) != std::string::npos) reasons.insert(reason);
    }
    EXPECT_EQ(file->in_use(), 0u) << "seed " << seed;
  }
  EXPECT_GT(right, 5);
  EXPECT_GT(failed, 5);
  EXPECT_EQ(reasons.size(), 2u);
}

TEST(spill_file, reads_a_page_again_that_was_read_wrongly) {
  const spill_folder folder;
  // Most flips happen once: to what was read, not to what was written.
  int right = 0;
  for (int seed = 1; seed <= 20; ++seed) {
    const auto file = std::make_shared<spill_file>(spill_settings{
        .folder = folder.path(), .io = fmt::format("faulty:seed={}+flip=0.5", seed)});
    const auto bytes = random_bytes(100, 1);
    const auto written = write(*file, bytes);
    for (int again = 0; again < 10; ++again)
      problem_of([&] { right += read(*file, *written) == bytes ? 1 : 0; });
  }
  EXPECT_GT(right, 30);  // of what was written rightly a quarter is read wrongly twice
}

}  // namespace
}  // namespace pappus::memory
