#include "compiler/emit/unwritten.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/Local.h>

#include <vector>

namespace pappus::compiler {

bool is_unwritten(const llvm::Instruction& instruction) {
  const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  if (!call) return false;
  switch (call->getIntrinsicID()) {
    case llvm::Intrinsic::assume:
    case llvm::Intrinsic::lifetime_start:
    case llvm::Intrinsic::lifetime_end:
    case llvm::Intrinsic::invariant_start:
    case llvm::Intrinsic::invariant_end:
    case llvm::Intrinsic::experimental_noalias_scope_decl:
    case llvm::Intrinsic::donothing:
    case llvm::Intrinsic::sideeffect:
    case llvm::Intrinsic::stacksave:
    case llvm::Intrinsic::stackrestore:
    case llvm::Intrinsic::var_annotation:
      return true;
    default:
      return llvm::isa<llvm::DbgInfoIntrinsic>(call);
  }
}

void remove_unwritten(llvm::Function& code) {
  for (auto& instruction : llvm::make_early_inc_range(llvm::instructions(code))) {
    if (!is_unwritten(instruction)) continue;
    instruction.replaceAllUsesWith(llvm::PoisonValue::get(instruction.getType()));
    instruction.eraseFromParent();
  }
  std::vector<llvm::WeakTrackingVH> all;
  for (auto& instruction : llvm::instructions(code)) all.emplace_back(&instruction);
  for (auto& one : llvm::reverse(all)) {
    if (auto* phi = llvm::dyn_cast_or_null<llvm::PHINode>(one)) {
      llvm::RecursivelyDeleteDeadPHINode(phi);
    } else if (auto* unused = llvm::dyn_cast_or_null<llvm::Instruction>(one)) {
      llvm::RecursivelyDeleteTriviallyDeadInstructions(unused);
    }
  }
}

}  // namespace pappus::compiler
