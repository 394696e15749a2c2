// 128-bit integers as two of 64 bits.
//
// std::uniform_int_distribution multiplies what a 64-bit generator yields by its range in 128 bits,
// as others do for the upper half of a product. Devices' languages have no such type, so each
// value becomes a low and a high word: sums, differences, products, bits, shifts by constants,
// comparisons and choices. What divides, shifts by what is only known later, or lies in memory
// stays as it is, and the function with it: then devices can't run it.
#pragma once

#include <llvm/IR/Function.h>

namespace pappus::compiler {

/// All of a function's, or none.
void split_wide_integers(llvm::Function& function);

}  // namespace pappus::compiler
