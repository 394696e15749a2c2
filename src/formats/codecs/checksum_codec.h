// A checksum of 4 bytes behind the bytes, which are stored as they are.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "formats/codecs/codec.h"
#include "formats/codecs/little_endian.h"

namespace pappus::formats {

class checksum_codec : public codec {
 public:
  using codec::codec;

  std::size_t bound(std::size_t n) const noexcept override { return n + sum_bytes; }

  std::optional<std::span<const std::byte>> plain_part(
      std::span<const std::byte> stored) const override {
    if (stored.size() < sum_bytes)
      fail("expected a checksum of 4 bytes, got " + std::to_string(stored.size()) + " bytes");
    const auto plain = stored.first(stored.size() - sum_bytes);
    const std::uint32_t expected = little_endian_32(plain.data() + plain.size());
    const std::uint32_t got = sum_of(plain);
    if (!is_same(got, expected))
      fail("expected bytes with the checksum " + std::to_string(expected) + ", got some with " +
           std::to_string(got));
    return plain;
  }

  std::size_t decode(std::span<const std::byte> stored, std::span<std::byte> out) const override {
    const auto plain = *plain_part(stored);
    if (plain.size() > out.size())
      fail("expected at most " + std::to_string(out.size()) + " bytes, got " +
           std::to_string(plain.size()));
    std::ranges::copy(plain, out.begin());
    return plain.size();
  }

  std::size_t encode(std::span<const std::byte> plain, std::span<std::byte> out) const override {
    std::ranges::copy(plain, out.begin());
    put_little_endian(sum_of(plain), out.data() + plain.size());
    return plain.size() + sum_bytes;
  }

 private:
  static constexpr std::size_t sum_bytes = 4;

  virtual std::uint32_t sum_of(std::span<const std::byte> plain) const = 0;
  /// Whether what is stored stands for this sum.
  virtual bool is_same(std::uint32_t sum, std::uint32_t stored) const { return sum == stored; }
};

}  // namespace pappus::formats
