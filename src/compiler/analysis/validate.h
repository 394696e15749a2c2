// Finds everything in a kernel function that no device can do, in the user's terms.
//
// It looks at the code after cleaning: what optimisation removes is no reason. Emission adds
// reasons of its own, about pointers and their extents.
#pragma once

#include <string>
#include <vector>

#include "compiler/kernel_function.h"

namespace pappus::compiler {

/// \param otherwise  the `where` of code that was compiled without positions
std::vector<reason> validate(const kernel_function& function, const std::string& otherwise);

}  // namespace pappus::compiler
