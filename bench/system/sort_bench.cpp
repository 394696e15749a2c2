#include "system/inputs.h"
#include "system/sort.h"
#include "system/sort_opencl.h"
#include "system/suite.h"
#include "system/triad.h"

namespace pappus::bench {

std::vector<result> run_sort(const stage& on, std::int64_t n) {
  const auto numbers = make_numbers(n, on.asked.seed, on.workers);
  const buffer<std::int32_t> sorted(n, on.workers);
  sort::workspace space(on.workers);
  sort::result last;
  records<std::int32_t> pappus;
  auto rows = on.engine.borrow(numbers.all());
  // The first two write to the same buffer, so each runs once more before its checksum is taken.
  std::vector<version> versions{
      {"sequential", [&] { last = sort::sequential(numbers, sorted); },
       [&] {
         last = sort::sequential(numbers, sorted);
         return last.checksum();
       }},
      {"handwritten", [&] { last = sort::handwritten(numbers, sorted, space, on.workers); },
       [&] {
         last = sort::handwritten(numbers, sorted, space, on.workers);
         return last.checksum();
       }},
      {"pappus",
       [&] {
         pappus = {};
         if (!on.asked.resident) rows = on.engine.borrow(numbers.all());
         pappus = rows.sort().collect();
       },
       [&] { return sort::result{pappus}.checksum(); }}};
  sort::add_opencl(on, numbers, sorted, versions);
  return compare(on, "sort", n, min_bytes::sort(n), std::move(versions));
}

}  // namespace pappus::bench
