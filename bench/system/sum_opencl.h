// Sum of doubles in OpenCL, by hand.
#pragma once

#include <span>
#include <vector>

#include "system/suite.h"

namespace pappus::bench::sum {

/// Adds the versions for on.opencl.
void add_opencl(const stage& on, std::span<const double> numbers, std::vector<version>& to);

}  // namespace pappus::bench::sum
