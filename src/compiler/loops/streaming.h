// Large results that go past the caches.
//
// A store to a line that isn't in the caches reads the line first; a loop that reads two arrays and
// writes a third moves a third more than it has to. Non-temporal stores don't, but what they wrote
// is in no cache, so whoever knows the array's size has to choose them: the loop's function is told
// so at run time (tell_past_caches, detail/loops/launch.h). Vectors that together fill lines, of
// arrays that the loop doesn't read, are stored either way, by a branch at the end of each turn,
// which processors foresee.
#pragma once

#include <llvm/IR/PassManager.h>

namespace pappus::compiler {

/// To be called when loops are vectors; works on those of launches. True: blocks were added.
bool stream_stores(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);

}  // namespace pappus::compiler
