// Versions go on from where their last run ended, and start anew for the checksum.
#include "system/spmv.h"

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

void multiply(session& engine, matrix& of) {
  for (int product = 0; product < spmv::products; ++product) {
    engine.for_each(
        of.x.extent(0),
        [](idx<1> row, reads<float, 2> values, reads<std::int32_t, 2> columns, reads<float> x,
           writes<float> y) {
          float sum = 0;
          for (std::int64_t k = 0; k < spmv::slots; ++k) sum += values(k, row) * x[columns(k, row)];
          y[row] = sum;
        },
        of.values, of.columns, of.x, of.y);
    std::swap(of.x, of.y);
  }
  engine.wait();
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
                                 }},
                                {"pappus", [&] { multiply(on.engine, arrays); },
                                 [&] {
                                   const auto start = arrays.x.host_write();
                                   spmv::reset({start.begin(), start.end()}, on.asked.seed,
                                               on.workers);
                                   multiply(on.engine, arrays);
                                   const auto last = arrays.x.host();
                                   return spmv::checksum({last.begin(), last.end()});
                                 }}};
  return compare(on, "spmv", n, min_bytes::spmv(n, spmv::slots, spmv::products),
                 std::move(versions));
}

}  // namespace pappus::bench
