// Lloyd's k-means over points of D floats, by squared Euclidean distance.
//
// Nearly all time goes into finding the nearest of k centres. A loop over one point's coordinates
// leaves most lanes idle and ends in a horizontal sum, so nearest_block works on 32 points at once:
// they are transposed to one vector pair per coordinate, once, and stay in the first-level cache
// for all centres. Four centres are taken together, so that eight independent sums hide the latency
// of the fused multiply-add and each coordinate loaded serves four centres. All versions but the
// sequential one use it.
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

constexpr int width = 32;

// Coordinate d of point i of a tile: x[d][i].
template <int D>
struct tile {
  alignas(64) float x[D][width];
};

// 16 points x 4 coordinates at a time: each 128-bit quarter of a vector loads 4 coordinates of one
// point, then a 4 x 4 transposition within the quarters puts points 4q..4q+3 of coordinate d in
// quarter q.
template <int D>
inline void transpose(const point<D>* from, tile<D>& to) {
  typedef float f32x8 __attribute__((vector_size(32)));
  const auto joined = [](f32x4 a, f32x4 b, f32x4 c, f32x4 d) {
    const f32x8 low = __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7);
    const f32x8 high = __builtin_shufflevector(c, d, 0, 1, 2, 3, 4, 5, 6, 7);
    return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  };
  for (int half = 0; half < width; half += 16) {
    const point<D>* p = from + half;
    int d = 0;
    for (; d + 4 <= D; d += 4) {
      const auto quarter = [&](int i) { return load<f32x4>(p[i].x.data() + d); };
      const f32x16 a = joined(quarter(0), quarter(4), quarter(8), quarter(12));
      const f32x16 b = joined(quarter(1), quarter(5), quarter(9), quarter(13));
      const f32x16 c = joined(quarter(2), quarter(6), quarter(10), quarter(14));
      const f32x16 e = joined(quarter(3), quarter(7), quarter(11), quarter(15));
      const auto low = [](f32x16 u, f32x16 v) {
        return __builtin_shufflevector(u, v, 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13,
                                       29);
      };
      const auto high = [](f32x16 u, f32x16 v) {
        return __builtin_shufflevector(u, v, 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15,
                                       31);
      };
      // low(a, c) interleaves a0 c0 a1 c1; with low(b, e) = b0 e0 b1 e1, interleaving again gives
      // a0 b0 c0 e0.
      const f32x16 ac_low = low(a, c), ac_high = high(a, c), be_low = low(b, e),
                   be_high = high(b, e);
      store(&to.x[d + 0][half], low(ac_low, be_low));
      store(&to.x[d + 1][half], high(ac_low, be_low));
      store(&to.x[d + 2][half], low(ac_high, be_high));
      store(&to.x[d + 3][half], high(ac_high, be_high));
    }
    for (; d < D; ++d) {
      for (int i = 0; i < 16; ++i) to.x[d][half + i] = p[i].x[d];
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
  f32x16 distance[2];
  i32x16 index[2];
};

// Squared distances of the tile to `count` centres from number `first` on; strictly smaller ones
// win, so ties go to the lowest.
template <int count, int D>
inline void consider(const tile<D>& points, const point<D>* centers, std::int32_t first,
                     nearest& best) {
  f32x16 sum[count][2] = {};
  for (int d = 0; d < D; ++d) {
    const f32x16 x0 = load<f32x16>(&points.x[d][0]);
    const f32x16 x1 = load<f32x16>(&points.x[d][16]);
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
      best.index[half] = closer ? i32x16{} + (first + c) : best.index[half];
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
    const f32x16 far = f32x16{} + std::numeric_limits<float>::infinity();
    nearest best = {{far, far}, {i32x16{}, i32x16{}}};
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
