// Computes in 64 bits what is computed in 32 and then used as an index. An index of type int is
// otherwise the sign extension of a truncated sum, of which scalar evolution can't say much.
#pragma once

#include <llvm/IR/Function.h>

namespace pappus::compiler {

/// True: numbers are made int or unsigned on the way to an index, and are taken to fit. What is
/// then found out of the indices holds for launches, captured values and indices below 2^31.
bool widen_indices(llvm::Function& code);

}  // namespace pappus::compiler
