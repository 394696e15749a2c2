// Where a character comes for the nth time: eight characters at a time, so that a text of many
// short pieces isn't searched anew for each of them.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>

#include "pappus/detail/base/eight_bytes.h"
#include "pappus/detail/base/hash_string.h"

namespace pappus::detail {

/// The place of the character that comes n times before; npos where it doesn't come so often.
/// \complexity linear in the place
constexpr std::size_t nth_of(std::string_view text, char wanted, std::size_t n) noexcept {
  std::size_t at = 0;
  if (!std::is_constant_evaluated()) {
    const auto mask = eight_of(static_cast<unsigned char>(wanted));
    for (; at < text.size(); at += 8) {
      std::uint64_t eight;
      if (text.size() - at >= 8)
        std::memcpy(&eight, text.data() + at, sizeof eight);
      else
        eight = last_bytes(text);
      auto found = others_than_zero(eight ^ mask) ^ high_bits;
      const auto here = count_high_bits(found);
      if (here <= n) {
        n -= here;
        continue;
      }
      for (; n > 0; --n) found &= found - 1;
      at += static_cast<std::size_t>(std::countr_zero(found)) / 8;
      return at < text.size() ? at : text.npos;  // the last bytes have zeros behind them
    }
    return text.npos;
  }
  for (; at < text.size(); ++at)
    if (text[at] == wanted && n-- == 0) return at;
  return text.npos;
}

}  // namespace pappus::detail
