// Versions go on from where their last run ended, and start anew for the checksum.
#include "system/spmv.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "system/suite.h"
#include "system/triad.h"

namespace pappus::bench {
namespace {

/// The matrix and the vectors as arrays.
struct matrix {
  array<float, 2> values;
  array<std::int32_t, 2> columns;
  array<float> x, y;
};

matrix arrays_of(session& engine, const spmv::input& of) {
  const auto rows = of.x.size();
  return {engine.to_array<2>(of.values.all(), {spmv::slots, rows}),
          engine.to_array<2>(of.columns.all(), {spmv::slots, rows}), engine.to_array(of.x.all()),
          engine.to_array(of.x.all())};
}

void multiply_rows(session& engine, matrix& of) {
  engine.for_each(
      of.x.extent(0),
      [](idx<1> row, reads<float, 2> values, reads<std::int32_t, 2> columns, reads<float> x,
         writes<float> y) {
        float sum = 0;
        for (std::int64_t k = 0; k < spmv::slots; ++k) sum += values(k, row) * x[columns(k, row)];
        y[row] = sum;
      },
      of.values, of.columns, of.x, of.y);
}

constexpr std::int64_t block_rows = 2048;

/// An index is a block of rows, whose slots are added up one after another: two streams instead of
/// two a slot.
void multiply_blocks(session& engine, matrix& of) {
  const auto n = of.x.extent(0);
  engine.for_each((n + block_rows - 1) / block_rows,
                  [n](idx<1> block, reads<float, 2> values, reads<std::int32_t, 2> columns,
                      reads<float> x, writes<float> y) {
                    const std::int64_t first = block_rows * block;
                    const auto rows = std::min(block_rows, n - first);
                    float sums[block_rows] = {};
                    for (std::int64_t k = 0; k < spmv::slots; ++k)
                      for (std::int64_t r = 0; r < rows; ++r)
                        sums[r] += values(k, first + r) * x[columns(k, first + r)];
                    for (std::int64_t r = 0; r < rows; ++r) y[first + r] = sums[r];
                  },
                  of.values, of.columns, of.x, of.y);
}

void multiply(session& engine, matrix& of, void (*once)(session&, matrix&)) {
  for (int product = 0; product < spmv::products; ++product) {
    once(engine, of);
    std::swap(of.x, of.y);
  }
  engine.wait();
}

version by_pappus(const stage& on, const char* name, matrix& of, void (*once)(session&, matrix&)) {
  return {name, [&on, &of, once] { multiply(on.engine, of, once); },
          [&on, &of, once] {
            const auto start = of.x.host_write();
            spmv::reset({start.begin(), start.end()}, on.asked.seed, on.workers);
            multiply(on.engine, of, once);
            const auto last = of.x.host();
            return spmv::checksum({last.begin(), last.end()});
          }};
}

}  // namespace

std::vector<result> run_spmv(const stage& on, std::int64_t n) {
  auto input = spmv::make_spmv(n, on.asked.seed, on.workers);
  auto arrays = arrays_of(on.engine, input);
  const auto restart = [&] { spmv::reset(input.x, on.asked.seed, on.workers); };
  std::vector<version> versions{{"sequential", [&] { spmv::sequential(input); },
                                 [&] {
                                   restart();
                                   spmv::sequential(input);
                                   return spmv::checksum(input.x);
                                 }},
                                {"handwritten", [&] { spmv::handwritten(input, on.workers); },
                                 [&] {
                                   restart();
                                   spmv::handwritten(input, on.workers);
                                   return spmv::checksum(input.x);
                                 }}};
  versions.push_back(by_pappus(on, "pappus", arrays, multiply_rows));
  versions.push_back(by_pappus(on, "pappus, blocks", arrays, multiply_blocks));
  return compare(on, "spmv", n, min_bytes::spmv(n, spmv::slots, spmv::products),
                 std::move(versions));
}

}  // namespace pappus::bench
