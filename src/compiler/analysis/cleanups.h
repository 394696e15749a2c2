// Undoes what optimised builds do at the end of a scope.
//
// Where a variable's lifetime ends, clang leads all ways out of the scope (its end, break, return)
// through one block that ends the lifetime and then switches on a number that each way has stored:
// where it wanted to go. Without optimisation there are no ends of lifetimes and no such blocks.
// LLVM's passes would find the ways again, but in another shape than without the block. So each way
// is led past the block as long as there is nothing in it.
#pragma once

#include <llvm/IR/Function.h>

namespace pappus::compiler {

/// For code as it comes from clang's front end, with variables still in memory.
void skip_empty_cleanups(llvm::Function& function);

}  // namespace pappus::compiler
