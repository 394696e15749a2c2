// A copy of what the thunks reach, in a module of its own, from which everything is gone that
// differs between -O0 and -O3, with and without sanitizers, for one processor or another.
//
// The user's module stays as it is. Positions in the source get scopes of our own, which know their
// function's symbol whatever -g says: reasons name what was inlined. Only what is reached is
// copied: a translation unit has thousands of functions, the thunks reach dozens.
//
// What throws isn't copied either. From a block that can't reach the function's end any more (it
// builds an exception's message, throws it, or aborts) nothing matters but that it is entered: it
// becomes a call of @pappus.trap. A chunk that traps is run again on the CPU, which throws
// properly. An exception that this function itself may catch is left in place, for validation.
#pragma once

#include <llvm/IR/Module.h>

#include <memory>
#include <vector>

#include "compiler/analysis/slots.h"

namespace pappus::compiler {

inline constexpr llvm::StringLiteral trap_name = "pappus.trap";

/// Marks functions whose body isn't copied because another object may replace it.
inline constexpr llvm::StringLiteral replaceable_mark = "pappus.replaceable";

struct extracted {
  std::unique_ptr<llvm::Module> module;
  std::vector<llvm::Function*> thunks;        ///< of the slots, in their order
  std::vector<const llvm::Function*> copied;  ///< the originals of all functions in the module
};

extracted extract(const llvm::Module& module, const std::vector<slot>& slots);

}  // namespace pappus::compiler
