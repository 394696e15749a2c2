#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "algorithms/radix.h"
#include "support/test_memory.h"
#include "support/test_workers.h"

namespace pappus::algorithms {
namespace {

template <typename T>
void expect_sorted(const std::vector<T>& values, std::uint64_t flip) {
  auto expected = values;
  const auto rank = [&](T x) {
    return static_cast<std::make_unsigned_t<T>>(static_cast<std::make_unsigned_t<T>>(x) ^ flip);
  };
  std::sort(expected.begin(), expected.end(), [&](T a, T b) { return rank(a) < rank(b); });
  for (const unsigned threads : {1u, 2u, 5u}) {
    SCOPED_TRACE(threads);
    testing::test_workers team(threads);
    testing::test_memory memory;
    const auto input = values;
    const std::size_t bytes = values.size() * sizeof(T);
    const detail::buffer out(memory, std::max<std::size_t>(bytes, 64), "test");
    sort_integers(team, memory, reinterpret_cast<const std::byte*>(input.data()), out.data(),
                  input.size(), sizeof(T), flip, "test");
    EXPECT_EQ(input, values) << "the input must stay as it is";
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), out.as<T>()));
  }
}

template <typename T>
std::vector<T> random_values(std::size_t n, std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  std::vector<T> values(n);
  for (T& value : values) value = static_cast<T>(engine());
  return values;
}

TEST(sort_integers, orders_numbers_by_their_flipped_bits) {
  const std::uint64_t seed = 71;
  SCOPED_TRACE(seed);
  for (const std::size_t n : {0, 1, 2, 3, 4095, 4096, 4097, 300'001}) {
    SCOPED_TRACE(n);
    const auto small = random_values<std::int32_t>(n, seed);
    expect_sorted(small, 0x80000000u);
    expect_sorted(small, 0x7fffffffu);
    const auto large = random_values<std::int64_t>(n, seed);
    expect_sorted(large, 0);
    expect_sorted(large, std::uint64_t{1} << 63);
  }
}

TEST(sort_integers, splits_frequent_values_again) {
  const std::uint64_t seed = 72;
  SCOPED_TRACE(seed);
  std::mt19937_64 engine(seed);
  std::vector<std::int32_t> values(3'000'000);
  for (auto& value : values)
    value = engine() % 10 == 0 ? static_cast<std::int32_t>(engine())
                               : static_cast<std::int32_t>(engine() % 1000) - 500;
  expect_sorted(values, 0x80000000u);
  for (auto& value : values) value = engine() % 1000 == 0 ? static_cast<int>(engine()) : 7;
  expect_sorted(values, 0x80000000u);
}

TEST(sort_integers, copies_what_is_sorted_and_turns_what_is_reversed) {
  std::vector<std::int32_t> values(100'000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int>(i) - 50'000;
  expect_sorted(values, 0x80000000u);
  std::reverse(values.begin(), values.end());
  expect_sorted(values, 0x80000000u);
}

}  // namespace
}  // namespace pappus::algorithms
