#include "system/correlator.h"

#include "system/suite.h"
#include "system/triad.h"

namespace pappus::bench {
namespace {

using correlator::antennas, correlator::sample;

void correlate(session& engine, const array<sample, 3>& signals, const array<sample, 3>& sums) {
  engine.for_each(
      {signals.extent(0), antennas, antennas},
      [times = signals.extent(1)](idx<3> at, reads<sample, 3> signals, writes<sample, 3> sums) {
        const auto channel = at[0], i = at[1], j = at[2];
        if (j > i) return;
        float re = 0, im = 0;
        for (std::int64_t t = 0; t < times; ++t) {
          const auto own = signals(channel, t, i), other = signals(channel, t, j);
          re += own.re * other.re + own.im * other.im;
          im += own.im * other.re - own.re * other.im;
        }
        sums[at] = {re, im};
      },
      signals, sums);
  engine.wait();
}

}  // namespace

std::vector<result> run_correlator(const stage& on, std::int64_t n) {
  const auto input = correlator::make_correlator(n, on.asked.seed, on.workers);
  const buffer<sample> sums(input.channels * antennas * antennas, on.workers);
  const auto signals =
      on.engine.to_array<3>(input.signals.all(), {input.channels, input.times, antennas});
  const auto out = on.engine.zeros<sample, 3>({input.channels, antennas, antennas});
  // The first two write to the same buffer, so each runs once more before its checksum is taken.
  return compare(
      on, "correlator", n, min_bytes::correlator(n, antennas),
      {{"sequential", [&] { correlator::sequential(input, sums); },
        [&] {
          correlator::sequential(input, sums);
          return correlator::checksum(sums);
        }},
       {"handwritten", [&] { correlator::handwritten(input, sums, on.workers); },
        [&] {
          correlator::handwritten(input, sums, on.workers);
          return correlator::checksum(sums);
        }},
       {"pappus", [&] { correlate(on.engine, signals, out); },
        [&] {
          const auto found = out.host();
          return correlator::checksum({found.data(), static_cast<std::size_t>(found.size())});
        }}});
}

}  // namespace pappus::bench
