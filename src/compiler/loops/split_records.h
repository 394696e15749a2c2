// Small records as scalars: what lets LLVM vectorise the CPU's loops over calls that return them.
//
// x86-64's calling convention passes a struct of two floats as a vector of two. Where such a call
// was inlined the vector remains, made of its elements and stored at once, and the vectoriser
// leaves alone any loop with a vector in it. Stores of vectors that are put together from scalars
// become stores of these, loads of vectors that are only taken apart become loads of the parts.
#pragma once

#include <llvm/IR/PassManager.h>

namespace pappus::compiler {

/// Works on innermost loops; adds and removes no basic block.
void split_records(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);

}  // namespace pappus::compiler
