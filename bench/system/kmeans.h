// Lloyd's k-means over points of D floats, by squared Euclidean distance.
//
// Nearly all time goes into finding the nearest of k centres. A loop over one point's coordinates
// leaves most lanes idle and ends in a horizontal sum, so nearest_block works on two vectors of
// points at once: they are transposed to one vector pair per coordinate, once, and stay in the
// first-level cache for all centres. Four centres are taken together, so that eight independent
// sums hide the latency of the fused multiply-add and each coordinate loaded serves four centres.
// All versions but the sequential one use it.
//
// Not here: pruning by triangle inequality (Elkan 2003), which pays for many iterations over
// clustered data, not for uniform points.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "system/inputs.h"
#include "system/lanes.h"
#include "system/team.h"

namespace pappus::bench {

namespace kmeans_lanes {

constexpr int lanes = lanes_of<float>, width = 2 * lanes;

// Coordinate d of point i of a tile: x[d][i].
template <int D>
struct tile {
  alignas(64) float x[D][width];
};

// Coordinates [d, d + 4) of every fourth point: a quarter of 16 bytes each.
template <int D>
inline f32v quarters(const point<D>* p, int d) {
  const auto quarter = [&](int q) { return load<f32x4>(p[4 * q].x.data() + d); };
#if defined(PAPPUS_BENCH_V4) || defined(PAPPUS_BENCH_V3)
  const auto joined = [](auto a, auto b) {
    return [&]<int... Lane>(std::integer_sequence<int, Lane...>) {
      return __builtin_shufflevector(a, b, Lane...);
    }(std::make_integer_sequence<int, 2 * sizeof(a) / sizeof(float)>());
  };
  const auto low = joined(quarter(0), quarter(1));
#if defined(PAPPUS_BENCH_V4)
  return joined(low, joined(quarter(2), quarter(3)));
#else
  return low;
#endif
#else
  return quarter(0);
#endif
}

// The first or the last two lanes of each quarter, alternating.
inline f32v interleaved_low(f32v u, f32v v) {
  return shuffled<[](int lane) { return lane / 4 * 4 + lane % 4 / 2 + lane % 2 * lanes; }>(u, v);
}
inline f32v interleaved_high(f32v u, f32v v) {
  return shuffled<[](int lane) { return lane / 4 * 4 + 2 + lane % 4 / 2 + lane % 2 * lanes; }>(u,
                                                                                               v);
}

// A vector of points x 4 coordinates at a time: each quarter of a vector loads 4 coordinates of one
// point, then a 4 x 4 transposition within the quarters puts points 4q..4q+3 of coordinate d in
// quarter q.
template <int D>
inline void transpose(const point<D>* from, tile<D>& to) {
  for (int half = 0; half < width; half += lanes) {
    const point<D>* p = from + half;
    int d = 0;
    for (; d + 4 <= D; d += 4) {
      const f32v a = quarters(p, d), b = quarters(p + 1, d), c = quarters(p + 2, d),
                 e = quarters(p + 3, d);
      // a and c give a0 c0 a1 c1; interleaved with b0 e0 b1 e1 that is a0 b0 c0 e0.
      const f32v ac_low = interleaved_low(a, c), ac_high = interleaved_high(a, c);
      const f32v be_low = interleaved_low(b, e), be_high = interleaved_high(b, e);
      store(&to.x[d + 0][half], interleaved_low(ac_low, be_low));
      store(&to.x[d + 1][half], interleaved_high(ac_low, be_low));
      store(&to.x[d + 2][half], interleaved_low(ac_high, be_high));
      store(&to.x[d + 3][half], interleaved_high(ac_high, be_high));
    }
    for (; d < D; ++d) {
      for (int i = 0; i < lanes; ++i) to.x[d][half + i] = p[i].x[d];
    }
  }
}

// The processor's own prefetcher gains little on the short bursts between two tiles' arithmetic.
template <int D>
inline void prefetch_tile(const point<D>* from) {
  const auto* bytes = reinterpret_cast<const char*>(from);
  for (std::size_t line = 0; line < width * sizeof(point<D>); line += 64)
    __builtin_prefetch(bytes + line);
}

struct nearest {
  f32v distance[2];
  i32v index[2];
};

// Squared distances of the tile to `count` centres from number `first` on; strictly smaller ones
// win, so ties go to the lowest.
template <int count, int D>
inline void consider(const tile<D>& points, const point<D>* centers, std::int32_t first,
                     nearest& best) {
  f32v sum[count][2] = {};
  for (int d = 0; d < D; ++d) {
    const f32v x0 = load<f32v>(&points.x[d][0]);
    const f32v x1 = load<f32v>(&points.x[d][lanes]);
#pragma GCC unroll 8
    for (int c = 0; c < count; ++c) {
      const float y = centers[first + c].x[d];
      sum[c][0] = multiply_add(x0 - y, x0 - y, sum[c][0]);
      sum[c][1] = multiply_add(x1 - y, x1 - y, sum[c][1]);
    }
  }
#pragma GCC unroll 8
  for (int c = 0; c < count; ++c) {
    for (int half = 0; half < 2; ++half) {
      const auto closer = sum[c][half] < best.distance[half];
      best.distance[half] = closer ? sum[c][half] : best.distance[half];
      best.index[half] = closer ? i32v{} + (first + c) : best.index[half];
    }
  }
}

}  // namespace kmeans_lanes

/// For each point the index of the nearest centre, the lowest on a tie.
///
/// \param out        as long as `points`.
/// \param distances  as long as `points`, receives the squared distances; or empty.
/// Cost: 2 * D * centers.size() operations a point.
template <int D>
void nearest_block(std::span<const point<D>> points, std::span<const point<D>> centers,
                   std::span<std::int32_t> out, std::span<float> distances = {}) {
  using namespace kmeans_lanes;
  const auto n = std::ssize(points);
  const auto k = static_cast<std::int32_t>(centers.size());
  point<D> padded[width];
  tile<D> lanes;
  for (std::ptrdiff_t begin = 0; begin < n; begin += width) {
    const point<D>* from = points.data() + begin;
    const auto filled = static_cast<std::size_t>(std::min<std::ptrdiff_t>(width, n - begin));
    if (filled < width) {
      std::fill(std::copy_n(from, filled, padded), padded + width, from[0]);
      from = padded;
    }
    prefetch_tile(points.data() + begin + 2 * width);
    transpose(from, lanes);
    const f32v far = f32v{} + std::numeric_limits<float>::infinity();
    nearest best = {{far, far}, {i32v{}, i32v{}}};
    std::int32_t c = 0;
    for (; c + 4 <= k; c += 4) consider<4>(lanes, centers.data(), c, best);
    for (; c + 2 <= k; c += 2) consider<2>(lanes, centers.data(), c, best);
    for (; c < k; ++c) consider<1>(lanes, centers.data(), c, best);
    std::memcpy(out.data() + begin, best.index, 4 * filled);
    if (!distances.empty()) std::memcpy(distances.data() + begin, best.distance, 4 * filled);
  }
}

// Compiled once, so that all versions run the same code.
extern template void nearest_block<8>(std::span<const point<8>>, std::span<const point<8>>,
                                      std::span<std::int32_t>, std::span<float>);
extern template void nearest_block<20>(std::span<const point<20>>, std::span<const point<20>>,
                                       std::span<std::int32_t>, std::span<float>);
extern template void nearest_block<40>(std::span<const point<40>>, std::span<const point<40>>,
                                       std::span<std::int32_t>, std::span<float>);

/// A point with the number of the nearest centre and the squared distance to it.
template <int D>
struct assigned {
  point<D> at;
  float distance;
  std::int32_t cluster;
};

namespace kmeans {

/// The centres after the last iteration, and the sum of squared distances to the centres before it.
template <int D>
struct result {
  std::vector<point<D>> centers;
  double inertia = 0;
  std::string checksum() const;
};

/// Five iterations from the first k points; a centre without points stays. D is 8, 20 or 40.
template <int D>
result<D> sequential(std::span<const point<D>> points, int k);
template <int D>
result<D> handwritten(std::span<const point<D>> points, int k, team& workers);

inline constexpr int iterations = 5;

}  // namespace kmeans
}  // namespace pappus::bench
