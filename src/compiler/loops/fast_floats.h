// Fast floats on the CPU: what pappus_enable(target FLOATS fast) lets LLVM do with the arithmetic
// of users' functions.
//
// Products and sums may be fused, sums and products reordered, quotients become products with a
// reciprocal, zeros lose their sign, and functions of <cmath> be approximated (vector_maths.h).
// Infinities and NaNs stay what they are. Options of clang (-ffast-math and its parts) would say
// the same of all that a translation unit instantiates: of Pappus's own loops and reducers, too,
// which other objects share, and whose order of summation is a promise. So instructions are marked
// one by one, and only those of functions that a query is given.
#pragma once

#include <vector>

#include "compiler/analysis/slots.h"

namespace pappus::compiler {

/// Whether a slot's function is the user's, and not one of Pappus's reducers.
bool may_have_fast_floats(const slot& s);

/// Marks the functions that thunks of users' functions reach, in the user's module.
void allow_fast_floats(const std::vector<slot>& slots);

}  // namespace pappus::compiler
