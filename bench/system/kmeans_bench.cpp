// pappus: queries. pappus, arrays: launches, of which an index is a block of points.
#include <algorithm>

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

// By whole vectors: without __restrict__ clang takes the point for a part of the sums and adds
// number by number.
template <int D>
void add_point(float* __restrict__ sums, const float* __restrict__ point) {
  for (int d = 0; d < D; ++d) sums[d] += point[d];
}

/// The mean of a cluster's points and their distances to the old centre.
template <int D>
struct cluster {
  std::array<float, D> sum{};
  double inertia = 0;
  std::int64_t count = 0;

  void accumulate(const assigned<D>& p) { accumulate(p.at, p.distance); }
  void accumulate(const point<D>& p, float distance) {
    add_point<D>(sum.data(), p.x.data());
    inertia += distance;
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

/// Points and centres as arrays.
template <int D>
struct arrays_of_points {
  array<point<D>> points, centers;
  array<cluster<D>> clusters;
};

// So that a leaf of reductions, 16 indices for each cluster and more, isn't most of the points.
constexpr std::int64_t block_points = 64;

template <int D>
void iterate(session& engine, const arrays_of_points<D>& of) {
  const auto n = of.points.extent(0), k = of.centers.extent(0);
  of.clusters.fill({});
  engine.for_each(
      (n + block_points - 1) / block_points,
      annotated(
          [n, k](idx<1> block, reads<point<D>> points, reads<point<D>> centers,
                 reduces<cluster<D>> clusters) {
            const std::int64_t first = block_points * block;
            const auto count = static_cast<std::size_t>(std::min(block_points, n - first));
            std::int32_t index[block_points];
            float distance[block_points];
            nearest_block<D>({&points[first], count}, {&centers[0], static_cast<std::size_t>(k)},
                             {index, count}, {distance, count});
            for (std::size_t i = 0; i < count; ++i)
              clusters[index[i]].accumulate(points[first + static_cast<std::int64_t>(i)],
                                            distance[i]);
          },
          "points, centers, clusters: global b => "
          "read points[b*m:b*m+m-1], read centers, reduce clusters",
          {{"m", block_points}}),
      of.points, of.centers, of.clusters);
  engine.for_each(
      k,
      [](idx<1> c, reads<cluster<D>> clusters, updates<point<D>> centers) {
        const auto count = clusters[c].count;
        for (int d = 0; d < D && count > 0; ++d)
          centers[c].x[d] = clusters[c].sum[d] / static_cast<float>(count);
      },
      of.clusters, of.centers);
}

template <int D>
kmeans::result<D> lloyd_over_arrays(session& engine, const arrays_of_points<D>& of) {
  const auto k = static_cast<std::size_t>(of.centers.extent(0));
  std::copy_n(of.points.host().data(), k, of.centers.host_write().data());
  for (int iteration = 0; iteration < kmeans::iterations; ++iteration) iterate(engine, of);
  kmeans::result<D> found{of.centers.to_vector(), 0};
  for (const auto& c : of.clusters.host()) found.inertia += c.inertia;
  return found;
}

template <int D>
std::vector<result> run(const stage& on, std::int64_t n) {
  const int k = on.asked.k;
  const auto points = make_kmeans<D>(n, on.asked.seed, on.workers);
  kmeans::result<D> sequential, handwritten, pappus, by_launches;
  auto rows = on.engine.borrow(points.all());
  const auto centers = std::min(n, static_cast<std::int64_t>(k));
  const arrays_of_points<D> arrays{on.engine.to_array(points.all()),
                                   on.engine.unwritten<point<D>>({centers}),
                                   on.engine.filled<cluster<D>>({centers}, {})};
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
       [&] { return pappus.checksum(); }},
      {"pappus, arrays", [&] { by_launches = lloyd_over_arrays<D>(on.engine, arrays); },
       [&] { return by_launches.checksum(); }}};
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
