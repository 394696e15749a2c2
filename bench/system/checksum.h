// How checksums are written: 16 hex digits for hashes, a fixed number of digits for floating point,
// '/' between parts.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace pappus::bench {

inline std::string hex_digits(std::uint64_t value) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(value));
  return text;
}

/// A number for a text: 31 times that of the text before its last character, and that; it begins
/// with the length.
constexpr std::uint64_t bits_of_text(std::string_view text) {
  std::uint64_t bits = text.size();
  for (const char c : text) bits = bits * 31 + static_cast<unsigned char>(c);
  return bits;
}

/// `digits` after the point, with an exponent: 1.442392e+06.
inline std::string scientific(double value, int digits) {
  char text[40];
  std::snprintf(text, sizeof text, "%.*e", digits, value);
  return text;
}

}  // namespace pappus::bench
