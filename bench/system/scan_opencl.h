// Prefix sums in OpenCL, by hand.
#pragma once

#include <span>
#include <vector>

#include "system/scan.h"
#include "system/suite.h"

namespace pappus::bench::scan {

/// Adds the versions for the first of on.opencl. \param sums  as long as `numbers`.
void add_opencl(const stage& on, std::span<const std::int32_t> numbers,
                std::span<std::int32_t> sums, std::vector<version>& to);

}  // namespace pappus::bench::scan
