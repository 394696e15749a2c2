// Random launches over arrays in random files, some of them stacks, against loops over the numbers:
// also where disks give less than they are asked for, or fail.
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "interpreter.h"
#include "pappus/pappus.h"
#include "support/spill_folder.h"

namespace pappus::testing {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;

/// While it exists, disks have faults.
class with_faults {
 public:
  explicit with_faults(const std::string& text) {
    if (!text.empty()) ::setenv("PAPPUS_IO", ("faulty:" + text).c_str(), 1);
  }
  ~with_faults() { ::unsetenv("PAPPUS_IO"); }
  with_faults(const with_faults&) = delete;
  with_faults& operator=(const with_faults&) = delete;
};

/// planes x rows x columns of numbers in one file or a stack of them.
struct numbers_on_disk {
  idx<3> extents;
  std::vector<std::int32_t> numbers;
  std::vector<std::string> paths;
  bool stacked = false;  ///< a plane in each file
  bool raw = false;

  std::int32_t at(std::int64_t i, std::int64_t j, std::int64_t k) const {
    return numbers[static_cast<std::size_t>((i * extents[1] + j) * extents[2] + k)];
  }
  array<std::int32_t, 3> open(session& s) const {
    const idx<2> plane{extents[1], extents[2]};
    if (!stacked)
      return raw ? s.open<std::int32_t, 3>(paths[0], extents) : s.open<std::int32_t, 3>(paths[0]);
    return raw ? s.open<std::int32_t, 3>(paths, plane) : s.open<std::int32_t, 3>(paths);
  }
};

/// \param rank  of the arrays in files
array_file_options random_options(random_numbers& random, std::size_t rank) {
  array_file_options how;
  for (std::size_t d = 0; d < rank; ++d) how.chunk.push_back(random.from(1, 40));
  if (random.once_in(3))
    for (const auto each : how.chunk) how.shard.push_back(each * random.from(1, 3));
  const char* const codecs[] = {"none", "zstd:1", "blosc:lz4", "gzip:1", "lz4"};
  how.codec = codecs[random.from(0, 4)];
  return how;
}

numbers_on_disk make(random_numbers& random, const std::string& folder) {
  const char* const suffixes[] = {".npy", ".raw", ".zarr", ".zarr"};
  const std::string suffix = suffixes[random.from(0, 3)];
  numbers_on_disk result{.extents = {random.from(1, 9), random.from(1, 70), random.from(1, 70)},
                         .numbers = {},
                         .paths = {},
                         .stacked = random.once_in(2),
                         .raw = suffix == ".raw"};
  const auto& [planes, rows, columns] =
      std::tuple(result.extents[0], result.extents[1], result.extents[2]);
  for (std::int64_t i = 0; i < planes * rows * columns; ++i)
    result.numbers.push_back(static_cast<std::int32_t>(random.from(-1000, 1000)));
  session s({.threads = 2, .devices = "cpu"});
  const auto all = s.to_array<3>(result.numbers, result.extents);
  const auto how =
      suffix == ".zarr" ? random_options(random, result.stacked ? 2 : 3) : array_file_options{};
  for (std::int64_t i = 0; i < (result.stacked ? planes : 1); ++i) {
    result.paths.push_back(fmt::format("{}/{}{}", folder, i, suffix));
    if (!result.stacked) {
      all.write(result.paths.back(), how);
      continue;
    }
    const auto first = result.numbers.begin() + i * rows * columns;
    s.to_array<2>(std::vector<std::int32_t>(first, first + rows * columns), {rows, columns})
        .write(result.paths.back(), how);
  }
  return result;
}

/// That cover an extent.
std::int64_t parts(std::int64_t extent, std::int64_t part) { return (extent + part - 1) / part; }

std::vector<std::int64_t> column_sums(session& s, const numbers_on_disk& of,
                                      const array<std::int32_t, 3>& from, random_numbers&) {
  const auto to = s.zeros<std::int64_t, 2>({of.extents[1], of.extents[2]});
  const auto [i, j, k] = launch_index<3>();
  s.for_each(
      of.extents,
      [](idx<3> p, reads<std::int32_t, 3> x, reduces<std::int64_t, 2> to) {
        to(p[1], p[2]) += x[p];
      },
      from.at(i, j, k), to.at(j, k));
  return to.to_vector();
}
std::vector<std::int64_t> expected_column_sums(const numbers_on_disk& of, random_numbers&) {
  const auto [planes, rows, columns] = std::tuple(of.extents[0], of.extents[1], of.extents[2]);
  std::vector<std::int64_t> result(static_cast<std::size_t>(rows * columns));
  for (std::int64_t n = 0; n < planes * rows * columns; ++n)
    result[static_cast<std::size_t>(n % (rows * columns))] +=
        of.numbers[static_cast<std::size_t>(n)];
  return result;
}

std::vector<std::int64_t> block_sums(session& s, const numbers_on_disk& of,
                                     const array<std::int32_t, 3>& from, random_numbers& random) {
  const auto k = random.from(2, 9);
  const auto to = s.zeros<std::int64_t, 2>({parts(of.extents[1], k), parts(of.extents[2], k)});
  s.for_each(of.extents,
             annotated([k](idx<3> p, reads<std::int32_t, 3> x,
                           reduces<std::int64_t, 2> to) { to(p[1] / k, p[2] / k) += x[p]; },
                       "x, to: global [h,i,j] => read x[h,i,j], reduce to[i/k,j/k]", {{"k", k}}),
             from, to);
  return to.to_vector();
}
std::vector<std::int64_t> expected_block_sums(const numbers_on_disk& of, random_numbers& random) {
  const auto k = random.from(2, 9), across = parts(of.extents[2], k);
  std::vector<std::int64_t> result(static_cast<std::size_t>(parts(of.extents[1], k) * across));
  for (std::int64_t h = 0; h < of.extents[0]; ++h)
    for (std::int64_t i = 0; i < of.extents[1]; ++i)
      for (std::int64_t j = 0; j < of.extents[2]; ++j)
        result[static_cast<std::size_t>(i / k * across + j / k)] += of.at(h, i, j);
  return result;
}

std::vector<std::int64_t> counts(session& s, const numbers_on_disk& of,
                                 const array<std::int32_t, 3>& from, random_numbers&) {
  const auto to = s.zeros<std::int64_t>({2001});
  s.for_each(of.extents,
             annotated([](idx<3> p, reads<std::int32_t, 3> x,
                          reduces<std::int64_t> to) { to[x[p] + 1000] += p[2] + 1; },
                       "x, to: global [h,i,j] => read x[h,i,j], reduce to"),
             from, to);
  return to.to_vector();
}
std::vector<std::int64_t> expected_counts(const numbers_on_disk& of, random_numbers&) {
  std::vector<std::int64_t> result(2001);
  for (std::int64_t n = 0; auto x : of.numbers)
    result[static_cast<std::size_t>(x + 1000)] += n++ % of.extents[2] + 1;
  return result;
}

std::vector<std::int64_t> transposed(session& s, const numbers_on_disk& of,
                                     const array<std::int32_t, 3>& from, random_numbers& random) {
  const auto plane = random.from(0, of.extents[0] - 1);
  const auto to = s.unwritten<std::int64_t, 2>({of.extents[2], of.extents[1]});
  const auto [i, j] = launch_index<2>();
  s.for_each(
      to.extents(),
      [plane](idx<2> p, reads<std::int32_t, 3> x, writes<std::int64_t, 2> to) {
        to[p] = x(plane, p[1], p[0]);
      },
      from.at(plane, j, i), to.at(i, j));
  return to.to_vector();
}
std::vector<std::int64_t> expected_transposed(const numbers_on_disk& of, random_numbers& random) {
  const auto plane = random.from(0, of.extents[0] - 1);
  std::vector<std::int64_t> result;
  for (std::int64_t j = 0; j < of.extents[2]; ++j)
    for (std::int64_t i = 0; i < of.extents[1]; ++i) result.push_back(of.at(plane, i, j));
  return result;
}

std::vector<std::int64_t> some_rows(session&, const numbers_on_disk&,
                                    const array<std::int32_t, 3>& from, random_numbers& random) {
  const auto rest = random.from(0, 4);
  const auto found = from.rows().filter([rest](std::int32_t x) { return x % 5 == rest; }).collect();
  return {found.begin(), found.end()};
}
std::vector<std::int64_t> expected_some_rows(const numbers_on_disk& of, random_numbers& random) {
  const auto rest = random.from(0, 4);
  std::vector<std::int64_t> result;
  for (const auto x : of.numbers)
    if (x % 5 == rest) result.push_back(x);
  return result;
}

/// A launch or a query, and what it must give. Both draw the same numbers.
struct question {
  const char* name;
  std::vector<std::int64_t> (*ask)(session&, const numbers_on_disk&, const array<std::int32_t, 3>&,
                                   random_numbers&);
  std::vector<std::int64_t> (*expected)(const numbers_on_disk&, random_numbers&);
};
constexpr question questions[] = {{"column sums", column_sums, expected_column_sums},
                                  {"block sums", block_sums, expected_block_sums},
                                  {"counts", counts, expected_counts},
                                  {"transposed", transposed, expected_transposed},
                                  {"some rows", some_rows, expected_some_rows}};

/// Asks questions of random files. Returns how many couldn't be answered as a disk failed.
std::int64_t ask(std::uint64_t seed, const std::string& faults) {
  random_numbers random(seed);
  const spill_folder folder;
  const auto file = make(random, folder.path());
  const auto threads = static_cast<unsigned>(random.from(1, 6));
  const auto memory = std::size_t{1} << random.from(22, 27);
  SCOPED_TRACE(fmt::format("seed {}: {} x {} x {}, {} file{} {}, {} threads, {} bytes", seed,
                           file.extents[0], file.extents[1], file.extents[2], file.paths.size(),
                           file.paths.size() == 1 ? "" : "s", file.paths.front(), threads, memory));
  const with_faults while_asked(
      faults.empty() ? faults : fmt::format("seed={}+{}", random.from(1, 1000), faults));
  session s({.threads = threads, .host_memory = memory, .devices = "cpu", .spill = folder.path()});
  std::optional<array<std::int32_t, 3>> from;
  std::int64_t failed = 0;
  for (int turn = 0; turn < 6; ++turn) {
    const auto& [name, question, expected] = questions[random.from(0, std::ssize(questions) - 1)];
    const auto same = random.seed();
    random_numbers one(same), other(same);
    try {
      if (!from) from = file.open(s);
      EXPECT_EQ(question(s, file, *from, one), expected(file, other)) << name;
    } catch (const error& e) {
      ++failed;
      EXPECT_NE(faults.find("eio"), std::string::npos) << name << ": " << e.what();
      EXPECT_THAT(e.what(), AnyOf(HasSubstr(folder.path()), HasSubstr("the spill file"))) << name;
      EXPECT_THAT(e.what(), HasSubstr("Input/output error")) << name;
    }
  }
  return failed;
}

constexpr std::uint64_t files = 60;

TEST(random_files, answer_as_loops_do) {
  for (std::uint64_t seed = 1; seed <= files && !HasFailure(); ++seed) ask(seed, "");
}

TEST(random_files, answer_where_disks_give_less_than_asked_for) {
  for (std::uint64_t seed = 1; seed <= files && !HasFailure(); ++seed) ask(seed, "short=0.3");
}

TEST(random_files, are_named_where_disks_fail) {
  std::int64_t failed = 0;
  for (std::uint64_t seed = 1; seed <= files && !HasFailure(); ++seed)
    failed += ask(seed, "eio=0.03+short=0.1");
  EXPECT_GT(failed, 0);
  EXPECT_LT(failed, static_cast<std::int64_t>(files) * 6 / 2);
}

/// PAPPUS_FUZZ_FILES=10000: so many files, beginning with one that is another each time.
TEST(random_files, of_any_number) {
  const char* const asked = std::getenv("PAPPUS_FUZZ_FILES");
  if (asked == nullptr) GTEST_SKIP() << "PAPPUS_FUZZ_FILES isn't set";
  const std::uint64_t first = std::random_device()() * std::uint64_t{1000};
  fmt::print("seeds from {}\n", first);
  const char* const faults[] = {"", "short=0.3", "eio=0.03+short=0.1"};
  for (std::uint64_t n = 0; n < std::strtoull(asked, nullptr, 10) && !HasFailure(); ++n)
    ask(first + n, faults[n % 3]);
}

}  // namespace
}  // namespace pappus::testing
