// Calls through a pointer that can only be one of a few known functions: from a constant table, as
// std::visit makes for two variants, or from a choice such as `(x ? f : g)(y)`.
#pragma once

#include <llvm/IR/Function.h>

namespace pappus::compiler {

/// Makes each such call a switch with a direct call in each case, so that these can be inlined.
void call_directly(llvm::Function& code);

}  // namespace pappus::compiler
