// Axes of a page's charts: which values are written beside them, and how.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace pappus::report {

/// Of the page's pictures, in pixels.
inline constexpr double picture_width = 1040;

struct tick {
  double at = 0;
  std::string text{};
};

/// At most `most` ticks from 0 to `seconds`, at 1, 2 or 5 times a power of ten, all in one unit.
std::vector<tick> time_ticks(double seconds, std::size_t most);
/// The same of bytes, at powers of two.
std::vector<tick> byte_ticks(double bytes, std::size_t most);

}  // namespace pappus::report
