#include "system/mapfiltersum_opencl.h"

#include "system/totals_opencl.h"

namespace pappus::bench::mapfiltersum {

void add_opencl(const stage& on, std::span<const std::int32_t> numbers, std::vector<version>& to) {
  // opencl/mapfiltersum.cl's count_and_sum is our result.
  opencl::add_totals<result>(
      on, numbers, {"opencl/mapfiltersum.cl", "add_rows", "add_vectors", 1 << 20},
      [](const result& total) { return total.checksum(); }, to);
}

}  // namespace pappus::bench::mapfiltersum
