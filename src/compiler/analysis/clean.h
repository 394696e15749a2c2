// Makes each thunk of an extracted module one function without calls of the user's functions.
//
// LLVM's own passes, in an order of our own, for no processor in particular: inline all that isn't
// recursive, promote to values, simplify; twice and more, since a function object that is passed
// along can be inlined only when it has become a value. Then, in a step of its own, aggregates and
// small vectors become scalars, and what a loop doesn't change leaves it: that moves code away from
// where the user wrote it, so reasons are looked for before. Loops are neither unrolled nor
// vectorised: the text would grow, and the device's compiler does it better.
#pragma once

#include <llvm/ADT/STLFunctionalExtras.h>

#include <cstddef>

#include "compiler/analysis/analyses.h"
#include "compiler/analysis/extract.h"

namespace pappus::compiler {

/// Marks functions that call themselves, directly or through others.
inline constexpr llvm::StringLiteral recursive_mark = "pappus.recursive";

class cleaner {
 public:
  explicit cleaner(extracted& code);
  /// Called with a thunk's number after something was inlined there, and again when its variables
  /// have become values, before blocks are merged: merging drops what was assumed in them.
  using inlining_visitor = llvm::function_ref<void(std::size_t thunk)>;

  /// Inlines everything but views' accesses to elements: the footprint is taken between this and
  /// inline_accesses().
  void inline_all(inlining_visitor inlined);
  void inline_accesses();
  void finish();

 private:
  void inline_and_simplify(inlining_visitor inlined);
  extracted& code_;
  analyses analyses_;
};

}  // namespace pappus::compiler
