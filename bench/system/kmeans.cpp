// The hand-written version reads the points once an iteration: a block that fits the second-level
// cache is assigned by nearest_block, then added to sums by centre. These are floats for one block
// (a few hundred additions a centre), so that a point is added with full-width vectors, and doubles
// from block to block.
#include "system/kmeans.h"

#include <array>

#include "system/checksum.h"

namespace pappus::bench {
template void nearest_block<8>(std::span<const point<8>>, std::span<const point<8>>,
                               std::span<std::int32_t>, std::span<float>);
template void nearest_block<20>(std::span<const point<20>>, std::span<const point<20>>,
                                std::span<std::int32_t>, std::span<float>);
template void nearest_block<40>(std::span<const point<40>>, std::span<const point<40>>,
                                std::span<std::int32_t>, std::span<float>);
}  // namespace pappus::bench

namespace pappus::bench::kmeans {
namespace {

constexpr std::int64_t block = 2048;

// Aligned, because a sum that crosses cache lines can't be forwarded from its last store.
template <int D>
struct alignas(64) sum_of_points {
  std::array<float, D> x = {};
};

// By whole vectors, which the compiler would only do behind a test for overlap.
template <int D>
void add(const point<D>& p, sum_of_points<D>& sum) {
  constexpr int lanes = lanes_of<float>, whole = D / lanes * lanes;
  for (int d = 0; d < whole; d += lanes) {
    store(&sum.x[d], load<f32v>(&sum.x[d]) + load<f32v>(&p.x[d]));
  }
  constexpr int quads = D / 4 * 4;
  for (int d = whole; d < quads; d += 4) {
    store(&sum.x[d], load<f32x4>(&sum.x[d]) + load<f32x4>(&p.x[d]));
  }
  for (int d = quads; d < D; ++d) sum.x[d] += p.x[d];
}

double sum_of(std::span<const float> values) {
  double sums[8] = {};
  std::size_t i = 0;
  for (; i + 8 <= values.size(); i += 8) {
    for (std::size_t lane = 0; lane < 8; ++lane) sums[lane] += values[i + lane];
  }
  for (; i < values.size(); ++i) sums[0] += values[i];
  return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

// What a worker adds up in an iteration.
template <int D>
struct partial {
  explicit partial(std::size_t k)
      : block_sums(k), block_counts(k), sums(k * D), counts(k), index(block), distance(block) {}

  void add_block(std::span<const point<D>> points, std::span<const point<D>> centers) {
    nearest_block<D>(points, centers, index, distance);
    for (std::size_t i = 0; i < points.size(); ++i) {
      const auto c = static_cast<std::size_t>(index[i]);
      add(points[i], block_sums[c]);
      ++block_counts[c];
    }
    inertia += sum_of({distance.data(), points.size()});
    for (std::size_t c = 0; c < centers.size(); ++c) {
      for (std::size_t d = 0; d < D; ++d) sums[c * D + d] += block_sums[c].x[d];
      counts[c] += block_counts[c];
      block_sums[c] = {};
      block_counts[c] = 0;
    }
  }

  void merge(const partial& other) {
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += other.sums[i];
    for (std::size_t c = 0; c < counts.size(); ++c) counts[c] += other.counts[c];
    inertia += other.inertia;
  }

  std::vector<sum_of_points<D>> block_sums;
  std::vector<std::int32_t> block_counts;
  std::vector<double> sums;
  std::vector<std::int64_t> counts;
  std::vector<std::int32_t> index;
  std::vector<float> distance;
  double inertia = 0;
};

template <int D>
void move_centers(std::vector<point<D>>& centers, std::span<const double> sums,
                  std::span<const std::int64_t> counts) {
  for (std::size_t c = 0; c < centers.size(); ++c) {
    if (counts[c] == 0) continue;
    for (std::size_t d = 0; d < D; ++d) {
      centers[c].x[d] = static_cast<float>(sums[c * D + d] / static_cast<double>(counts[c]));
    }
  }
}

template <int D>
std::vector<point<D>> first_points(std::span<const point<D>> points, int k) {
  const auto count = std::min(points.size(), static_cast<std::size_t>(k));
  return {points.begin(), points.begin() + static_cast<std::ptrdiff_t>(count)};
}

}  // namespace

template <int D>
std::string result<D>::checksum() const {
  return scientific(inertia, 6);
}

template <int D>
result<D> sequential(std::span<const point<D>> points, int k) {
  result<D> state{first_points(points, k), 0};
  for (int iteration = 0; iteration < iterations; ++iteration) {
    std::vector<double> sums(state.centers.size() * D);
    std::vector<std::int64_t> counts(state.centers.size());
    state.inertia = 0;
    for (const point<D>& p : points) {
      std::size_t best = 0;
      float best_distance = std::numeric_limits<float>::infinity();
      for (std::size_t c = 0; c < state.centers.size(); ++c) {
        float distance = 0;
        for (std::size_t d = 0; d < D; ++d) {
          const float difference = p.x[d] - state.centers[c].x[d];
          distance += difference * difference;
        }
        if (distance < best_distance) {
          best_distance = distance;
          best = c;
        }
      }
      for (std::size_t d = 0; d < D; ++d) sums[best * D + d] += p.x[d];
      ++counts[best];
      state.inertia += best_distance;
    }
    move_centers<D>(state.centers, sums, counts);
  }
  return state;
}

template <int D>
result<D> handwritten(std::span<const point<D>> points, int k, team& workers) {
  result<D> state{first_points(points, k), 0};
  for (int iteration = 0; iteration < iterations; ++iteration) {
    std::vector<partial<D>> partials(static_cast<std::size_t>(workers.threads()),
                                     partial<D>(state.centers.size()));
    workers.run_pieces(std::ssize(points), block,
                       [&](std::int64_t begin, std::int64_t end, int worker) {
                         partials[static_cast<std::size_t>(worker)].add_block(
                             points.subspan(static_cast<std::size_t>(begin),
                                            static_cast<std::size_t>(end - begin)),
                             state.centers);
                       });
    for (std::size_t worker = 1; worker < partials.size(); ++worker)
      partials[0].merge(partials[worker]);
    move_centers<D>(state.centers, partials[0].sums, partials[0].counts);
    state.inertia = partials[0].inertia;
  }
  return state;
}

template struct result<8>;
template struct result<20>;
template struct result<40>;
template result<8> sequential(std::span<const point<8>>, int);
template result<20> sequential(std::span<const point<20>>, int);
template result<40> sequential(std::span<const point<40>>, int);
template result<8> handwritten(std::span<const point<8>>, int, team&);
template result<20> handwritten(std::span<const point<20>>, int, team&);
template result<40> handwritten(std::span<const point<40>>, int, team&);

}  // namespace pappus::bench::kmeans
