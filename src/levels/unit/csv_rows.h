// Ends of rows in a piece of CSV text; formats/csv/csv_scan.h says how.
#pragma once

#include <cstring>

#include "levels/kernels.h"
#include "levels/unit/text_blocks.h"

namespace pappus::levels {
namespace {

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
