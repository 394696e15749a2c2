// Computes indices in 64 bits that the user's code computes in 32. Otherwise an index of type int
// is the sign extension of a truncated sum, of which scalar evolution can't say much.
#pragma once

#include <llvm/IR/Function.h>

namespace pappus::compiler {

/// Returns true if numbers are converted to int or unsigned on the way to an index; they are
/// assumed to fit. Then what is found out about the indices holds only while launches, captured
/// values and indices are below 2^31.
bool widen_indices(llvm::Function& code);

}  // namespace pappus::compiler
