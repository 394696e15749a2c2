// The hand-written version takes some steps of some thousand places, which stay in the second-level
// cache, and adds them up place by place, so that a sum is loaded and stored once for all of them.
#include "system/anomaly.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include <fmt/format.h>

#include "system/checksum.h"
#include "system/generator.h"

namespace pappus::bench::anomaly {
namespace {

constexpr std::int64_t size = sizeof(float);
constexpr std::int64_t at_once = 8;   // steps
constexpr std::int64_t in_turn = 32;  // steps that a thread takes
constexpr std::int64_t width = 8192;  // places

/// Of all places, one after another.
struct sums {
  double *xy, *xx, *yy;
};

/// \param x, y  of `Steps` steps, each `width` after the other
template <std::int64_t Steps>
void add_steps(const float* x, const float* y, std::int64_t places, double* __restrict xy,
               double* __restrict xx, double* __restrict yy) {
  for (std::int64_t i = 0; i < places; ++i) {
    double of_xy = xy[i], of_xx = xx[i], of_yy = yy[i];
    for (std::int64_t step = 0; step < Steps; ++step) {
      const auto a = static_cast<double>(x[step * width + i]);
      const auto b = static_cast<double>(y[step * width + i]);
      of_xy += a * b;
      of_xx += a * a;
      of_yy += b * b;
    }
    xy[i] = of_xy, xx[i] = of_xx, yy[i] = of_yy;
  }
}

void read_part(const input_bytes& file, const layout& of, std::int64_t step, std::int64_t first,
               std::int64_t places, float* to) {
  file.read((step * of.places() + first) * size,
            std::as_writable_bytes(std::span(to, static_cast<std::size_t>(places))));
}

/// Adds steps of all places to sums.
void add_all(const fields& from, std::int64_t begin, std::int64_t end, float* read, sums to) {
  const auto places = from.of.places();
  float *const x = read, *const y = read + at_once * width;
  for (std::int64_t first = 0; first < places; first += width) {
    const auto n = std::min(width, places - first);
    for (auto step = begin; step < end;) {
      const auto steps = std::min(at_once, end - step);
      for (std::int64_t i = 0; i < steps; ++i) {
        read_part(from.forecast, from.of, step + i, first, n, x + i * width);
        read_part(from.observed, from.of, step + i, first, n, y + i * width);
      }
      double *const xy = to.xy + first, *const xx = to.xx + first, *const yy = to.yy + first;
      if (steps == at_once)
        add_steps<at_once>(x, y, n, xy, xx, yy);
      else
        for (std::int64_t i = 0; i < steps; ++i)
          add_steps<1>(x + i * width, y + i * width, n, xy, xx, yy);
      step += steps;
    }
  }
}

void announce_steps(const input_bytes& file, const layout& of, std::int64_t begin,
                    std::int64_t end) {
  end = std::min(end, of.steps);
  if (begin < end) file.announce(begin * of.places() * size, (end - begin) * of.places() * size);
}

}  // namespace

layout layout_of(std::int64_t n) {
  constexpr double most = 1600.0 * 200 * 400;
  const double scale = std::cbrt(static_cast<double>(n) / most);
  const auto part = [&](double of) { return std::max<std::int64_t>(std::llround(of * scale), 1); };
  return {part(1600), part(200), part(400)};
}

fields make_anomaly(std::int64_t n, std::uint64_t seed, team& workers) {
  const auto of = layout_of(n);
  const stream values(seed, 0), others(seed, 1);
  const auto file = [&](bool is_observed) {
    const auto make = [&, is_observed](std::int64_t begin, std::span<std::byte> to) {
      auto* const floats = reinterpret_cast<float*>(to.data());
      for (std::int64_t i = 0; i < std::ssize(to) / size; ++i) {
        const auto number = static_cast<std::uint64_t>(begin / size + i);
        const float x = values.f32(number, -4, 4);
        floats[i] = is_observed ? (x + others.f32(number, -4, 4)) / 2 : x;
      }
    };
    return input_bytes(scratch_file(".raw"), of.steps * of.places() * size, std::int64_t{1} << 20,
                       workers, make);
  };
  return {of, file(false), file(true)};
}

std::string checksum(const means& of) {
  std::array<double, 4> all{};
  for (std::size_t i = 0; i < of.xy.size(); ++i) {
    all[0] += of.xy[i], all[1] += of.xx[i], all[2] += of.yy[i];
    all[3] += of.xy[i] / std::sqrt(of.xx[i] * of.yy[i]) * static_cast<double>(1 + i % 31);
  }
  return fmt::format("{}/{}/{}/{}", scientific(all[0], 8), scientific(all[1], 8),
                     scientific(all[2], 8), scientific(all[3], 8));
}

void sequential(const fields& from, means& to) {
  const auto places = from.of.places();
  std::vector<float> x(to.xy.size()), y(to.xy.size());
  to = means(places);
  for (std::int64_t step = 0; step < from.of.steps; ++step) {
    read_part(from.forecast, from.of, step, 0, places, x.data());
    read_part(from.observed, from.of, step, 0, places, y.data());
    add_steps<1>(x.data(), y.data(), places, to.xy.data(), to.xx.data(), to.yy.data());
  }
  for (auto* one : {&to.xy, &to.xx, &to.yy})
    for (double& sum : *one) sum /= static_cast<double>(from.of.steps);
}

void handwritten(const fields& from, means& to, team& workers) {
  const auto threads = static_cast<std::size_t>(workers.threads());
  const auto places = to.xy.size();
  const std::int64_t ahead = 2 * in_turn * workers.threads();
  std::vector<double> all(threads * 3 * places);
  std::vector<float> read(threads * 2 * at_once * width);
  workers.run_pieces(from.of.steps, in_turn, [&](std::int64_t begin, std::int64_t end, int worker) {
    const auto w = static_cast<std::size_t>(worker);
    announce_steps(from.forecast, from.of, begin + ahead, end + ahead);
    announce_steps(from.observed, from.of, begin + ahead, end + ahead);
    double* const here = all.data() + w * 3 * places;
    add_all(from, begin, end, read.data() + w * 2 * at_once * width,
            {here, here + places, here + 2 * places});
  });
  double* const results[] = {to.xy.data(), to.xx.data(), to.yy.data()};
  for (std::size_t which = 0; which < 3; ++which)
    for (std::size_t i = 0; i < places; ++i) {
      double sum = 0;
      for (std::size_t w = 0; w < threads; ++w) sum += all[(w * 3 + which) * places + i];
      results[which][i] = sum / static_cast<double>(from.of.steps);
    }
}

}  // namespace pappus::bench::anomaly
