// Nearly all time goes into looking up x at random places, which the second-level cache doesn't
// hold. The hand-written version has a vector of look-ups in an instruction and many of those under
// way; it takes a block of rows through one slot after another, so that the matrix is read in
// pieces of pages and sums stay in the first cache. Considered: rows in the outer loop, which reads
// 64 streams at once, 4 MiB apart.
#include "system/spmv.h"

#include <algorithm>
#include <utility>

#include "system/checksum.h"
#include "system/generator.h"
#include "system/lanes.h"

namespace pappus::bench::spmv {
namespace {

constexpr std::int64_t block_rows = 2048;

void multiply(const input& of, std::int64_t begin, std::int64_t end) {
  const auto n = of.x.size();
  const float* x = of.x.data();
  float* y = of.y.data();
  std::fill(y + begin, y + end, 0.0f);
  for (std::int64_t k = 0; k < slots; ++k) {
    const float* values = of.values.data() + k * n;
    const std::int32_t* columns = of.columns.data() + k * n;
    auto row = begin;
    for (; row + lanes_of<float> <= end; row += lanes_of<float>) {
      const auto found = look_up(x, load<i32v>(columns + row));
      store(y + row, multiply_add(load<f32v>(values + row), found, load<f32v>(y + row)));
    }
    for (; row < end; ++row) y[row] += values[row] * x[columns[row]];
  }
}

}  // namespace

input make_spmv(std::int64_t rows, std::uint64_t seed, team& workers) {
  input made{{slots * rows, workers}, {slots * rows, workers}, {rows, workers}, {rows, workers}};
  const stream values(seed, 0), columns(seed, 1);
  workers.run_pieces(slots * rows, 1 << 16, [&](std::int64_t begin, std::int64_t end, int) {
    for (auto i = begin; i < end; ++i) {
      const auto number = static_cast<std::uint64_t>(i);
      made.values[i] = values.f32(number, 0, 0.0625);
      made.columns[i] =
          static_cast<std::int32_t>(columns.below(number, static_cast<std::uint64_t>(rows)));
    }
  });
  reset(made.x, seed, workers);
  return made;
}

void reset(std::span<float> x, std::uint64_t seed, team& workers) {
  const stream start(seed, 2);
  workers.run_pieces(std::ssize(x), 1 << 16, [&](std::int64_t begin, std::int64_t end, int) {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i)
      x[i] = start.f32(i, 0.5, 1.5);
  });
}

std::string checksum(std::span<const float> x) {
  double sum = 0, weighted = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    sum += x[i];
    weighted += x[i] * static_cast<double>(1 + i % 53);
  }
  return scientific(sum, 7) + "/" + scientific(weighted, 7);
}

void sequential(input& of) {
  const auto n = of.x.size();
  for (int product = 0; product < products; ++product) {
    for (std::int64_t row = 0; row < n; ++row) {
      float sum = 0;
      for (std::int64_t k = 0; k < slots; ++k)
        sum += of.values[k * n + row] * of.x[of.columns[k * n + row]];
      of.y[row] = sum;
    }
    std::swap(of.x, of.y);
  }
}

void handwritten(input& of, team& workers) {
  for (int product = 0; product < products; ++product) {
    workers.run_pieces(of.x.size(), block_rows, [&](std::int64_t begin, std::int64_t end, int) {
      multiply(of, begin, end);
    });
    std::swap(of.x, of.y);
  }
}

}  // namespace pappus::bench::spmv
