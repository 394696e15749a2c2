// pappus: an index is a body. pappus, blocks: an index is sixteen of them, which the function takes
// through all others together.
#include "system/nbody.h"

#include <cmath>
#include <utility>

#include "system/suite.h"
#include "system/triad.h"

namespace pappus::bench {
namespace {

using nbody::lanes, nbody::softening, nbody::step_time;

/// The bodies as arrays.
struct universe {
  std::int64_t count;
  array<float> x, y, z, mass, vx, vy, vz;
};

universe arrays_of(session& engine, const nbody::bodies& from) {
  const auto array_of = [&](const buffer<float>& of) { return engine.to_array(of.all()); };
  return {from.count,          array_of(from.x),  array_of(from.y),  array_of(from.z),
          array_of(from.mass), array_of(from.vx), array_of(from.vy), array_of(from.vz)};
}

void accelerate(session& engine, universe& all) {
  engine.for_each(
      all.count,
      [count = all.count](idx<1> i, reads<float> x, reads<float> y, reads<float> z,
                          reads<float> mass, updates<float> vx, updates<float> vy,
                          updates<float> vz) {
        float ax = 0, ay = 0, az = 0;
        for (std::int64_t j = 0; j < count; ++j) {
          const float dx = x[j] - x[i], dy = y[j] - y[i], dz = z[j] - z[i];
          const float near = dx * dx + dy * dy + dz * dz + softening;
          const float strength = mass[j] / (near * std::sqrt(near));
          ax += strength * dx;
          ay += strength * dy;
          az += strength * dz;
        }
        vx[i] += step_time * ax;
        vy[i] += step_time * ay;
        vz[i] += step_time * az;
      },
      all.x, all.y, all.z, all.mass, all.vx, all.vy, all.vz);
}

void accelerate_blocks(session& engine, universe& all) {
  engine.for_each(
      all.x.extent(0) / lanes,
      [count = all.count](idx<1> block, reads<float> x, reads<float> y, reads<float> z,
                          reads<float> mass, updates<float> vx, updates<float> vy,
                          updates<float> vz) {
        const std::int64_t first = lanes * block;
        float ax[lanes] = {}, ay[lanes] = {}, az[lanes] = {};
        for (std::int64_t j = 0; j < count; ++j)
          for (std::int64_t lane = 0; lane < lanes; ++lane) {
            const auto i = first + lane;
            const float dx = x[j] - x[i], dy = y[j] - y[i], dz = z[j] - z[i];
            const float near = dx * dx + dy * dy + dz * dz + softening;
            const float strength = mass[j] / (near * std::sqrt(near));
            ax[lane] += strength * dx;
            ay[lane] += strength * dy;
            az[lane] += strength * dz;
          }
        for (std::int64_t lane = 0; lane < lanes; ++lane) {
          vx[first + lane] += step_time * ax[lane];
          vy[first + lane] += step_time * ay[lane];
          vz[first + lane] += step_time * az[lane];
        }
      },
      all.x, all.y, all.z, all.mass, all.vx, all.vy, all.vz);
}

void move(session& engine, universe& all) {
  engine.for_each(
      all.x.extent(0),
      [](idx<1> i, updates<float> x, updates<float> y, updates<float> z, reads<float> vx,
         reads<float> vy, reads<float> vz) {
        x[i] += step_time * vx[i];
        y[i] += step_time * vy[i];
        z[i] += step_time * vz[i];
      },
      all.x, all.y, all.z, all.vx, all.vy, all.vz);
}

version by_pappus(const stage& on, std::string name, universe& all, nbody::bodies& shown,
                  void (*accelerated)(session&, universe&)) {
  const auto run = [&on, &all, accelerated] {
    for (int step = 0; step < nbody::steps; ++step) {
      accelerated(on.engine, all);
      move(on.engine, all);
    }
    on.engine.wait();
  };
  return {std::move(name), run, [&on, &all, &shown, run] {
            nbody::reset(shown, on.asked.seed);
            all = arrays_of(on.engine, shown);
            run();
            const auto copy = [](const array<float>& from, const buffer<float>& to) {
              std::ranges::copy(from.host(), to.data());
            };
            copy(all.x, shown.x);
            copy(all.y, shown.y);
            copy(all.z, shown.z);
            copy(all.vx, shown.vx);
            copy(all.vy, shown.vy);
            copy(all.vz, shown.vz);
            return nbody::checksum(shown);
          }};
}

version by_hand(const stage& on, std::string name, nbody::bodies& all, auto run) {
  return {std::move(name), [&all, run] { run(all); },
          [&on, &all, run] {
            nbody::reset(all, on.asked.seed);
            run(all);
            return nbody::checksum(all);
          }};
}

}  // namespace

std::vector<result> run_nbody(const stage& on, std::int64_t n) {
  auto bodies = nbody::make_nbody(n, on.asked.seed, on.workers);
  auto arrays = arrays_of(on.engine, bodies);
  const auto vectors = [&](nbody::bodies& of) { nbody::handwritten(of, on.workers); };
  return compare(on, "nbody", n, min_bytes::nbody(bodies.count, nbody::steps),
                 {by_hand(on, "sequential", bodies, nbody::sequential),
                  by_hand(on, "handwritten", bodies, vectors),
                  by_pappus(on, "pappus", arrays, bodies, accelerate),
                  by_pappus(on, "pappus, blocks", arrays, bodies, accelerate_blocks)});
}

}  // namespace pappus::bench
