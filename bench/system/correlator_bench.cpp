// pappus: an index is a sum. pappus, blocks: an index is a channel, with the function that the
// hand-written version has for one.
#include "system/correlator.h"

#include "system/suite.h"
#include "system/triad.h"

namespace pappus::bench {
namespace {

using correlator::antennas, correlator::sample;

void correlate_channels(session& engine, const array<sample, 3>& signals,
                        const array<sample, 3>& sums) {
  const auto f = [times = signals.extent(1)](idx<1> channel, reads<sample, 3> signals,
                                             updates<sample, 3> sums) {
    correlator::correlate(&signals(channel, 0, 0), times, &sums(channel, 0, 0));
  };
  const auto* touched = "signals, sums: global c => read signals[c,:,:], readwrite sums[c,:,:]";
  engine.for_each(signals.extent(0), annotated(f, touched), signals, sums);
  engine.wait();
}

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
  // Versions of a kind write to the same sums, so each runs once more before its checksum is taken.
  const auto by_hand = [&](const char* name, auto run) -> version {
    return {name, run, [&sums, run] {
              run();
              return correlator::checksum(sums);
            }};
  };
  const auto by_pappus = [&](const char* name, auto correlated) -> version {
    const auto run = [&, correlated] { correlated(on.engine, signals, out); };
    return {name, run, [&out, run] {
              run();
              const auto found = out.host();
              return correlator::checksum({found.data(), static_cast<std::size_t>(found.size())});
            }};
  };
  return compare(on, "correlator", n, min_bytes::correlator(n, antennas),
                 {by_hand("sequential", [&] { correlator::sequential(input, sums); }),
                  by_hand("handwritten", [&] { correlator::handwritten(input, sums, on.workers); }),
                  by_pappus("pappus", correlate), by_pappus("pappus, blocks", correlate_channels)});
}

}  // namespace pappus::bench
