// Round by round the memory's rate is what counts: vectors, and results past the caches, which
// saves reading their lines first.
//
// All rounds in one pass: a thread walks a tile row by row, and with each row that it reads it
// brings the row before to round 2, the one before that to round 3, and so on: a wavefront
// (Wonnacott 2000). Of each round it keeps three rows, so all of them stay in the core's
// second-level cache, and a tile's power is read from memory once. Tiles are independent: each
// works out the cells around it that its later rounds need by itself (ghost zones, as in Meng and
// Skadron 2009), which are few where tiles are large. Considered: bands that wait for each other,
// which move every round through the cache that cores share.
#include "system/stencil.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "system/checksum.h"
#include "system/generator.h"

namespace pappus::bench::stencil {
namespace {

constexpr std::int64_t lanes = lanes_of<float>;
constexpr std::int64_t piece_rows = 16;

/// Rows of a square of `side` columns, reached by column.
struct rows {
  const float *north, *here, *south, *power;
  float* out;
  std::int64_t side;

  f32v next_at(std::int64_t c, f32v west, f32v east) const {
    return next_multiplied_out(load<f32v>(here + c), load<f32v>(power + c), load<f32v>(north + c),
                               load<f32v>(south + c), west, east);
  }
  void one(std::int64_t c) const {
    out[c] = next(here[c], power[c], north[c], south[c], here[c > 0 ? c - 1 : c],
                  here[c + 1 < side ? c + 1 : c]);
  }
};

/// The columns [begin, end) of a row, `begin` a multiple of 16, so of lanes.
template <bool PastCaches>
void update(const rows& of, std::int64_t begin, std::int64_t end) {
  const auto put = [&](std::int64_t c, f32v v) {
    if constexpr (PastCaches)
      stream_store(of.out + c, v);
    else
      store(of.out + c, v);
  };
  std::int64_t c = begin;
  if (c == 0 && end > lanes) {
    const auto v = load<f32v>(of.here);
    const auto west = shuffled<[](int lane) { return std::max(lane - 1, 0); }>(v, v);
    put(0, of.next_at(0, west, load<f32v>(of.here + 1)));
    c = lanes;
  }
  for (; c > 0 && c + lanes < std::min(end + 1, of.side); c += lanes)
    put(c, of.next_at(c, load<f32v>(of.here + c - 1), load<f32v>(of.here + c + 1)));
  for (; c < end; ++c) of.one(c);
}

/// Whether rows start where stores past the caches may go.
bool aligned(std::int64_t side) { return side % lanes == 0; }

constexpr std::int64_t tile_columns = 4096, tile_rows = 256;
// Columns beside a tile: at least as many as rounds.
constexpr std::int64_t ghosts = 16;
static_assert(ghosts >= rounds);

/// The rows of every round but the first and last that a tile still needs: three a round, which
/// take turns.
class wavefront {
 public:
  wavefront(std::int64_t first, std::int64_t columns)
      : first_(first), width_(columns + 2 * lanes), cells_(std::size_t(3 * rounds * width_)) {}
  /// Row r after `round` rounds, by column of the square.
  float* row(int round, std::int64_t r) {
    return cells_.data() + ((round * 3 + r % 3) * width_ + lanes) - first_;
  }

