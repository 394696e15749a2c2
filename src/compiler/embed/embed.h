// Gives the slots of a module their descriptors.
#pragma once

#include <llvm/IR/Module.h>

#include <string>
#include <vector>

namespace pappus::compiler {

/// A slot, whose first member is the address of its descriptor.
struct described_slot {
  llvm::GlobalVariable* variable;
  std::string descriptor;
};

/// Adds the texts and a constructor that runs before the user's own and stores their addresses in
/// the slots. A constructor, not another initial value: of the same slot in several objects the
/// linker keeps one, and that may come from an object compiled without the plugin. A destructor
/// takes them back: libraries may be unloaded before the program ends.
void embed(llvm::Module& module, const std::vector<described_slot>& slots);

}  // namespace pappus::compiler
