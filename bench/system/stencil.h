// Temperatures of a chip (HotSpot, Huang et al. 2006): ten rounds of a five-point stencil over a
// square, which a second square of powers heats. Beyond the border it is as warm as at it.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "system/buffer.h"
#include "system/lanes.h"
#include "system/team.h"

namespace pappus::bench::stencil {

constexpr int rounds = 10;

/// Temperature after one round of a cell, which its neighbours and its power warm or cool.
inline float next(float here, float power, float north, float south, float west, float east) {
  return here + 0.02f * (power + 0.1f * (north + south - 2 * here) +
                         0.1f * (east + west - 2 * here) + 3e-6f * (80 - here));
}

/// What next is, multiplied out: half as many operations, of a cell (float) or of a vector (f32v).
template <typename Number>
Number next_multiplied_out(Number here, Number power, Number north, Number south, Number west,
                           Number east) {
  const Number none = {};
  const Number around = (north + south) + (west + east);
  const Number own = multiply_add(here, none - (0.008f + 0.02f * 3e-6f), none + 0.02f * 80 * 3e-6f);
  return here + multiply_add(around, none + 0.002f, multiply_add(power, none + 0.02f, own));
}

/// Squares of side * side cells, row by row. A run reads and writes `now`; `then` is room for as
/// many.
struct squares {
  std::int64_t side;
  buffer<float> now, then, power;
};
/// \param cells  rounded down to a square number
squares make_stencil(std::int64_t cells, std::uint64_t seed, team& workers);
/// The temperatures to start with.
void reset(std::span<float> temperatures, std::uint64_t seed, team& workers);

/// `sum / sum of temperature * (place modulo 101)`
std::string checksum(std::span<const float> temperatures);

void sequential(squares& of);
/// Round by round.
void handwritten(squares& of, team& workers);
/// All rounds in one pass over memory.
void blocked(squares& of, team& workers);

}  // namespace pappus::bench::stencil
