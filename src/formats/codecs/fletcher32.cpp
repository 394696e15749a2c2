// Fletcher's checksum behind the bytes, which are stored as they are: two sums modulo 65535 of
// words of 16 bits, the high byte first; one byte that is left is the high byte of a last word.
//
// HDF5 before 1.6.3 stored it, on machines like ours, with the bytes of both halves swapped, and
// its readers take either since.
#include <algorithm>

#include "formats/codecs/checksum_codec.h"

namespace pappus::formats {
namespace {

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

class fletcher32 final : public checksum_codec {
 public:
  fletcher32() : checksum_codec("fletcher32") {}

 private:
  std::uint32_t sum_of(std::span<const std::byte> plain) const override {
    return fletcher32_of(plain);
  }
  bool is_same(std::uint32_t sum, std::uint32_t stored) const override {
    return sum == stored || halves_swapped(sum) == stored;
  }
};

}  // namespace

codec_pointer make_fletcher32() { return std::make_unique<fletcher32>(); }

}  // namespace pappus::formats
