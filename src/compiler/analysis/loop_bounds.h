// How often a loop's body runs, as a formula of what is known before the loop.
#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>

#include <optional>

namespace pappus::compiler {

struct loop_bound {
  const llvm::SCEV* last;  ///< number of the last round, from 0; below 0: there are no rounds
  bool exact;              ///< false: the loop may end earlier
};

/// Rounds are counted where `code` runs, which may be before the test that ends the loop or after.
std::optional<loop_bound> bound_of(const llvm::Loop& loop, const llvm::BasicBlock& code,
                                   llvm::ScalarEvolution& values);

/// Whether one of the blocks runs whenever the loop's body does (no loop: whenever the function
/// does), traps aside.
bool always_runs(const llvm::Loop* loop, const llvm::Function& function,
                 llvm::ArrayRef<const llvm::BasicBlock*> blocks);

}  // namespace pappus::compiler
