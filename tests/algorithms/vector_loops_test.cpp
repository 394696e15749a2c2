#include <cstring>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "pappus/detail/base/stream.h"

namespace pappus::detail {
namespace {

constexpr std::uint64_t seed = 81;

template <typename T>
std::vector<T> random_values(std::size_t n) {
  std::mt19937_64 engine(seed);
  std::vector<T> values(n);
  for (T& value : values) value = static_cast<T>(engine());
  return values;
}

template <typename T>
void expect_running_sums() {
  for (const std::size_t n : {0, 1, 7, 15, 16, 63, 64, 65, 127, 128, 1000}) {
    for (std::size_t offset = 0; offset < 17; offset += 3) {
      for (const bool past_caches : {false, true}) {
        SCOPED_TRACE(::testing::Message() << n << " numbers, offset " << offset);
        const auto values = random_values<T>(n);
        std::vector<T> got(n + 40, T{99}), expected = got;
        T sum = 5;
        for (std::size_t i = 0; i < n; ++i) expected[offset + i] = sum += values[i];
        EXPECT_EQ(running_sums(T{5}, values.data(), got.data() + offset,
                               static_cast<std::int64_t>(n), past_caches),
                  sum);
        EXPECT_EQ(got, expected);
      }
    }
  }
}

TEST(running_sums, wrap_and_write_nothing_else) {
  SCOPED_TRACE(seed);
  expect_running_sums<std::uint32_t>();
  expect_running_sums<std::uint64_t>();
}

template <typename T>
void expect_compressed(unsigned one_in) {
  std::mt19937_64 engine(seed);
  for (const std::size_t n : {0, 1, 7, 8, 15, 16, 17, 63, 64, 500}) {
    SCOPED_TRACE(n);
    const auto values = random_values<T>(n);
    std::vector<std::uint8_t> keep(n);
    std::vector<T> expected;
    for (std::size_t i = 0; i < n; ++i) {
      keep[i] = engine() % one_in == 0;
      if (keep[i] != 0) expected.push_back(values[i]);
    }
    std::vector<T> got(n + 1, T{99});  // room for n
    const auto kept =
        compress(values.data(), keep.data(), static_cast<std::int64_t>(n), got.data());
    EXPECT_EQ(got[n], T{99});
    got.resize(static_cast<std::size_t>(kept));
    EXPECT_EQ(got, expected);
  }
}

TEST(compress, keeps_order_and_stays_inside_the_room) {
  SCOPED_TRACE(seed);
  for (const unsigned one_in : {1u, 2u, 15u, 1'000'000u}) {
    expect_compressed<std::uint32_t>(one_in);
    expect_compressed<std::uint64_t>(one_in);
  }
}

TEST(copy_past_caches, copies_any_bytes_between_any_addresses) {
  const auto source = random_values<std::uint8_t>(5000);
  for (const std::size_t bytes : {0, 1, 63, 64, 65, 200, 4096, 4500}) {
    for (const std::size_t offset : {0, 1, 13, 64, 100}) {
      SCOPED_TRACE(::testing::Message() << bytes << " bytes, offset " << offset);
      std::vector<std::uint8_t> got(5000, 99), expected = got;
      std::memcpy(expected.data() + offset, source.data() + 3, bytes);
      copy_past_caches(reinterpret_cast<std::byte*>(got.data() + offset),
                       reinterpret_cast<const std::byte*>(source.data() + 3), bytes);
      EXPECT_EQ(got, expected);
    }
  }
}

}  // namespace
}  // namespace pappus::detail
