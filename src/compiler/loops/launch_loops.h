// Which loops are those over a launch's indices.
#pragma once

#include <llvm/IR/Function.h>

namespace pappus::compiler {

/// Whether the function is one of detail::launch_loop_of (loops/launch.h).
inline bool is_launch_loop(const llvm::Function& function) {
  return function.getName().starts_with("_ZN6pappus6detail14launch_loop_of");
}

}  // namespace pappus::compiler
