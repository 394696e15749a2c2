// A telescope of eight antennas finds out which of them hear the same.
//
//   correlator [TIMES]
//
// For every pair of antennas: the sum over time of one signal times the other's conjugate. Antennas
// 2 and 5 hear a star, 5 a quarter of a wave later, all others noise. The index is a pair; signals
// of an antenna lie together, so a pair reads two rows. Shows complex elements, a launch with two
// indices that leaves some elements out, queries over what a launch wrote.
#include <cmath>
#include <complex>
#include <cstdlib>
#include <iomanip>
#include <iostream>

#include <pappus/pappus.h>

using pappus::idx;
using pappus::reads;
using pappus::writes;
using sample = std::complex<float>;

/// Between -1 and 1, by number (Steele and others, "SplitMix").
float noise(std::uint64_t number) {
  std::uint64_t bits = (number + 1) * 0x9E3779B97F4A7C15;
  bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9;
  bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EB;
  return static_cast<float>(static_cast<std::int64_t>(bits >> 40) - (1 << 23)) / (1 << 23);
}

int main(int argc, char** argv) {
  pappus::session s{argc, argv};
  const long antennas = 8, times = argc > 1 ? std::atol(argv[1]) : 10'000;

  auto signals = s.zeros<sample, 2>({antennas, times});
  s.for_each(
      {antennas, times},
      [times](idx<2> at, writes<sample, 2> signals) {
        const auto antenna = at[0], t = at[1];
        const auto own = static_cast<std::uint64_t>(2 * (antenna * times + t));
        const auto star = static_cast<std::uint64_t>(2 * (antennas * times + t));
        sample heard{noise(own), noise(own + 1)};
        const sample light{noise(star), noise(star + 1)};
        if (antenna == 2) heard += light;
        if (antenna == 5) heard += sample{-light.imag(), light.real()};  // times i
        signals[at] = heard;
      },
      signals);

  auto sums = s.zeros<sample, 2>({antennas, antennas});
  s.for_each(
      {antennas, antennas},
      [times](idx<2> pair, reads<sample, 2> signals, writes<sample, 2> sums) {
        if (pair[1] >= pair[0]) return;
        sample sum = 0;
        for (long t = 0; t < times; ++t)
          sum += signals(pair[0], t) * std::conj(signals(pair[1], t));
        sums[pair] = sum / static_cast<float>(times);
      },
      signals, sums);

  const auto found = sums.host();
  std::cout << std::fixed << std::setprecision(1);
  for (long i = 0; i < antennas; ++i)
    for (long j = 0; j < i; ++j)
      if (std::abs(found(i, j)) > 0.1F)
        std::cout << "antennas " << j << " and " << i << " hear the same: " << std::abs(found(i, j))
                  << ", " << std::arg(found(i, j)) * 180 / 3.14159265F << " degrees apart\n";
}
