// A text as two words: of up to 15 bytes its code (detail/base/text_code.h), so that most keys are
// hashed and compared without looking at their bytes again; of a longer one its length and hash.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "algorithms/key_bits.h"
#include "pappus/detail/base/text_code.h"

namespace pappus::algorithms {

struct text_image {
  std::uint64_t low = 0, high = 0;

  bool is_whole() const noexcept { return detail::text_codes::is_short({low, high}); }
  std::size_t size() const noexcept { return is_whole() ? low & 0xff : low >> 8; }
  std::uint64_t hash() const noexcept {
    constexpr std::uint64_t seed = 0x5be1a9d3704fc286u;
    return mix(low ^ high * 0x9e3779b97f4a7c15u, seed);
  }
  bool operator==(const text_image&) const = default;
};

inline text_image image_of_longer(std::string_view text) noexcept {
  using detail::text_codes::word_at;
  std::uint64_t hash = mix(text.size());
  const char* at = text.data();
  for (std::size_t left = text.size(); left > 8; left -= 8, at += 8)
    hash = mix(hash ^ word_at<std::uint64_t>(at));
  hash = mix(hash ^ word_at<std::uint64_t>(text.data() + text.size() - 8));
  return {text.size() << 8 | detail::text_codes::longer, hash};
}

inline text_image image_of(std::string_view text) noexcept {
  if (text.size() > detail::text_codes::short_max) return image_of_longer(text);
  const auto code = detail::text_codes::of_short(text);
  return {code.lo, code.hi};
}

/// Whether texts are the same, of which one has this image and the other the same one.
inline bool same_text(const text_image& of_both, const char* one, const char* other) noexcept {
  return of_both.is_whole() || std::memcmp(one, other, of_both.size()) == 0;
}

}  // namespace pappus::algorithms
