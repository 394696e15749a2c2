// Where cells of CSV text end; formats/csv/csv_cell_ends.h goes through them.
#pragma once

#include "levels/kernels.h"
#include "levels/unit/text_blocks.h"

namespace pappus::levels {
namespace {

/// Writes the positions of all bits, from `first`; eight at a time, as whether there is one more
/// isn't foreseen.
inline std::uint16_t* list_positions(std::uint64_t bits, std::size_t first, std::uint16_t* to) {
  constexpr int at_once = 8;
  const int count = __builtin_popcountll(bits);
  for (int done = 0; done < count; done += at_once) {
    for (int i = 0; i < at_once; ++i) {
      // Of none that are left some position is written, which the next one overwrites.
      to[done + i] = static_cast<std::uint16_t>(
          first + static_cast<std::size_t>(__builtin_ctzll(bits | std::uint64_t{1} << 63)));
      bits &= bits - 1;
    }
  }
  return to + count;
}

std::size_t list_csv_ends(const char* text, std::size_t blocks, char delimiter,
                          std::uint16_t* ends) noexcept {
  auto* to = ends;
  for (std::size_t at = 0; at < blocks * text_block; at += text_block)
    to = list_positions(
        positions(text + at, delimiter) | positions(text + at, '\n') | positions(text + at, '"'),
        at, to);
  return static_cast<std::size_t>(to - ends);
}

}  // namespace
}  // namespace pappus::levels
