// Compressed texts for tests.
#pragma once

#include <algorithm>
#include <cstddef>
#include <random>
#include <span>
#include <string>
#include <string_view>

#include "formats/codecs/codec.h"

namespace pappus::testing {

inline std::string encoded(const formats::codec& by, std::string_view text) {
  std::string result(by.bound(text.size()), '\0');
  result.resize(
      by.encode(std::as_bytes(std::span(text)), std::as_writable_bytes(std::span(result))));
  return result;
}

/// One gzip member.
inline std::string gzipped(std::string_view text) { return encoded(*formats::make_gzip(6), text); }
/// One zstd frame.
inline std::string zstd_of(std::string_view text) { return encoded(*formats::make_zstd(3), text); }
/// A member, or frame, for each so many bytes.
template <typename Compress>
std::string in_parts(Compress&& compress, std::string_view text, std::size_t bytes) {
  std::string result;
  for (std::size_t at = 0; at < text.size(); at += bytes)
    result += compress(text.substr(at, bytes));
  return result;
}

/// Text that hardly gets smaller, in lines.
inline std::string noise(std::size_t bytes, unsigned seed = 1) {
  std::mt19937_64 random(seed);
  std::string text(bytes, '\0');
  for (auto& c : text) c = static_cast<char>('a' + random() % 26);
  for (std::size_t at = 99; at < bytes; at += 100) text[at] = '\n';
  return text;
}

}  // namespace pappus::testing
