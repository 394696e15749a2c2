#include "base/checksum.h"

#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

namespace pappus::base {
namespace {

/// CRC32C bit by bit, of words whose bytes lie lowest first.
std::uint64_t slow_step(std::uint64_t crc, std::uint64_t word) {
  auto low = static_cast<std::uint32_t>(crc);
  for (int bit = 0; bit < 64; ++bit) {
    const bool carry = (low ^ (word >> bit)) % 2 != 0;
    low = low >> 1 ^ (carry ? 0x82f63b78U : 0U);
  }
  return low;
}

TEST(checksum, is_crc32c_of_words) {
  std::byte bytes[8];
  for (std::size_t i = 0; i < 8; ++i) bytes[i] = static_cast<std::byte>('1' + i);
  // Fewer than 32 bytes lie in no part: the four sums of nothing, the word and the length follow.
  std::uint64_t all = ~5U;
  for (const std::uint64_t word : {std::uint64_t{~5U}, std::uint64_t{~5U}, std::uint64_t{~5U},
                                   std::uint64_t{0x3837363534333231}, std::uint64_t{8}})
    all = slow_step(all, word);
  EXPECT_EQ(checksum(bytes, 8, 5), ~static_cast<std::uint32_t>(all));
}

TEST(checksum, tells_bytes_apart_that_differ_in_a_bit_in_length_or_in_place) {
  std::vector<std::byte> bytes(4099);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i * i % 253);
  const auto right = checksum(bytes.data(), bytes.size(), 1);
  EXPECT_NE(checksum(bytes.data(), bytes.size(), 2), right);
  EXPECT_NE(checksum(bytes.data(), bytes.size() - 1, 1), right);
  for (std::size_t bit = 0; bit < 8 * bytes.size(); bit += 13) {
    bytes[bit / 8] ^= static_cast<std::byte>(1U << bit % 8);
    EXPECT_NE(checksum(bytes.data(), bytes.size(), 1), right);
    bytes[bit / 8] ^= static_cast<std::byte>(1U << bit % 8);
  }
  EXPECT_EQ(checksum(bytes.data(), bytes.size(), 1), right);
}

TEST(crc32c, is_that_of_others) {
  std::byte bytes[32] = {};
  EXPECT_EQ(crc32c(bytes, 0), 0U);
  EXPECT_EQ(crc32c(bytes, 32), 0x8a9136aaU);  // RFC 3720, B.4
  for (std::size_t i = 0; i < 32; ++i) bytes[i] = static_cast<std::byte>(i);
  EXPECT_EQ(crc32c(bytes, 32), 0x46dd794eU);
  for (std::size_t i = 0; i < 9; ++i) bytes[i] = static_cast<std::byte>('1' + i);
  EXPECT_EQ(crc32c(bytes, 9), 0xe3069283U);
}

}  // namespace
}  // namespace pappus::base
