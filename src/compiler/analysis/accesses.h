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

/// Whether a function with this symbol is what views call.
bool is_access(llvm::StringRef symbol);

/// Marks it in an extracted module: it is inlined last (cleaner::inline_accesses). Until then
/// optimisation knows of it that it is arithmetic.
inline constexpr llvm::StringLiteral access_mark = "pappus.access";
void mark_access(llvm::Function& function);
bool is_access(const llvm::Instruction& i);

/// A store into an element, or part of one.
struct element_store {
  const llvm::Instruction* code;
  std::int64_t offset, size;  ///< bytes of the element; size 0: which is not known
};

/// One call, and what is done with the element it yields.
struct element_use {
  llvm::CallInst* call;
  unsigned view;  ///< parameter of the thunk
  std::int64_t element_size;
  bool alone;        ///< no other array is reached by this call
  bool reads, lost;  ///< lost: nobody knows what is done, perhaps to other elements
  std::vector<element_store> stores;
  bool may_write() const;
  std::vector<llvm::Value*> indices() const;
};

/// All of a function's uses of the elements of arrays, in the order of its code. A view whose
/// elements are reached in another way has a use without a call.
/// \param code  of the function, or of a copy
std::vector<element_use> element_uses(const kernel_function& function, llvm::Function& code,
                                      llvm::ScalarEvolution& values);

}  // namespace pappus::compiler
