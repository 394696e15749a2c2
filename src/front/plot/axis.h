// Axes: from where to where they go, and the round values that are written on them.
#pragma once

#include <string>
#include <vector>

#include "pappus/plot.h"

namespace pappus::front {

struct tick {
  double at;
  std::string text;
};

struct axis {
  double low = 0, high = 1;
  std::vector<tick> ticks{};

  /// Where a value lies between both ends: from 0 to 1.
  double part(double value) const { return (value - low) / (high - low); }
};

/// Ends that differ, around both values.
axis axis_between(double low, double high);
/// With room for so many texts; at numbers of one, two or five times a power of ten.
void add_ticks(axis& to, std::size_t most);
/// At days, months, years or round times, whichever leave room.
void add_moments(axis& to, detail::axis_kind kind, std::size_t most);

}  // namespace pappus::front
