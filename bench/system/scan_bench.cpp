#include <functional>

#include "system/inputs.h"
#include "system/scan.h"
#include "system/scan_opencl.h"
#include "system/suite.h"
#include "system/triad.h"

namespace pappus::bench {

std::vector<result> run_scan(const stage& on, std::int64_t n) {
  const auto numbers = make_numbers(n, on.asked.seed, on.workers);
  const buffer<std::int32_t> sums(n, on.workers);
  scan::result last;
  records<std::int32_t> pappus;
  auto rows = on.engine.borrow(numbers.all());
  // The first two write to the same buffer, so each runs once more before its checksum is taken.
  std::vector<version> versions{
      {"sequential", [&] { last = scan::sequential(numbers, sums); },
       [&] {
         last = scan::sequential(numbers, sums);
         return last.checksum();
       }},
      {"handwritten", [&] { last = scan::handwritten(numbers, sums, on.workers); },
       [&] {
         last = scan::handwritten(numbers, sums, on.workers);
         return last.checksum();
       }},
      {"pappus",
       [&] {
         pappus = {};
         if (!on.asked.resident) rows = on.engine.borrow(numbers.all());
         pappus = rows.inclusive_scan(std::plus<std::int32_t>{}).collect();
       },
       [&] { return scan::result{pappus}.checksum(); }}};
  scan::add_opencl(on, numbers, sums, versions);
  return compare(on, "scan", n, min_bytes::scan(n), std::move(versions));
}

}  // namespace pappus::bench
