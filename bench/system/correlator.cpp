// A thread takes a channel, and of it as many times as fit the second-level cache: it puts their
// real and imaginary parts apart, and then has sums of four antennas with a vector of others in
// registers. Products of antennas above the diagonal that share a vector with others are left out
// in the end.
#include "system/correlator.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "system/checksum.h"
#include "system/generator.h"
#include "system/lanes.h"

namespace pappus::bench::correlator {
namespace {

constexpr std::int64_t lanes = lanes_of<float>, tile = 4, block_times = 256;

/// Signals of some times, real and imaginary parts apart; sums by two antennas.
struct parts {
  std::vector<float> re, im, sum_re, sum_im;
  parts()
      : re(block_times * antennas),
        im(block_times * antennas),
        sum_re(antennas * antennas),
        sum_im(antennas * antennas) {}
};

/// Antennas i to i + 3 with j to j + lanes - 1.
void add_products(parts& of, std::int64_t times, std::int64_t i, std::int64_t j) {
  f32v re[tile], im[tile];
  for (int k = 0; k < tile; ++k) {
    re[k] = load<f32v>(&of.sum_re[(i + k) * antennas + j]);
    im[k] = load<f32v>(&of.sum_im[(i + k) * antennas + j]);
  }
  for (std::int64_t t = 0; t < times; ++t) {
    const auto other_re = load<f32v>(&of.re[t * antennas + j]),
               other_im = load<f32v>(&of.im[t * antennas + j]);
    for (int k = 0; k < tile; ++k) {
      const f32v own_re = f32v{} + of.re[t * antennas + i + k],
                 own_im = f32v{} + of.im[t * antennas + i + k];
      re[k] = multiply_add(own_re, other_re, multiply_add(own_im, other_im, re[k]));
      im[k] = multiply_add(own_im, other_re, multiply_add(-own_re, other_im, im[k]));
    }
  }
  for (int k = 0; k < tile; ++k) {
    store(&of.sum_re[(i + k) * antennas + j], re[k]);
    store(&of.sum_im[(i + k) * antennas + j], im[k]);
  }
}

}  // namespace

input make_correlator(std::int64_t samples, std::uint64_t seed, team& workers) {
  const auto channels = std::clamp<std::int64_t>(samples / 4096, 1, 256);
  const auto times = samples / channels;
  input made{channels, times, {channels * times * antennas, workers}};
  const stream signals(seed, 0);
  workers.run_pieces(made.signals.size(), 1 << 15, [&](std::int64_t begin, std::int64_t end, int) {
    for (auto i = begin; i < end; ++i) {
      const auto number = static_cast<std::uint64_t>(i);
      made.signals[i] = {signals.f32(2 * number, -1, 1), signals.f32(2 * number + 1, -1, 1)};
    }
  });
  return made;
}

std::string checksum(std::span<const sample> sums) {
  double all = 0, diagonal = 0;
  for (std::size_t at = 0; at < sums.size(); ++at) {
    const auto i = at / antennas % antennas, j = at % antennas;
    if (j > i) continue;
    all += std::abs(static_cast<double>(sums[at].re)) + std::abs(static_cast<double>(sums[at].im));
    if (i == j) diagonal += sums[at].re;
  }
  return scientific(all, 6) + "/" + scientific(diagonal, 7);
}

void sequential(const input& from, std::span<sample> sums) {
  for (std::int64_t channel = 0; channel < from.channels; ++channel)
    for (std::int64_t i = 0; i < antennas; ++i)
      for (std::int64_t j = 0; j <= i; ++j) {
        const sample* signals = from.signals.data() + channel * from.times * antennas;
        float re = 0, im = 0;
        for (std::int64_t t = 0; t < from.times; ++t, signals += antennas) {
          const auto own = signals[i], other = signals[j];
          re += own.re * other.re + own.im * other.im;
          im += own.im * other.re - own.re * other.im;
        }
        sums[(channel * antennas + i) * antennas + j] = {re, im};
      }
}

void correlate(const sample* signals, std::int64_t times, sample* sums) {
  parts of;
  for (std::int64_t first = 0; first < times; first += block_times) {
    const auto n = std::min(block_times, times - first);
    for (std::int64_t k = 0; k < n * antennas; ++k) {
      of.re[k] = signals[first * antennas + k].re;
      of.im[k] = signals[first * antennas + k].im;
    }
    for (std::int64_t i = 0; i < antennas; i += tile)
      for (std::int64_t j = 0; j <= i; j += lanes) add_products(of, n, i, j);
  }
  for (std::int64_t i = 0; i < antennas; ++i)
    for (std::int64_t j = 0; j <= i; ++j)
      sums[i * antennas + j] = {of.sum_re[i * antennas + j], of.sum_im[i * antennas + j]};
}

void handwritten(const input& from, std::span<sample> sums, team& workers) {
  workers.run(from.channels, [&](std::int64_t channel, int) {
    correlate(from.signals.data() + channel * from.times * antennas, from.times,
              sums.data() + channel * antennas * antennas);
  });
}

}  // namespace pappus::bench::correlator
