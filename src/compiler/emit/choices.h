// Captured references of which one is chosen.
//
// Of `x < 0 ? low : high`, both captured by reference, LLVM makes one access through a pointer that
// is read from one of two places of the captures. Which pointer a place holds is known, so they are
// read first, and one of them is chosen.
#pragma once

#include "compiler/kernel_function.h"

namespace pappus::compiler {

/// Changes the kernel's code.
void choose_after_reading(const kernel_function& kernel);

}  // namespace pappus::compiler
