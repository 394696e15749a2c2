// mapfiltersum in OpenCL, by hand.
#pragma once

#include <span>
#include <vector>

#include "system/mapfiltersum.h"
#include "system/suite.h"

namespace pappus::bench::mapfiltersum {

/// Adds the versions for on.opencl.
void add_opencl(const stage& on, std::span<const std::int32_t> numbers, std::vector<version>& to);

}  // namespace pappus::bench::mapfiltersum
