#include "system/gemm.h"

#include "system/suite.h"
#include "system/triad.h"

namespace pappus::bench {
namespace {

void multiply(session& engine, const array<float, 2>& a, const array<float, 2>& b,
              const array<float, 2>& c) {
  engine.for_each(
      c.extents(),
      [n = a.extent(1)](idx<2> at, reads<float, 2> a, reads<float, 2> b, writes<float, 2> c) {
        float sum = 0;
        for (std::int64_t k = 0; k < n; ++k) sum += a(at[0], k) * b(k, at[1]);
        c[at] = sum;
      },
      a, b, c);
  engine.wait();
}

}  // namespace

std::vector<result> run_gemm(const stage& on, std::int64_t n) {
  const auto input = gemm::make_gemm(n, on.asked.seed, on.workers);
  const auto side = input.side;
  const buffer<float> c(side * side, on.workers);
  const auto a = on.engine.to_array<2>(input.a.all(), {side, side});
  const auto b = on.engine.to_array<2>(input.b.all(), {side, side});
  const auto out = on.engine.zeros<float, 2>({side, side});
  // The first two write to the same buffer, so each runs once more before its checksum is taken.
  return compare(on, "gemm", n, min_bytes::gemm(side * side),
                 {{"sequential", [&] { gemm::sequential(input, c); },
                   [&] {
                     gemm::sequential(input, c);
                     return gemm::checksum(c);
                   }},
                  {"handwritten", [&] { gemm::handwritten(input, c, on.workers); },
                   [&] {
                     gemm::handwritten(input, c, on.workers);
                     return gemm::checksum(c);
                   }},
                  {"pappus", [&] { multiply(on.engine, a, b, out); },
                   [&] {
                     const auto found = out.host();
                     return gemm::checksum({found.data(), static_cast<std::size_t>(found.size())});
                   }}});
}

}  // namespace pappus::bench
