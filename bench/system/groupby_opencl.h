// Grouping in OpenCL, by hand.
#pragma once

#include <span>
#include <vector>

#include "system/groupby.h"
#include "system/suite.h"

namespace pappus::bench::groupby {

/// Adds the versions for on.opencl.
void add_opencl(const stage& on, std::span<const row> rows, knowledge known,
                std::vector<version>& to);

}  // namespace pappus::bench::groupby
