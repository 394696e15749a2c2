// Where quantiles lie: between two ranks, linearly.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace pappus::ops {

/// Of the ranks 0 to n - 1: p (n - 1), as a rank and how far it is from there to the next one.
struct quantile_place {
  quantile_place(double p, std::size_t n) {
    const double at = p * static_cast<double>(n - 1);
    rank = std::min(static_cast<std::size_t>(at), n - 1);
    fraction = std::max(at - static_cast<double>(rank), 0.0);
  }
  std::size_t rank;
  double fraction;
};

/// The number at a fraction of the way from one to the next one; also where their difference isn't
/// finite. NaN is the greatest.
inline double between(double low, double high, double fraction) {
  if (fraction == 0 || low == high) return low;
  if (std::isnan(high)) return high;
  const double step = high - low;
  return std::isfinite(step) ? low + step * fraction : low * (1 - fraction) + high * fraction;
}

}  // namespace pappus::ops
