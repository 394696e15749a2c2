// Runs of definition levels as bits, however they are laid out and asked for, and runs that are
// wrong: arrays end where sanitizers see it.
#include "formats/arrow/parquet_levels.h"

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <vector>

namespace pappus::testing {
namespace {

using bytes = std::vector<std::uint8_t>;

void put_length(bytes& runs, std::uint64_t length) {
  for (; length >= 0x80; length >>= 7) runs.push_back(static_cast<std::uint8_t>(length | 0x80));
  runs.push_back(static_cast<std::uint8_t>(length));
}

void put_repeated(bytes& runs, std::size_t n, bool level) {
  put_length(runs, n * 2);
  runs.push_back(level ? 1 : 0);
}

/// Levels begin to begin + n, a number of groups of eight, or the last ones.
void put_packed(bytes& runs, const std::vector<bool>& levels, std::size_t begin, std::size_t n) {
  const auto groups = (n + 7) / 8;
  put_length(runs, groups * 2 + 1);
  for (std::size_t group = 0; group < groups; ++group) {
    unsigned byte = 0;
    for (std::size_t bit = 0; bit < 8 && group * 8 + bit < n; ++bit)
      byte |= unsigned{levels[begin + group * 8 + bit]} << bit;
    runs.push_back(static_cast<std::uint8_t>(byte));
  }
}

struct page {
  std::vector<bool> levels;
  bytes runs;
};

/// About n levels in runs of all lengths, of both kinds.
page random_page(std::size_t n, std::mt19937_64& random) {
  constexpr std::size_t most[] = {1, 9, 70, 600, 20'000};
  page made;
  while (made.levels.size() < n) {
    const auto begin = made.levels.size();
    const auto length = std::min(n - begin, 1 + random() % most[random() % std::size(most)]);
    if (random() % 2 == 0) {
      made.levels.insert(made.levels.end(), length, random() % 2 == 0);
      put_repeated(made.runs, length, made.levels.back());
    } else {
      const auto packed = length < n - begin ? (length + 7) / 8 * 8 : length;
      for (std::size_t i = 0; i < packed; ++i) made.levels.push_back(random() % 3 != 0);
      put_packed(made.runs, made.levels, begin, packed);
    }
  }
  return made;
}

/// Bytes that lie alone, so that no byte behind them may be read.
struct alone {
  explicit alone(std::size_t n) : data(std::make_unique<std::uint8_t[]>(n)), size(n) {}
  explicit alone(const bytes& of) : alone(of.size()) {
    std::copy(of.begin(), of.end(), data.get());
  }
  std::unique_ptr<std::uint8_t[]> data;
  std::size_t size;
};

/// What is put behind `before` bits that alternate, some rows at a time.
void expect_read(const page& of, std::size_t before, std::size_t at_once) {
  const alone runs(of.runs);
  formats::parquet_levels levels;
  levels.open({runs.data.get(), runs.size});
  const auto n = of.levels.size();
  const alone bits((before + n + 7) / 8);
  for (std::size_t i = 0; i < before; i += 2) formats::set_bit(bits.data.get(), std::int64_t(i));
  for (std::size_t begin = 0; begin < n; begin += at_once) {
    const auto some = std::min(at_once, n - begin);
    const auto there =
        levels.read(std::int64_t(some), bits.data.get(), std::int64_t(before + begin));
    ASSERT_EQ(there, std::count(of.levels.begin() + std::int64_t(begin),
                                of.levels.begin() + std::int64_t(begin + some), true));
  }
  for (std::size_t i = 0; i < before + n; ++i)
    ASSERT_EQ(formats::bit_of(bits.data.get(), std::int64_t(i)),
              i < before ? i % 2 == 0 : of.levels[i - before])
        << i;
  EXPECT_THROW(levels.read(8, bits.data.get(), 0), formats::arrow_problem) << "there are no more";
}

TEST(parquet_levels, become_bits_however_they_are_laid_out) {
  std::mt19937_64 random(7);
  for (const std::size_t n : {1, 7, 8, 63, 64, 65, 1'000, 50'000})
    for (int round = 0; round < 8; ++round) {
      // No bits behind the last one, which would be read as levels of more rows.
      const auto made = random_page((n + 7) / 8 * 8, random);
      for (const std::size_t before : {0, 1, 7, 8, 61})
        for (const std::size_t at_once :
             {std::size_t{1}, std::size_t{13}, std::size_t{64}, std::size_t{1} << 20})
          ASSERT_NO_FATAL_FAILURE(expect_read(made, before, at_once)) << n << " " << round;
    }
}

TEST(parquet_levels, may_end_within_a_group) {
  page of{{true, false, true}, {}};
  put_packed(of.runs, of.levels, 0, 3);
  formats::parquet_levels levels;
  levels.open(of.runs);
  std::uint8_t bits = 0;
  EXPECT_EQ(levels.read(3, &bits, 0), 2);
  EXPECT_EQ(bits, 0b101);
}

void expect_refused(const bytes& runs, std::string_view expected) {
  const alone given(runs);
  formats::parquet_levels levels;
  levels.open({given.data.get(), given.size});
  bytes bits(100);
  try {
    levels.read(800, bits.data(), 0);
    ADD_FAILURE() << "expected: " << expected;
  } catch (const formats::arrow_problem& problem) {
    EXPECT_STREQ(problem.what(), std::string(expected).c_str());
  }
}

TEST(parquet_levels, that_are_wrong_are_refused) {
  constexpr auto too_few = "a page has fewer definition levels than rows";
  expect_refused({}, too_few);
  expect_refused({0x80}, too_few);
  expect_refused({0x90, 0x0d}, too_few);           // 840 times nothing
  expect_refused({0x90, 0x01, 1}, too_few);        // 72
  expect_refused({0x00, 1, 0x00, 0}, too_few);     // runs of none
  expect_refused({0xff, 0x01, 0, 0, 0}, too_few);  // of 127 bytes, three are there
  expect_refused({0x90, 0x0d, 2},
                 "a definition level is more than 1, in a column that isn't nested");
  constexpr auto too_long = "a run of definition levels has a length of more than 32 bits";
  expect_refused({0xff, 0xff, 0xff, 0xff, 0x1f, 1}, too_long);
  expect_refused({0x80, 0x80, 0x80, 0x80, 0x80, 0x00, 1}, too_long);
}

TEST(parquet_levels, of_any_bytes_are_read_or_refused) {
  std::mt19937_64 random(11);
  int read = 0, refused = 0;
  for (int round = 0; round < 20'000; ++round) {
    bytes any(random() % 40);
    for (auto& byte : any)
      byte = static_cast<std::uint8_t>(random() % 2 == 0 ? random() % 8 : random());
    const alone given(any);
    const auto n = static_cast<std::int64_t>(random() % 300);
    const alone bits(static_cast<std::size_t>(n + 7) / 8);
    formats::parquet_levels levels;
    levels.open({given.data.get(), given.size});
    try {
      const auto there = levels.read(n, bits.data.get(), 0);
      std::int64_t ones = 0;
      for (std::int64_t i = 0; i < n; ++i) ones += formats::bit_of(bits.data.get(), i) ? 1 : 0;
      ASSERT_EQ(there, ones);
      ++read;
    } catch (const formats::arrow_problem&) {
      ++refused;
    }
  }
  EXPECT_GT(read, 1000);
  EXPECT_GT(refused, 1000);
}

}  // namespace
}  // namespace pappus::testing
