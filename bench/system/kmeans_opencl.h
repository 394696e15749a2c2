// k-means in OpenCL, by hand.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "system/kmeans.h"
#include "system/suite.h"

namespace pappus::bench::kmeans {

/// The text of a file like device/kmeans.cl for this number of coordinates.
std::string text_for(std::string_view path, int dimensions);

/// Adds the versions for on.opencl. D is 8, 20 or 40.
template <int D>
void add_opencl(const stage& on, std::span<const point<D>> points, int k, std::vector<version>& to);

}  // namespace pappus::bench::kmeans
