// What has no text: assumptions, lifetimes, debug information, and what only they use.
#pragma once

#include <llvm/IR/Function.h>

namespace pappus::compiler {

/// Neither read nor written by the text.
bool is_unwritten(const llvm::Instruction& instruction);

void remove_unwritten(llvm::Function& code);

}  // namespace pappus::compiler
