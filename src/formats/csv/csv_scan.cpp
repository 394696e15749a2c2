#include "formats/csv/csv_scan.h"

#include <bit>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace pappus::formats {
namespace {

constexpr std::size_t block = 64;

// Bit i tells whether text[i] is `wanted`.
inline std::uint64_t positions(const char* text, char wanted) noexcept {
  std::uint64_t mask = 0;
#if defined(__SSE2__)
  const __m128i pattern = _mm_set1_epi8(wanted);
  for (std::size_t i = 0; i < block; i += 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text + i));
    const auto part = static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, pattern)));
    mask |= std::uint64_t{part} << i;
  }
#else
  for (std::size_t i = 0; i < block; ++i) mask |= std::uint64_t{text[i] == wanted} << i;
#endif
  return mask;
}

// Bit i of the result is the xor of bits 0 to i.
inline std::uint64_t prefix_xor(std::uint64_t bits) noexcept {
  for (unsigned shift = 1; shift < 64; shift *= 2) bits ^= bits << shift;
  return bits;
}

class scanner {
 public:
  void step(const char* text, std::int64_t offset) noexcept {
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

  scan_result finish() noexcept {
    result_.toggles = state_ != 0;
    return result_;
  }

 private:
  void note(int state, std::uint64_t ends, std::int64_t offset) noexcept {
    if (ends == 0) return;
    result_.row_ends[state] += std::popcount(ends);
    result_.last_end[state] = offset + 63 - std::countl_zero(ends);
  }

  std::uint64_t state_ = 0;  // all bits set: inside quotes, if the piece began outside
  scan_result result_;
};

}  // namespace

scan_result scan_rows(std::string_view text) noexcept {
  scanner scan;
  std::size_t at = 0;
  for (; at + block <= text.size(); at += block) {
    scan.step(text.data() + at, static_cast<std::int64_t>(at));
  }
  if (at < text.size()) {
    char rest[block] = {};
    std::memcpy(rest, text.data() + at, text.size() - at);
    scan.step(rest, static_cast<std::int64_t>(at));
  }
  return scan.finish();
}

}  // namespace pappus::formats
