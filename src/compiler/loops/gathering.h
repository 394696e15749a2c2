// Gathers in launches.
//
// Programs are compiled without gathers (cmake/PappusLoopFlags.cmake), since loops of queries go
// over wide records, field by field, and wait for memory then. A launch reads elements at indices
// that it computes, of arrays that caches have: there they are quicker than loads one by one.
#pragma once

#include <llvm/IR/PassManager.h>

namespace pappus::compiler {

/// To be called when functions are inlined, before loops become vectors.
void let_launches_gather(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);

}  // namespace pappus::compiler
