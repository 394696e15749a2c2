#include "compiler/loops/fast_floats.h"

#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Operator.h>

namespace pappus::compiler {
namespace {

/// Pappus's own code, which objects with strict floats may share.
bool is_shared(llvm::StringRef symbol) {
  for (const llvm::StringRef scope :
       {"_ZN6pappus6detail", "_ZNK6pappus6detail", "_ZN6pappus8reducers", "_ZNK6pappus8reducers"})
    if (symbol.starts_with(scope)) return true;
  return false;
}

llvm::FastMathFlags allowed() {
  llvm::FastMathFlags flags;
  flags.setAllowContract();
  flags.setAllowReassoc();
  flags.setAllowReciprocal();
  flags.setApproxFunc();
  flags.setNoSignedZeros();
  return flags;
}

}  // namespace

bool may_have_fast_floats(const slot& s) {
  return !llvm::StringRef(s.function).starts_with("pappus::reducers::");
}

void allow_fast_floats(const std::vector<slot>& slots) {
  llvm::SetVector<llvm::Function*> reached;
  for (const auto& s : slots)
    if (may_have_fast_floats(s)) reached.insert(s.thunk);
  for (std::size_t n = 0; n < reached.size(); ++n) {
    const bool ours = is_shared(reached[n]->getName());
    for (auto& instruction : llvm::instructions(*reached[n])) {
      if (!ours && llvm::isa<llvm::FPMathOperator>(instruction)) {
        auto flags = instruction.getFastMathFlags();
        flags |= allowed();
        instruction.setFastMathFlags(flags);
      }
      const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      auto* callee = call != nullptr ? call->getCalledFunction() : nullptr;
      if (callee != nullptr && !callee->isDeclaration()) reached.insert(callee);
    }
  }
}

}  // namespace pappus::compiler
