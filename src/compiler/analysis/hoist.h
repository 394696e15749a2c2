// Reads captured values and views' shapes once, at the function's beginning: they are copied when a
// launch is submitted, so nothing writes them. The compiler can't know that, since for all it knows
// a store into an array might change them.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

#include <vector>

#include "compiler/kernel_function.h"

namespace pappus::compiler {

/// The load of a captured value or a shape's number: from which parameter, and by which offsets,
/// those of the pointers that lead to it and last the value's own.
struct constant_load {
  llvm::LoadInst* value;
  unsigned parameter;
  std::vector<std::int64_t> path;
};

/// Moves these loads to the function's beginning, one for each address.
/// \param code  the function's, or a copy of it
std::vector<constant_load> hoist_constants(const kernel_function& function, llvm::Function& code);

}  // namespace pappus::compiler
