// How much memory a function may read behind each captured reference.
#pragma once

#include <llvm/IR/Instruction.h>

#include <vector>

#include "compiler/emit/emit.h"

namespace pappus::compiler {

struct reference_sizes {
  std::vector<reference> known;                   ///< by offset
  std::vector<const llvm::Instruction*> unknown;  ///< accesses of which no size is known
};

/// Moves what assumptions in the code (sizes.h) say of captured references to captured_sizes.
/// Assumptions of pointers that aren't known yet to be such stay.
void take_sizes(kernel_function& kernel);

/// The size of a reference is that of the type the code takes the memory for: constant offsets
/// count as they are, an index that is computed as its array's size.
reference_sizes captured_references(const kernel_function& kernel);

}  // namespace pappus::compiler
