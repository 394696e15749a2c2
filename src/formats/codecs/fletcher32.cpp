// Fletcher's checksum behind the bytes, which are stored as they are: two sums modulo 65535 of
// words of 16 bits, the high byte first; one byte that is left is the high byte of a last word.
//
// HDF5 before 1.6.3 stored it, on machines like ours, with the bytes of both halves swapped, and
// its readers take either since.
#include <algorithm>

#include "formats/codecs/codec.h"
#include "formats/codecs/little_endian.h"

namespace pappus::formats {
namespace {

constexpr std::size_t fletcher_bytes = 4;

std::uint32_t fletcher32_of(std::span<const std::byte> bytes) {
  // As many words as can be added before the second sum might not fit in 32 bits.
  constexpr std::size_t words_at_a_time = 360;
  std::uint32_t first = 0, second = 0;
  const auto add = [&](std::uint32_t word) { second += first += word; };
  const auto word_at = [&](std::size_t at) {
    return std::to_integer<std::uint32_t>(bytes[at]) << 8 |
           std::to_integer<std::uint32_t>(bytes[at + 1]);
  };
  const auto fold = [](std::uint32_t sum) { return (sum & 0xffff) + (sum >> 16); };
  const std::size_t words = bytes.size() / 2;
  for (std::size_t i = 0; i < words;) {
    for (const auto end = std::min(words, i + words_at_a_time); i < end; ++i) add(word_at(2 * i));
    first = fold(first), second = fold(second);
  }
  if (bytes.size() % 2 != 0) {
    add(std::to_integer<std::uint32_t>(bytes.back()) << 8);
    first = fold(first), second = fold(second);
  }
  return fold(second) << 16 | fold(first);
}

std::uint32_t halves_swapped(std::uint32_t sum) {
  return (sum & 0x00ff00ff) << 8 | (sum >> 8 & 0x00ff00ff);
}

class fletcher32 final : public codec {
 public:
  fletcher32() : codec("fletcher32") {}

  std::size_t bound(std::size_t n) const noexcept override { return n + fletcher_bytes; }

  std::optional<std::span<const std::byte>> plain_part(
      std::span<const std::byte> stored) const override {
    if (stored.size() < fletcher_bytes)
      fail("expected a checksum of 4 bytes, got " + std::to_string(stored.size()) + " bytes");
    const auto plain = stored.first(stored.size() - fletcher_bytes);
    const std::uint32_t expected = little_endian_32(plain.data() + plain.size());
    const std::uint32_t got = fletcher32_of(plain);
    if (got != expected && halves_swapped(got) != expected)
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
    put_little_endian(fletcher32_of(plain), out.data() + plain.size());
    return plain.size() + fletcher_bytes;
  }
};

}  // namespace

codec_pointer make_fletcher32() { return std::make_unique<fletcher32>(); }

}  // namespace pappus::formats
