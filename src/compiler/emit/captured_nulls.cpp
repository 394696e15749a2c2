#include "compiler/emit/captured_nulls.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include "compiler/emit/spaces.h"

namespace pappus::compiler {
namespace {

/// The captured pointer that is compared with null; null: it is something else.
llvm::LoadInst* asked_for_null(const llvm::ICmpInst& compare, const llvm::Function& code) {
  if (!compare.isEquality()) return nullptr;
  for (const unsigned i : {0u, 1u})
    if (llvm::isa<llvm::ConstantPointerNull>(compare.getOperand(1 - i)) &&
        captured_offset(compare.getOperand(i), code))
      return llvm::cast<llvm::LoadInst>(compare.getOperand(i));
  return nullptr;
}

}  // namespace

void ask_numbers_for_null(const kernel_function& kernel) {
  if (kernel.parameters.empty() || kernel.parameters.front().what != role::captures) return;
  for (auto& i : llvm::make_early_inc_range(llvm::instructions(*kernel.code))) {
    auto* compare = llvm::dyn_cast<llvm::ICmpInst>(&i);
    auto* pointer = compare != nullptr ? asked_for_null(*compare, *kernel.code) : nullptr;
    if (pointer == nullptr) continue;
    llvm::IRBuilder<> builder(pointer);
    auto* number = builder.CreateAlignedLoad(builder.getInt64Ty(), pointer->getPointerOperand(),
                                             pointer->getAlign());
    builder.SetInsertPoint(compare);
    compare->replaceAllUsesWith(
        builder.CreateICmp(compare->getPredicate(), number, builder.getInt64(0)));
    compare->eraseFromParent();
  }
}

}  // namespace pappus::compiler
