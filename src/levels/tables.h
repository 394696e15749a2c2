// The tables that v2.cpp, v3.cpp and v4.cpp fill.
#pragma once

#include "levels/kernels.h"

namespace pappus::levels {

extern const kernels kernels_v2, kernels_v3, kernels_v4;

}  // namespace pappus::levels
