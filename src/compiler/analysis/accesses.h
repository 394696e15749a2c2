// Where a function reaches elements of arrays: the calls that views make
// (pappus/detail/base/view.h).
//
// They stay calls while functions are inlined, so that array and indices can be told apart.
#pragma once

#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/Instructions.h>

#include <cstdint>
#include <vector>

#include "compiler/kernel_function.h"

namespace pappus::compiler {

/// Whether this is the symbol of view_elements<...>::at, through which views reach elements.
bool is_access(llvm::StringRef symbol);

/// Marks that function in an extracted module: it is inlined last (cleaner::inline_accesses). Until
/// then its attributes tell optimisation that it only computes an address.
inline constexpr llvm::StringLiteral access_mark = "pappus.access";
void mark_access(llvm::Function& function);
bool is_access(const llvm::Instruction& i);

/// A store into an element, or part of one.
struct element_store {
  const llvm::Instruction* code;
  std::int64_t offset, size;  ///< which bytes of the element; size 0: not known
};

/// One access (a call of view_elements<...>::at), and what is done with the element.
struct element_use {
  llvm::CallInst* call;
  unsigned view;  ///< parameter of the thunk
  std::int64_t element_size;
  bool alone;        ///< the call reaches no other array
  bool reads, lost;  ///< lost: what is done isn't known, and may concern other elements, too
  std::vector<element_store> stores;
  bool may_write() const;
  /// By way of a view that many indices may reduce through.
  bool reduces() const;
  std::vector<llvm::Value*> indices() const;
};

/// All of a function's accesses to elements of arrays, in the order of its code. For a view whose
/// elements are reached in another way there is one without a call.
/// \param code  the function's, or a copy of it
std::vector<element_use> element_uses(const kernel_function& function, llvm::Function& code,
                                      llvm::ScalarEvolution& values);

}  // namespace pappus::compiler
