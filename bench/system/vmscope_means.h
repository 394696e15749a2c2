// Means of blocks by Pappus, of any file of a slide.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pappus/pappus.h"
#include "system/vmscope.h"

namespace pappus::bench::vmscope {

struct pixel {
  colour red, green, blue;
};

struct mean_pixel {
  static constexpr bool commutative = true;
  std::uint32_t red = 0, green = 0, blue = 0, n = 0;
  void accumulate(const pixel& p) { red += p.red, green += p.green, blue += p.blue, ++n; }
  void merge(const mean_pixel& o) { red += o.red, green += o.green, blue += o.blue, n += o.n; }
  pixel finalize() const {
    const auto mean = [&](std::uint32_t sum) { return static_cast<colour>((sum + n / 2) / n); };
    return {mean(red), mean(green), mean(blue)};
  }
};

/// The square that is viewed.
inline box<2> window_of(const layout& of) {
  return {{of.top, of.left}, {of.top + of.side, of.left + of.side}};
}

std::vector<pixel> average(session& s, const array<pixel, 2>& slide, const box<2>& window);
/// With what the function touches written down, which compilers without the plugin don't find.
std::vector<pixel> average_told(session& s, const array<pixel, 2>& slide, const box<2>& window);

std::string checksum(const std::vector<pixel>& view);

}  // namespace pappus::bench::vmscope
