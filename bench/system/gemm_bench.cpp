#include "system/gemm.h"

#include "system/suite.h"
#include "system/triad.h"

namespace pappus::bench {
namespace {

void multiply(session& engine, const array<float, 2>& a, const array<float, 2>& b,
              const array<float, 2>& c) {
  c.fill(0);
  engine.for_each(
      {c.extent(0), a.extent(1), c.extent(1)},
      [](idx<3> p, reads<float, 2> a, reads<float, 2> b, reduces<float, 2> c) {
        c(p[0], p[2]) += a(p[0], p[1]) * b(p[1], p[2]);
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
  // The first three write to the same buffer, so each runs once more before its checksum is taken.
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
                  {"in registers", [&] { gemm::in_registers(input, c, on.workers); },
                   [&] {
                     gemm::in_registers(input, c, on.workers);
                     return gemm::checksum(c);
                   }},
                  {"pappus", [&] { multiply(on.engine, a, b, out); },
                   [&] {
                     const auto found = out.host();
                     return gemm::checksum({found.data(), static_cast<std::size_t>(found.size())});
                   }}});
}

}  // namespace pappus::bench
