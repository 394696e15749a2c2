#include <fmt/format.h>

#include "pappus/device_code.h"
#include "pappus/error.h"
#include "system/inputs.h"
#include "system/kmeans.h"
#include "system/kmeans_opencl.h"
#include "system/suite.h"
#include "system/triad.h"

namespace pappus::bench {
namespace {

template <int D>
device_code on_devices(const char* function) {
  return device_text(function, kmeans::text_for("device/kmeans.cl", D));
}

template <int D>
struct center {
  point<D> at;
  double inertia;  // of the points nearest to it, in the assignment that led here
};

/// The mean of a cluster's points and their distances to the old centre.
template <int D>
struct cluster {
  std::array<float, D> sum{};
  double inertia = 0;
  std::int64_t count = 0;

  void accumulate(const assigned<D>& p) {
    auto sums = sum;  // a local: for all the compiler knows, p could lie inside this cluster
    for (int d = 0; d < D; ++d) sums[d] += p.at.x[d];
    sum = sums;
    inertia += p.distance;
    ++count;
  }
  void merge(const cluster& other) {
    for (int d = 0; d < D; ++d) sum[d] += other.sum[d];
    inertia += other.inertia;
    count += other.count;
  }
  static device_code on_device() { return on_devices<D>("add_point"); }
};

template <int D>
void assign(std::span<const point<D>> points, std::span<const point<D>> centers,
            std::span<assigned<D>> out) {
  constexpr std::size_t most = 1024;
  std::int32_t index[most];
  float distance[most];
  const std::size_t n = points.size();
  nearest_block<D>(points, centers, {index, n}, {distance, n});
  for (std::size_t i = 0; i < n; ++i) out[i] = {points[i], distance[i], index[i]};
}

/// \param nearest  assign, for map.
template <int D, typename F>
records<center<D>> lloyd(session& s, const collection<point<D>>& points, int k, const F& nearest) {
  const collection<center<D>> first =
      points.take(k).map([](const point<D>& p) { return center<D>{p, 0}; });
  const auto step = [&](const collection<center<D>>& centers) {
    return points.map(nearest, centers.map(&center<D>::at).shared())
        .group_by(&assigned<D>::cluster, domain{k})
        .template reduce<cluster<D>>()
        .zip(centers)
        .map([](const pair<keyed<std::int32_t, cluster<D>>, center<D>>& row) {
          const cluster<D>& c = row.first.value;
          center<D> next{row.second.at, c.inertia};
          for (int d = 0; d < D && c.count > 0; ++d)
            next.at.x[d] = c.sum[d] / static_cast<float>(c.count);
          return next;
        });
  };
  const auto always = [](std::span<const center<D>>, std::span<const center<D>>) { return true; };
  return s.do_while(first, step, always, max_iterations{kmeans::iterations}).collect();
}

template <int D>
std::vector<result> run(const stage& on, std::int64_t n) {
  const int k = on.asked.k;
  const auto points = make_kmeans<D>(n, on.asked.seed, on.workers);
  kmeans::result<D> sequential, handwritten, pappus;
  auto rows = on.engine.borrow(points.all());
  const auto nearest =
      with_device_code(batched<assigned<D>>(fn<assign<D>>), on_devices<D>("assign"));
  std::vector<version> versions{
      {"sequential", [&] { sequential = kmeans::sequential<D>(points, k); },
       [&] { return sequential.checksum(); }},
      {"handwritten", [&] { handwritten = kmeans::handwritten<D>(points, k, on.workers); },
       [&] { return handwritten.checksum(); }},
      {"pappus",
       [&] {
         pappus = {};
         if (!on.asked.resident) rows = on.engine.borrow(points.all());
         for (const auto& c : lloyd<D>(on.engine, rows, k, nearest)) {
           pappus.centers.push_back(c.at);
           pappus.inertia += c.inertia;
         }
       },
       [&] { return pappus.checksum(); }}};
  kmeans::add_opencl<D>(on, points, k, versions);
  return compare(on, fmt::format("kmeans_k{}_d{}", k, D), n,
                 kmeans::iterations * min_bytes::kmeans(n, D), std::move(versions));
}

}  // namespace

std::vector<result> run_kmeans(const stage& on, std::int64_t n) {
  switch (on.asked.d) {
    case 8:
      return run<8>(on, n);
    case 20:
      return run<20>(on, n);
    case 40:
      return run<40>(on, n);
    default:
      throw usage_error(fmt::format("bench kmeans: expected --d 8, 20 or 40, got {}", on.asked.d));
  }
}

}  // namespace pappus::bench
