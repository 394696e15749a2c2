// Users' functions inlined into the CPU's loops.
//
// A loop over calls never becomes one over vectors. clang inlines what comes to some 50
// instructions where it is called from several loops, as a query's functions are; g++ goes about
// four times as far. So calls on the way from a loop to a user's function, and on from there, are
// always inlined, if everything that is reached is at hand and comes to a few hundred operations;
// to a thousand where a function has a single loop, as those of launches do. Where it isn't, the
// loop stays scalar in any case.
#pragma once

#include <llvm/IR/Module.h>

namespace pappus::compiler {

/// To be called at the start of clang's pipeline, if it optimises.
void inline_into_loops(llvm::Module& module);

}  // namespace pappus::compiler
