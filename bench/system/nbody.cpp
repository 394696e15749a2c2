// Bodies in the lanes of a vector meet all others, one after the other; two vectors at a
// time share what is loaded of these. The inverse root is an approximation and a step of Newton's.
#include "system/nbody.h"

#include <algorithm>
#include <cmath>

#include "system/checksum.h"
#include "system/generator.h"
#include "system/lanes.h"

namespace pappus::bench::nbody {
namespace {

/// What pulls a vector of bodies.
struct pull {
  f32v x{}, y{}, z{};
};

template <int Vectors>
void accelerate(const bodies& all, std::int64_t first) {
  f32v x[Vectors], y[Vectors], z[Vectors];
  pull own[Vectors];
  for (int v = 0; v < Vectors; ++v) {
    x[v] = load<f32v>(all.x.data() + first + v * lanes_of<float>);
    y[v] = load<f32v>(all.y.data() + first + v * lanes_of<float>);
    z[v] = load<f32v>(all.z.data() + first + v * lanes_of<float>);
  }
  for (std::int64_t j = 0; j < all.count; ++j)
    for (int v = 0; v < Vectors; ++v) {
      const f32v dx = all.x[j] - x[v], dy = all.y[j] - y[v], dz = all.z[j] - z[v];
      const f32v near = multiply_add(dx, dx, multiply_add(dy, dy, dz * dz + softening));
      const f32v inverse = inverse_root(near);
      const f32v strength = all.mass[j] * inverse * (inverse * inverse);
      own[v].x = multiply_add(strength, dx, own[v].x);
      own[v].y = multiply_add(strength, dy, own[v].y);
      own[v].z = multiply_add(strength, dz, own[v].z);
    }
  const auto faster = [&](const buffer<float>& of, std::int64_t at, f32v by) {
    store(of.data() + at, load<f32v>(of.data() + at) + step_time * by);
  };
  for (int v = 0; v < Vectors; ++v) {
    faster(all.vx, first + v * lanes_of<float>, own[v].x);
    faster(all.vy, first + v * lanes_of<float>, own[v].y);
    faster(all.vz, first + v * lanes_of<float>, own[v].z);
  }
}

void move(const bodies& all) {
  for (std::int64_t i = 0; i < all.x.size(); ++i) {
    all.x[i] += step_time * all.vx[i];
    all.y[i] += step_time * all.vy[i];
    all.z[i] += step_time * all.vz[i];
  }
}

}  // namespace

bodies make_nbody(std::int64_t pairs, std::uint64_t seed, team& workers) {
  const auto count = static_cast<std::int64_t>(std::sqrt(static_cast<double>(pairs)));
  const auto size = (count + lanes - 1) / lanes * lanes;
  bodies all{count,           {size, workers}, {size, workers}, {size, workers},
             {size, workers}, {size, workers}, {size, workers}, {size, workers}};
  reset(all, seed);
  return all;
}

void reset(bodies& all, std::uint64_t seed) {
  const stream x(seed, 0), y(seed, 1), z(seed, 2), mass(seed, 3);
  for (std::int64_t i = 0; i < all.x.size(); ++i) {
    const auto number = static_cast<std::uint64_t>(i);
    all.x[i] = x.f32(number, -1, 1);
    all.y[i] = y.f32(number, -1, 1);
    all.z[i] = z.f32(number, -1, 1);
    all.mass[i] = i < all.count ? mass.f32(number, 0.5, 1.5) : 0;
    all.vx[i] = all.vy[i] = all.vz[i] = 0;
  }
}

std::string checksum(const bodies& all) {
  double places = 0, speeds = 0;
  for (std::int64_t i = 0; i < all.count; ++i) {
    places += std::abs(all.x[i]) + std::abs(all.y[i]) + std::abs(all.z[i]);
    speeds += std::abs(all.vx[i]) + std::abs(all.vy[i]) + std::abs(all.vz[i]);
  }
  return scientific(places, 6) + "/" + scientific(speeds, 6);
}

void sequential(bodies& all) {
  for (int step = 0; step < steps; ++step) {
    for (std::int64_t i = 0; i < all.count; ++i) {
      float ax = 0, ay = 0, az = 0;
      for (std::int64_t j = 0; j < all.count; ++j) {
        const float dx = all.x[j] - all.x[i], dy = all.y[j] - all.y[i], dz = all.z[j] - all.z[i];
        const float near = dx * dx + dy * dy + dz * dz + softening;
        const float strength = all.mass[j] / (near * std::sqrt(near));
        ax += strength * dx;
        ay += strength * dy;
        az += strength * dz;
      }
      all.vx[i] += step_time * ax;
      all.vy[i] += step_time * ay;
      all.vz[i] += step_time * az;
    }
    move(all);
  }
}

void handwritten(bodies& all, team& workers) {
  constexpr std::int64_t piece = 4 * lanes, step = 2 * lanes_of<float>;
  static_assert(lanes % lanes_of<float> == 0);
  for (int at = 0; at < steps; ++at) {
    workers.run_pieces(all.x.size(), piece, [&](std::int64_t begin, std::int64_t end, int) {
      for (; begin + step <= end; begin += step) accelerate<2>(all, begin);
      if (begin < end) accelerate<1>(all, begin);
    });
    move(all);
  }
}

}  // namespace pappus::bench::nbody
