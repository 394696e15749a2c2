// Bodies that attract each other, all pairs, ten steps of time.
#pragma once

#include <cstdint>
#include <string>

#include "system/buffer.h"
#include "system/team.h"

namespace pappus::bench::nbody {

constexpr int steps = 10;
constexpr float softening = 0.01f;  ///< the square of what keeps close bodies apart
constexpr float step_time = 1e-5f;
/// Bodies that lie together in a vector; the last ones may only be there to fill it, without mass.
constexpr std::int64_t lanes = 16;

/// Where bodies are and how fast they move. A run goes on from there.
struct bodies {
  std::int64_t count;  ///< without those that fill the last vector
  buffer<float> x, y, z, mass, vx, vy, vz;
};
/// \param pairs  of as many bodies as its root says
bodies make_nbody(std::int64_t pairs, std::uint64_t seed, team& workers);
/// Places to start with, at rest.
void reset(bodies& all, std::uint64_t seed);

/// `sum of absolute coordinates / sum of absolute velocities`
std::string checksum(const bodies& all);

void sequential(bodies& all);
void handwritten(bodies& all, team& workers);

}  // namespace pappus::bench::nbody
