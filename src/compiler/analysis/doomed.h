// Which blocks of a function matter to a device.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

namespace pappus::compiler {

/// Whether an exception from here may be caught in this function (and not just pass through its
/// destructors, or meet a noexcept).
bool catches(const llvm::InvokeInst& call);

enum class fate { runs, traps };

/// The blocks that can be entered, with what becomes of them: a block traps if the function's end
/// can't be reached from it, and not just because the program promised never to get there.
llvm::DenseMap<const llvm::BasicBlock*, fate> fates_of(const llvm::Function& function);

}  // namespace pappus::compiler
