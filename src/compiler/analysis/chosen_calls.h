// Calls of one of several functions that are known: from a constant table, as std::visit makes for
// two variants, or from a choice between functions.
#pragma once

#include <llvm/IR/Function.h>

namespace pappus::compiler {

/// Makes each such call a switch whose cases call one function, so that they can be inlined.
void call_directly(llvm::Function& code);

}  // namespace pappus::compiler
