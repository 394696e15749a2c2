// Elements of many streams asked for ahead of the loop that reads them.
//
// A row of a sparse matrix with 32 slots reads 64 arrays at once, more than processors find the
// streams of. What such a loop reads at a fixed stride is fetched some turns before; asking never
// fails, at the ends of arrays neither. Of few streams processors take care themselves.
#pragma once

#include <llvm/IR/PassManager.h>

namespace pappus::compiler {

/// To be called when loops are vectors; works on those of launches.
void prefetch_streams(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);

}  // namespace pappus::compiler
