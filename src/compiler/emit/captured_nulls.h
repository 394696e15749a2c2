// Questions whether a captured pointer is null.
//
// A device has a copy of what the pointer leads to, which lies somewhere in any case. The pointer
// itself is among the captures, as a number.
#pragma once

#include "compiler/kernel_function.h"

namespace pappus::compiler {

void ask_numbers_for_null(const kernel_function& kernel);

}  // namespace pappus::compiler