 private:
  std::int64_t first_, width_;
  std::vector<float> cells_;
};

/// Rows and columns from low to high.
struct tile {
  std::int64_t low_row, high_row, low_column, high_column;
};

template <bool PastCaches>
void run_tile(const squares& of, const tile& t) {
  const auto side = of.side;
  const auto low = std::max<std::int64_t>(t.low_column - ghosts, 0);
  const auto high = std::min(t.high_column + ghosts, side);
  wavefront kept(low, high - low);
  const auto at = [&](int round, std::int64_t r) {
    r = std::clamp<std::int64_t>(r, 0, side - 1);
    return round == 0 ? of.now.data() + r * side : kept.row(round, r);
  };
  // Row r of the last round needs row r + rounds - round of round `round`.
  for (auto r = t.low_row - rounds; r < t.high_row + rounds; ++r)
    for (int round = 1; round <= rounds; ++round) {
      const auto own = r - round + 1, more = std::int64_t{rounds - round};
      if (own < std::max<std::int64_t>(t.low_row - more, 0) ||
          own >= std::min(t.high_row + more, side))
        continue;
      const auto* power = of.power.data() + own * side;
      rows with{
          at(round - 1, own - 1), at(round - 1, own), at(round - 1, own + 1), power, nullptr, side};
      if (round < rounds) {
        with.out = kept.row(round, own);
        update<false>(with, low, high);
      } else {
        with.out = of.then.data() + own * side;
        update<PastCaches>(with, t.low_column, t.high_column);
      }
    }
  stream_fence();
}

}  // namespace

squares make_stencil(std::int64_t cells, std::uint64_t seed, team& workers) {
  auto side = static_cast<std::int64_t>(std::sqrt(static_cast<double>(cells)));
  squares made{side, {side * side, workers}, {side * side, workers}, {side * side, workers}};
  reset(made.now, seed, workers);
  const stream power(seed, 1);
  workers.run_pieces(side * side, 1 << 16, [&](std::int64_t begin, std::int64_t end, int) {
    for (auto i = begin; i < end; ++i)
      made.power[i] = power.f32(static_cast<std::uint64_t>(i), 0, 1);
  });
  return made;
}

void reset(std::span<float> temperatures, std::uint64_t seed, team& workers) {
  const stream start(seed, 0);
  workers.run_pieces(
      std::ssize(temperatures), 1 << 16, [&](std::int64_t begin, std::int64_t end, int) {
        for (auto i = static_cast<std::uint64_t>(begin); i < static_cast<std::uint64_t>(end); ++i)
          temperatures[i] = start.f32(i, 323, 341);
      });
}

std::string checksum(std::span<const float> temperatures) {
  double sum = 0, weighted = 0;
  for (std::size_t i = 0; i < temperatures.size(); ++i) {
    const double t = temperatures[i];
    sum += t;
    weighted += t * static_cast<double>(i % 101);
  }
  return scientific(sum, 8) + "/" + scientific(weighted, 8);
}

void sequential(squares& of) {
  const auto side = of.side;
  for (int round = 0; round < rounds; ++round) {
    const float *now = of.now.data(), *power = of.power.data();
    float* then = of.then.data();
    for (std::int64_t i = 0; i < side; ++i)
      for (std::int64_t j = 0; j < side; ++j) {
        const auto at = i * side + j;
        const float here = now[at];
        then[at] = next(here, power[at], i > 0 ? now[at - side] : here,
                        i + 1 < side ? now[at + side] : here, j > 0 ? now[at - 1] : here,
                        j + 1 < side ? now[at + 1] : here);
      }
    std::swap(of.now, of.then);
  }
}

void handwritten(squares& of, team& workers) {
  const auto side = of.side;
  for (int round = 0; round < rounds; ++round) {
    workers.run_pieces(side, piece_rows, [&](std::int64_t begin, std::int64_t end, int) {
      for (auto r = begin; r < end; ++r) {
        const float* here = of.now.data() + r * side;
        const rows with{r > 0 ? here - side : here,        here,
                        r + 1 < side ? here + side : here, of.power.data() + r * side,
                        of.then.data() + r * side,         side};
        if (aligned(side))
          update<true>(with, 0, side);
        else
          update<false>(with, 0, side);
      }
      stream_fence();
    });
    std::swap(of.now, of.then);
  }
}

void blocked(squares& of, team& workers) {
  const auto side = of.side;
  const auto across = (side + tile_columns - 1) / tile_columns;
  const auto down = (side + tile_rows - 1) / tile_rows;
  workers.run(across * down, [&](std::int64_t item, int) {
    const auto r = item / across * tile_rows, c = item % across * tile_columns;
    const tile t{r, std::min(r + tile_rows, side), c, std::min(c + tile_columns, side)};
    if (aligned(side))
      run_tile<true>(of, t);
    else
      run_tile<false>(of, t);
  });
  std::swap(of.now, of.then);
}

}  // namespace pappus::bench::stencil
