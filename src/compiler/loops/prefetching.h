// Elements asked for ahead of the loop that reads them: of many streams, and of those that are
// summed up in lanes.
//
// A row of a sparse matrix with 32 slots reads 64 arrays at once, more than processors find the
// streams of. What such a loop reads at a fixed stride is fetched some turns before; asking never
// fails, at the ends of arrays neither. Of few streams processors take care themselves, but anew
// from page to page. Sums in lanes (detail/loops/launch.h) do little else than wait for memory, so
// each line that such a loop reads is fetched a page before, and none twice.
#pragma once

#include <llvm/IR/PassManager.h>

namespace pappus::compiler {

/// To be called when loops are vectors; works on those of launches.
void prefetch_streams(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);

}  // namespace pappus::compiler
