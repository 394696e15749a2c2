// Two vectors of indices in a turn, or four short ones, where a function's instructions wait for
// each other.
//
// Each step of a digest needs the one before. Processors go on with the next turn meanwhile, as far
// ahead as a few hundred instructions; of a long function that is no turn. LLVM puts several
// vectors into a turn of short loops alone, since they pay for the loop's own instructions there.
#pragma once

#include <llvm/IR/PassManager.h>

namespace pappus::compiler {

/// To be called before loops become vectors; works on those of launches.
void ask_to_interleave(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);

}  // namespace pappus::compiler
