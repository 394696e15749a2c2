// A text as two words: of up to 15 bytes all of them and their number, so that most keys are hashed
// and compared without looking at their bytes again; of a longer one its length and hash.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "algorithms/key_bits.h"

namespace pappus::algorithms {

struct text_image {
  std::uint64_t low = 0, high = 0;

  bool is_whole() const noexcept { return high >> 56 <= whole_max; }
  std::size_t size() const noexcept { return is_whole() ? high >> 56 : low; }
  std::uint64_t hash() const noexcept {
    constexpr std::uint64_t seed = 0x5be1a9d3704fc286u;
    return mix(low ^ high * 0x9e3779b97f4a7c15u, seed);
  }
  bool operator==(const text_image&) const = default;

  static constexpr std::size_t whole_max = 15;
  /// In place of the number of bytes.
  static constexpr std::uint64_t longer = 0xff;
};

namespace images {

template <typename Word>
inline std::uint64_t word_at(const char* at) noexcept {
  Word word;
  std::memcpy(&word, at, sizeof word);
  return word;
}

/// Of up to 8 bytes, without a loop: words that overlap.
inline std::uint64_t few_bytes(const char* at, std::size_t n) noexcept {
  if (n >= 4)
    return word_at<std::uint32_t>(at) | word_at<std::uint32_t>(at + n - 4) << (8 * (n - 4));
  if (n >= 2)
    return word_at<std::uint16_t>(at) | word_at<std::uint16_t>(at + n - 2) << (8 * (n - 2));
  return n == 0 ? 0 : word_at<std::uint8_t>(at);
}

inline text_image of_long_text(std::string_view text) noexcept {
  std::uint64_t hash = mix(text.size());
  const char* at = text.data();
  for (std::size_t left = text.size(); left > 8; left -= 8, at += 8)
    hash = mix(hash ^ word_at<std::uint64_t>(at));
  hash = mix(hash ^ word_at<std::uint64_t>(text.data() + text.size() - 8));
  return {text.size(), text_image::longer << 56 | hash >> 8};
}

}  // namespace images

inline text_image image_of(std::string_view text) noexcept {
  const std::size_t n = text.size();
  const char* const at = text.data();
  if (n > text_image::whole_max) return images::of_long_text(text);
  const std::uint64_t size = std::uint64_t{n} << 56;
  if (n <= 8) return {images::few_bytes(at, n), size};
  // The last 8 bytes, without those that the first word has.
  const auto last = images::word_at<std::uint64_t>(at + n - 8) >> (8 * (16 - n));
  return {images::word_at<std::uint64_t>(at), last | size};
}

/// Whether texts are the same, of which one has this image and the other the same one.
inline bool same_text(const text_image& of_both, const char* one, const char* other) noexcept {
  return of_both.is_whole() || std::memcmp(one, other, of_both.size()) == 0;
}

}  // namespace pappus::algorithms
