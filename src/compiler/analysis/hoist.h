// Captured values and shapes as values of the whole function: nothing writes them, they are copied
// at submission, but the compiler can't know that, since a store into an array might change them.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

#include <vector>

#include "compiler/kernel_function.h"

namespace pappus::compiler {

/// A value behind the captures or a shape: which parameter, and the offsets of the pointers that
/// lead to it, of the value last.
struct constant_load {
  llvm::LoadInst* value;
  unsigned parameter;
  std::vector<std::int64_t> path;
};

/// Moves loads of what doesn't change to the function's beginning, one for each place.
/// \param code  of the function, or of a copy
std::vector<constant_load> hoist_constants(const kernel_function& function, llvm::Function& code);

}  // namespace pappus::compiler
