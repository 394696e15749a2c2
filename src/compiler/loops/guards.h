// Guards: what a loop over indices asks of each index, but has one answer for nearly all of them.
//
//     j > 0 ? in(i, j - 1) : in(i, j)        in(i, std::min(j + 1, n - 1))
//
// A guard is a comparison, a minimum or a maximum, of the index (more or less something that the
// loop doesn't change) and a value that the loop doesn't change. It has the same answer, the inner
// one, from a first index to a last. Which answer is the inner one is a guess: a constant of few
// digits is taken for a lower border, all else for an upper one. Of rows as of indices.
#pragma once

#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>

#include <utility>

namespace pappus::compiler {

/// A loop from an index to another in steps of 1, that asks at its end whether to go on.
struct index_loop {
  llvm::Loop* loop;
  llvm::PHINode* index;
  llvm::Value* start;
  llvm::Value* next;  ///< index + 1
  llvm::Value* end;   ///< the first index not of the loop; at least start + 1

  /// Null `loop`: it is another kind of loop.
  static index_loop of(llvm::Loop& loop);
};

/// In the loop: a comparison, minimum or maximum of index + offset and a value.
struct guard {
  /// Where index + offset lies for indices inside: below the value, from it on, elsewhere, or
  /// between 0 and it.
  enum class side { below, from, unequal, range };

  llvm::Instruction* instruction;
  llvm::Value* inner;  ///< what it is for indices inside: an operand or a constant
  side where;
  llvm::Value* value;
  llvm::Value* offset;  ///< null: 0
  bool minus;           ///< index - offset
  bool more;            ///< the value's successor is meant

  /// The indices, from a first to before a last, for which it surely has its inner value. They may
  /// be none and beyond the loop's.
  std::pair<llvm::Value*, llvm::Value*> inside(llvm::IRBuilder<>& at, const index_loop& of) const;
};

llvm::SmallVector<guard> guards_of(const index_loop& of);

/// A condition that the loop tests and doesn't change, but a loop around it does: whether a row is
/// the array's first.
struct row_guard {
  llvm::Value* condition;
  bool inner;  ///< what it is for rows inside
};
llvm::SmallVector<row_guard> row_guards_of(const index_loop& of);

}  // namespace pappus::compiler
