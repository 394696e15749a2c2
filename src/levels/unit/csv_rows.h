// Ends of rows in a piece of CSV text; formats/csv/csv_scan.h says how.
#pragma once

#include "levels/kernels.h"
#include "levels/unit/vectors.h"

namespace pappus::levels {
namespace {

constexpr std::size_t text_block = 64;

// Bit i tells whether text[i] is `wanted`.
inline std::uint64_t positions(const char* text, char wanted) {
#if defined(__AVX512BW__)
  return _mm512_cmpeq_epi8_mask(_mm512_loadu_si512(text), _mm512_set1_epi8(wanted));
#elif defined(__AVX2__)
  const auto pattern = _mm256_set1_epi8(wanted);
  const auto half = [&](int first) {
    const auto bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(text + first));
    return static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(bytes, pattern)));
  };
  return half(0) | std::uint64_t{half(32)} << 32;
#elif defined(__SSE2__)
  const auto pattern = _mm_set1_epi8(wanted);
  std::uint64_t mask = 0;
  for (std::size_t i = 0; i < text_block; i += 16) {
    const auto bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text + i));
    const auto part = static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, pattern)));
    mask |= std::uint64_t{part} << i;
  }
  return mask;
#else
  std::uint64_t mask = 0;
  for (std::size_t i = 0; i < text_block; ++i) mask |= std::uint64_t{text[i] == wanted} << i;
  return mask;
#endif
}

// Bit i of the result is the xor of bits 0 to i.
inline std::uint64_t prefix_xor(std::uint64_t bits) {
  for (unsigned shift = 1; shift < 64; shift *= 2) bits ^= bits << shift;
  return bits;
}

class row_scanner {
 public:
  void step(const char* text, std::int64_t offset) {
    const std::uint64_t quotes = positions(text, '"');
    const std::uint64_t newlines = positions(text, '\n');
    std::uint64_t inside = state_;
    if (quotes != 0) {
      inside ^= prefix_xor(quotes);
      state_ = (inside >> 63) != 0 ? ~std::uint64_t{0} : 0;
    }
    note(0, newlines & ~inside, offset);
    note(1, newlines & inside, offset);
  }

  rows_scanned finish() {
    result_.toggles = state_ != 0;
    return result_;
  }

 private:
  void note(int state, std::uint64_t ends, std::int64_t offset) {
    if (ends == 0) return;
    result_.row_ends[state] += __builtin_popcountll(ends);
    result_.last_end[state] = offset + 63 - __builtin_clzll(ends);
  }

  std::uint64_t state_ = 0;  // all bits set: inside quotes, if the piece began outside
  rows_scanned result_ = {{0, 0}, {-1, -1}, false};
};

rows_scanned scan_csv_rows(const char* text, std::size_t bytes) noexcept {
  row_scanner scan;
  std::size_t at = 0;
  for (; at + text_block <= bytes; at += text_block)
    scan.step(text + at, static_cast<std::int64_t>(at));
  if (at < bytes) {
    char rest[text_block] = {};
    std::memcpy(rest, text + at, bytes - at);
    scan.step(rest, static_cast<std::int64_t>(at));
  }
  return scan.finish();
}

}  // namespace
}  // namespace pappus::levels
