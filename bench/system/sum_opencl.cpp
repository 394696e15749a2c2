#include "system/sum_opencl.h"

#include "system/sum.h"
#include "system/totals_opencl.h"

namespace pappus::bench::sum {

void add_opencl(const stage& on, std::span<const double> numbers, std::vector<version>& to) {
  opencl::add_totals<double>(on, numbers, {"opencl/sum.cl", "add_lanes", "add_vectors", 1 << 19},
                             checksum, to);
}

}  // namespace pappus::bench::sum
