// What telescopes make of their antennas' signals: for every channel of frequencies and every pair
// of antennas, the sum over time of one signal times the other's conjugate.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "system/buffer.h"
#include "system/team.h"

namespace pappus::bench::correlator {

constexpr std::int64_t antennas = 64;

/// A complex number.
struct sample {
  float re, im;
};

/// signals[(channel * times + time) * antennas + antenna]
struct input {
  std::int64_t channels, times;
  buffer<sample> signals;
};
/// \param samples  of an antenna, in all channels
input make_correlator(std::int64_t samples, std::uint64_t seed, team& workers);

/// By channel and two antennas, the second one at most the first.
/// `sum of absolute parts / sum of an antenna with itself`
std::string checksum(std::span<const sample> sums);

/// Of one channel. \param sums  antennas * antennas, those above the diagonal are left as they are
void correlate(const sample* signals, std::int64_t times, sample* sums);

/// \param sums  for each channel antennas * antennas
void sequential(const input& from, std::span<sample> sums);
void handwritten(const input& from, std::span<sample> sums, team& workers);

}  // namespace pappus::bench::correlator
