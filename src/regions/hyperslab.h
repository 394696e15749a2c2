// Every so-manieth place of a box, which HDF5 calls a hyperslab.
#pragma once

#include <cstddef>
#include <cstdint>

#include "regions/box.h"

namespace pappus::regions {

/// The places low[d] + k·steps[d] of a box.
struct hyperslab {
  box bounds;               ///< not empty; its last place is one of them
  point steps{1, 1, 1, 1};  ///< at least 1; in the last dimension 1

  bool has_gaps() const noexcept { return steps != point{1, 1, 1, 1}; }
  std::int64_t count(std::size_t dimension) const noexcept {
    return (bounds.extent(dimension) - 1) / steps[dimension] + 1;
  }
};

/// Whether any of its places lies in a box. \param part  has places of the bounds
inline bool has_place_in(const hyperslab& of, const box& part) noexcept {
  for (std::size_t d = 0; d < of.bounds.rank; ++d) {
    const auto low = of.bounds.low[d], step = of.steps[d];
    const auto first =
        part.low[d] <= low ? low : low + (part.low[d] - low + step - 1) / step * step;
    if (first >= part.high[d]) return false;
  }
  return true;
}

}  // namespace pappus::regions
