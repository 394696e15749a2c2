#include "system/inputs.h"
#include "system/suite.h"
#include "system/sum.h"
#include "system/sum_opencl.h"
#include "system/triad.h"

namespace pappus::bench {

std::vector<result> run_sum(const stage& on, std::int64_t n) {
  const auto numbers = make_doubles(n, on.asked.seed, on.workers);
  double sequential = 0, handwritten = 0, pappus = 0;
  auto rows = on.engine.borrow(numbers.all());
  const auto text = [](const double& total) { return [&total] { return sum::checksum(total); }; };
  std::vector<version> versions{
      {"sequential", [&] { sequential = sum::sequential(numbers); }, text(sequential)},
      {"handwritten", [&] { handwritten = sum::handwritten(numbers, on.workers); },
       text(handwritten)},
      {"pappus",
       [&] {
         if (!on.asked.resident) rows = on.engine.borrow(numbers.all());
         pappus = rows.sum();
       },
       text(pappus)}};
  sum::add_opencl(on, numbers, versions);
  return compare(on, "sum", n, min_bytes::sum(n), std::move(versions));
}

}  // namespace pappus::bench
