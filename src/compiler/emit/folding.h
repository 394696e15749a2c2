// Which values become part of the expression that uses them, and which become variables.
//
// A value folds into its user where it is used once, and where evaluating it at the user's place
// gives the same: loads must not pass writes, and nothing may move into a loop. Offsets by
// constants and accesses to parts of aggregates are transparent: they are written at each use.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Instructions.h>

#include "compiler/emit/spaces.h"

namespace pappus::compiler {

class folding {
 public:
  folding(const llvm::Function& code, const llvm::LoopInfo& loops, const spaces& where);

  bool is_folded(const llvm::Instruction& value) const { return folded_.contains(&value); }
  /// The blocks in whose text the value's name is read; a phi reads at the end of the block that
  /// control comes from.
  llvm::SmallVector<const llvm::BasicBlock*, 4> read_in(const llvm::Value& value) const;

 private:
  struct use {
    const llvm::Instruction* user;
    const llvm::BasicBlock* block;  // where it is evaluated
    bool once;                      // the user's text has the operand once
  };
  struct place {
    const llvm::BasicBlock* block = nullptr;
    unsigned writes = 0;  // before it in the block
  };

  void number(const llvm::BasicBlock& block);
  void decide(const llvm::Instruction& value);
  void collect_uses(const llvm::Value& value, llvm::SmallVectorImpl<use>& uses) const;
  bool loop_allows(const llvm::BasicBlock* from, const llvm::BasicBlock* to) const;

  const llvm::LoopInfo& loops_;
  const spaces& where_;
  llvm::DenseSet<const llvm::Instruction*> folded_;
  llvm::DenseMap<const llvm::Instruction*, place> evaluated_;  // where the text stands
  llvm::DenseMap<const llvm::Instruction*, const llvm::Instruction*> root_;  // of what is folded
  llvm::DenseMap<const llvm::Instruction*, unsigned> weight_;                // folded into a root
  llvm::DenseMap<const llvm::BasicBlock*, unsigned> writes_in_;
};

/// Written at each use: an offset by a constant, a part of an aggregate.
bool is_transparent(const llvm::Instruction& value);
/// A call whose result follows from the values of its arguments alone.
bool is_pure_call(const llvm::CallBase& call);

}  // namespace pappus::compiler
