// Gives the slots of a module their descriptors.
#pragma once

#include <llvm/IR/Module.h>

#include <string>
#include <vector>

#include "compiler/analysis/slots.h"

namespace pappus::compiler {

/// Adds the texts and a constructor that runs before the user's own and stores their addresses in
/// the slots. A constructor, not another initial value: of the same slot in several objects the
/// linker keeps one, and that may come from an object compiled without the plugin.
void embed(llvm::Module& module, const std::vector<slot>& slots,
           const std::vector<std::string>& descriptors);

}  // namespace pappus::compiler
