// The stencil's round as a launched function.
#pragma once

#include <cstdint>

#include "pappus/pappus.h"
#include "system/stencil.h"

namespace pappus::bench::stencil {

/// \tparam Formula  its next() is the temperature of a cell after the round
/// \param side      of the square: beyond the border it is as warm as at it
template <typename Formula>
auto one_round(std::int64_t side) {
  return [side](idx<2> p, reads<float, 2> now, reads<float, 2> power, writes<float, 2> then) {
    const auto i = p[0], j = p[1];
    const float here = now[p];
    const float north = i > 0 ? now(i - 1, j) : here;
    const float south = i + 1 < side ? now(i + 1, j) : here;
    const float west = j > 0 ? now(i, j - 1) : here;
    const float east = j + 1 < side ? now(i, j + 1) : here;
    then[p] = Formula::next(here, power[p], north, south, west, east);
  };
}

/// The two ways to write down what a round does.
struct as_given {
  static float next(auto... cells) { return stencil::next(cells...); }
};
struct multiplied_out {
  static float next(auto... cells) { return stencil::next_multiplied_out(cells...); }
};

}  // namespace pappus::bench::stencil
