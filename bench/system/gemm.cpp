// Two hand-written versions: loops over tiles of b that stay in the second-level cache, and the
// order of Goto and van de Geijn ("Anatomy of high-performance matrix multiplication", 2008):
// twelve rows (six, where there are 16 registers) by two vectors of c stay in registers; what they
// need of a and b is put together beforehand, so that a strip of b lies in the first cache, a block
// of a in the second, and all of b for `depth` rows in the third.
#include "system/gemm.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "system/checksum.h"
#include "system/generator.h"
#include "system/lanes.h"

namespace pappus::bench::gemm {
namespace {

constexpr std::int64_t lanes = lanes_of<float>, tile_columns = 2 * lanes;
// Three quarters of the registers hold sums.
constexpr std::int64_t tile_rows = vector_registers * 3 / 8;
constexpr std::int64_t depth = 256, block_rows = 120;
static_assert(block_rows % tile_rows == 0);

constexpr std::int64_t tiles(std::int64_t n, std::int64_t of) { return (n + of - 1) / of; }

/// Columns [first, first + tile_columns) of rows [k, k + n) of b; 0 beyond the last column.
void pack_columns(const input& from, std::int64_t k, std::int64_t n, std::int64_t first,
                  float* to) {
  const auto width = std::min(tile_columns, from.side - first);
  for (std::int64_t r = 0; r < n; ++r, to += tile_columns) {
    std::copy_n(from.b.data() + (k + r) * from.side + first, width, to);
    std::fill(to + width, to + tile_columns, 0.0f);
  }
}

/// Rows [first, first + tile_rows) of columns [k, k + n) of a, column by column; 0 beyond the last
/// row.
void pack_rows(const input& from, std::int64_t k, std::int64_t n, std::int64_t first, float* to) {
  for (std::int64_t row = 0; row < tile_rows; ++row)
    for (std::int64_t c = 0; c < n; ++c)
      to[c * tile_rows + row] =
          first + row < from.side ? from.a[(first + row) * from.side + k + c] : 0;
}

/// A tile of c from `n` packed columns of a and rows of b.
void add_tile(const float* a, const float* b, std::int64_t n, float* c) {
  f32v sums[tile_rows][2] = {};
  for (std::int64_t k = 0; k < n; ++k, a += tile_rows, b += tile_columns) {
    const auto left = load<f32v>(b), right = load<f32v>(b + lanes);
    for (int row = 0; row < tile_rows; ++row) {
      const f32v own = f32v{} + a[row];
      sums[row][0] = multiply_add(own, left, sums[row][0]);
      sums[row][1] = multiply_add(own, right, sums[row][1]);
    }
  }
  for (int row = 0; row < tile_rows; ++row) {
    store(c + row * tile_columns, sums[row][0]);
    store(c + row * tile_columns + lanes, sums[row][1]);
  }
}

/// Adds the products of a packed block of a's rows from `row` on with all columns of b.
void multiply_block(const input& from, const float* a, const float* b, std::int64_t n,
                    std::int64_t row, std::span<float> c) {
  const auto side = from.side, end = std::min(row + block_rows, side);
  float tile[tile_rows * tile_columns];
  for (std::int64_t column = 0; column < side; column += tile_columns)
    for (auto i = row; i < end; i += tile_rows) {
      add_tile(a + (i - row) * n, b + column * n, n, tile);
      const auto rows = std::min(tile_rows, end - i), width = std::min(tile_columns, side - column);
      for (std::int64_t r = 0; r < rows; ++r) {
        float* to = c.data() + (i + r) * side + column;
        for (std::int64_t k = 0; k < width; ++k) to[k] += tile[r * tile_columns + k];
      }
    }
}

}  // namespace

input make_gemm(std::int64_t cells, std::uint64_t seed, team& workers) {
  const auto side = static_cast<std::int64_t>(std::sqrt(static_cast<double>(cells)));
  input made{side, {side * side, workers}, {side * side, workers}};
  const stream a(seed, 0), b(seed, 1);
  workers.run_pieces(side * side, 1 << 16, [&](std::int64_t begin, std::int64_t end, int) {
    for (auto i = begin; i < end; ++i) {
      made.a[i] = a.f32(static_cast<std::uint64_t>(i), -1, 1);
      made.b[i] = b.f32(static_cast<std::uint64_t>(i), -1, 1);
    }
  });
  return made;
}

std::string checksum(std::span<const float> c) {
  double sum = 0;
  for (const double one : c) sum += one * one;
  return scientific(sum, 7);
}

void sequential(const input& from, std::span<float> c) {
  const auto side = from.side;
  std::ranges::fill(c, 0.0f);
  for (std::int64_t i = 0; i < side; ++i)
    for (std::int64_t k = 0; k < side; ++k) {
      const float own = from.a[i * side + k];
      for (std::int64_t j = 0; j < side; ++j) c[i * side + j] += own * from.b[k * side + j];
    }
}

void handwritten(const input& from, std::span<float> c, team& workers) {
  constexpr std::int64_t rows = 32, inner = 64, columns = 512;  // of a tile
  const auto side = from.side;
  workers.run_pieces(side, rows, [&](std::int64_t begin, std::int64_t end, int) {
    std::fill(c.begin() + begin * side, c.begin() + end * side, 0.0f);
    for (std::int64_t column = 0; column < side; column += columns)
      for (std::int64_t k = 0; k < side; k += inner)
        for (auto i = begin; i < end; ++i)
          for (auto row = k; row < std::min(k + inner, side); ++row) {
            const float own = from.a[i * side + row];
            const float* b = from.b.data() + row * side;
            float* __restrict to = c.data() + i * side;
            for (auto j = column; j < std::min(column + columns, side); ++j) to[j] += own * b[j];
          }
  });
}

void in_registers(const input& from, std::span<float> c, team& workers) {
  const auto side = from.side, strips = tiles(side, tile_columns);
  std::vector<float> b(static_cast<std::size_t>(strips * tile_columns * depth));
  workers.run_pieces(std::ssize(c), 1 << 16, [&](std::int64_t begin, std::int64_t end, int) {
    std::fill(c.begin() + begin, c.begin() + end, 0.0f);
  });
  for (std::int64_t k = 0; k < side; k += depth) {
    const auto n = std::min(depth, side - k);
    workers.run(strips, [&](std::int64_t strip, int) {
      const auto column = strip * tile_columns;
      pack_columns(from, k, n, column, b.data() + column * n);
    });
    workers.run(tiles(side, block_rows), [&](std::int64_t block, int) {
      alignas(64) float a[block_rows * depth];
      const auto row = block * block_rows;
      for (auto i = row; i < std::min(row + block_rows, side); i += tile_rows)
        pack_rows(from, k, n, i, a + (i - row) * n);
      multiply_block(from, a, b.data(), n, row, c);
    });
  }
}

}  // namespace pappus::bench::gemm
