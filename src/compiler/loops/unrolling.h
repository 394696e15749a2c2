// Loops in launched functions unrolled, where these have only short ones of fixed counts.
//
// LLVM makes vectors of innermost loops alone. A function that adds up 32 products so keeps the
// loop over indices scalar, and its own sum mustn't be reordered. Without its loops, indices are
// lanes. Not here: functions with a loop whose count isn't fixed; short ones may be the lanes.
#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>

namespace pappus::compiler {

/// To be called for inner loops first, before LLVM unrolls what it is asked to.
void ask_to_unroll(llvm::Loop& loop, const llvm::LoopInfo& loops, llvm::ScalarEvolution& evolution);

}  // namespace pappus::compiler
