// How a std::string_view lies in memory, which the standard leaves open: plugin and library look
// into captures and records by it.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace pappus::detail {

/// Where a view has the pointer to its text, and its length: bytes from its front.
struct view_layout {
  std::size_t pointer, length;
};
inline view_layout layout_of_views() noexcept {
  static constexpr char letter = 'a';
  const auto words = std::bit_cast<std::array<std::uintptr_t, 2>>(std::string_view(&letter, 1));
  if (words[0] == 1) return {sizeof words[0], 0};
  return {0, sizeof words[0]};
}

}  // namespace pappus::detail
