#include "system/inputs.h"
#include "system/mapfiltersum.h"
#include "system/suite.h"
#include "system/triad.h"

namespace pappus::bench {
namespace {

/// Count and sum in one pass.
struct count_and_sum {
  std::int64_t count = 0, sum = 0;
  void accumulate(int x) {
    ++count;
    sum += x;
  }
  void merge(const count_and_sum& other) {
    count += other.count;
    sum += other.sum;
  }
};

}  // namespace

std::vector<result> run_mapfiltersum(const stage& on, std::int64_t n) {
  const auto numbers = make_mapfiltersum(n, on.workers);
  mapfiltersum::result sequential, handwritten;
  count_and_sum pappus;
  return compare(
      on, "mapfiltersum", n, min_bytes::mapfiltersum(n),
      {{"sequential", [&] { sequential = mapfiltersum::sequential(numbers); },
        [&] { return sequential.checksum(); }},
       {"handwritten", [&] { handwritten = mapfiltersum::handwritten(numbers, on.workers); },
        [&] { return handwritten.checksum(); }},
       {"pappus",
        [&] {
          pappus = on.engine.borrow(numbers.all())
                       .map([](int x) { return x + 15; })
                       .filter(fn<mapfiltersum::divisible_by_15>)
                       .reduce<count_and_sum>();
        },
        [&] { return mapfiltersum::result{pappus.count, pappus.sum}.checksum(); }}});
}

}  // namespace pappus::bench
