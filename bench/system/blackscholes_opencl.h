// Black-Scholes in OpenCL, by hand.
#pragma once

#include <span>
#include <vector>

#include "system/blackscholes.h"
#include "system/suite.h"

namespace pappus::bench::blackscholes {

/// Adds the versions for on.opencl. \param out  as long as `quotes`; all versions write to it.
void add_opencl(const stage& on, std::span<const quote> quotes, std::span<prices> out,
                std::vector<version>& to);

}  // namespace pappus::bench::blackscholes
