// How checksums are written: 16 hex digits for hashes, a fixed number of digits for floating point,
// '/' between parts.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

namespace pappus::bench {

inline std::string hex_digits(std::uint64_t value) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(value));
  return text;
}

/// `digits` after the point, with an exponent: 1.442392e+06.
inline std::string scientific(double value, int digits) {
  char text[40];
  std::snprintf(text, sizeof text, "%.*e", digits, value);
  return text;
}

}  // namespace pappus::bench
