// Remembers how large objects are, while types still tell.
//
// Behind a captured reference lies an object whose size the compiler knows where a member function
// is called on it or it is passed on by reference: the parameter says how many bytes may be read.
// Inlining forgets that. Assumptions keep it, and references.h reads them.
#pragma once

#include <llvm/IR/Module.h>

namespace pappus::compiler {

/// To be called before functions are inlined.
void note_sizes(llvm::Module& module);

}  // namespace pappus::compiler
