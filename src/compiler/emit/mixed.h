// Pointers that may point to different kinds of memory.
//
// `std::max(row.x, limit)` takes the address of a field of the input or that of a captured value,
// and loads through whichever it is. OpenCL C has no pointer type for that. So each such pointer
// becomes one pointer per kind of memory and a number that tells which of them is meant, and each
// access through it becomes a branch.
#pragma once

#include "compiler/kernel_function.h"

namespace pappus::compiler {

/// Changes the kernel's code. What stays mixed (comparisons, the host's pointers) is for the writer
/// to reject.
void split_mixed_pointers(const kernel_function& kernel);

}  // namespace pappus::compiler
