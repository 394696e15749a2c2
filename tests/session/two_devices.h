// Two devices in a process, for a machine with two of them. Read when OpenCL is first loaded.
#pragma once

#include <cstdlib>

namespace pappus::testing {

inline const bool devices_chosen = ::setenv("POCL_DEVICES", "basic basic", 0) == 0;

}  // namespace pappus::testing
