// Loops over indices split where their guards change.
//
//     for (j = low; j < high; ++j) out[j] = j > 0 ? in[j - 1] : in[j];
//
// In vectors each guard is a comparison of eight or sixteen indices and a mask for what depends on
// it, though only borders need that. Such a loop gets a twin without guards for the indices inside,
// and one around both goes from one to the other: outside, inside, outside. As LLVM's
// InductiveRangeCheckElimination and LoopBoundSplit do, which know checks that fail and one guard
// at the end; here are several, at both ends, and clamps.
#pragma once

#include <llvm/IR/PassManager.h>

namespace pappus::compiler {

/// To be called before loops are vectors; works on those of launches. Whether it changed any.
bool split_at_guards(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);

}  // namespace pappus::compiler
