// Sorting 32-bit numbers in OpenCL, by hand.
#pragma once

#include <span>
#include <vector>

#include "system/sort.h"
#include "system/suite.h"

namespace pappus::bench::sort {

/// Adds the versions for on.opencl. \param sorted  as long as `numbers`; all versions write to it.
void add_opencl(const stage& on, std::span<const std::int32_t> numbers,
                std::span<std::int32_t> sorted, std::vector<version>& to);

}  // namespace pappus::bench::sort
