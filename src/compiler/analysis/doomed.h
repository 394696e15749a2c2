// Which basic blocks of a function matter to a device.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

namespace pappus::compiler {

/// Whether an exception from this call may be caught in this function (and not just run destructors
/// on its way, or end at a noexcept).
bool catches(const llvm::InvokeInst& call);

enum class fate { runs, traps };

/// The fate of each block that can be entered. It traps if the function's end can't be reached from
/// it, unless that is so only because the program promised never to get there, as by
/// __builtin_unreachable().
llvm::DenseMap<const llvm::BasicBlock*, fate> fates_of(const llvm::Function& function);

}  // namespace pappus::compiler
