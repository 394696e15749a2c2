// Pages of the system.
#pragma once

#include <cstddef>

namespace pappus::memory {

inline constexpr std::size_t huge_page = std::size_t{2} << 20;

/// Maps so many bytes, whole pages. Those of a huge page and more begin at a huge page, and are to
/// have such. Null: the system has none to give.
/// \param more_flags  for mmap, besides the usual ones
std::byte* map_pages(std::size_t bytes, int more_flags);

}  // namespace pappus::memory
