// Halves of a box, for what is cut until it is small enough.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "pappus/detail/base/integers.h"
#include "regions/box.h"

namespace pappus::regions {

/// What halves have along a dimension: at least so many places, and a multiple of `unit`.
struct grain {
  std::int64_t least = 1, unit = 1;
};

/// About half of a box, from its low end: cut along the dimension that leaves the fewest bytes for
/// each place. None: it may not be cut.
/// \param dimensions  as bits, along which it may be
/// \param grain_of  grain_of(dimension)
/// \param bytes_of  bytes_of(box), called for each of these dimensions; HUGE_VAL: not that half
template <typename GrainOf, typename BytesOf>
std::optional<box> best_half(const box& whole, unsigned dimensions, GrainOf grain_of,
                             BytesOf bytes_of) {
  std::optional<box> best;
  double fewest = HUGE_VAL;
  for (std::size_t d = 0; d < whole.rank; ++d) {
    const grain of = grain_of(d);
    const auto extent = whole.extent(d);
    const auto places = detail::round_up(extent / 2 + extent % 2, of.unit);
    if ((dimensions >> d & 1U) == 0 || extent / 2 < of.least || places >= extent) continue;
    auto half = whole;
    half.high[d] = half.low[d] + places;
    const auto each = static_cast<double>(bytes_of(half)) / static_cast<double>(half.volume());
    if (each >= fewest) continue;
    best = half;
    fewest = each;
  }
  return best;
}

}  // namespace pappus::regions
