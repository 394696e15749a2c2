#include "compiler/emit/alignment.h"

#include <llvm/IR/DataLayout.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>

#include <algorithm>
#include <bit>

namespace pappus::compiler {
namespace {

// Accesses are of 8 bytes at most, and local arrays consist of such words.
const llvm::Align most(8);

class alignments {
 public:
  explicit alignments(const kernel_function& kernel)
      : kernel_(kernel), layout_(kernel.code->getParent()->getDataLayout()) {}

  llvm::Align of(const llvm::Value* pointer, llvm::Align stated) const {
    auto steps = most;
    bool computed = false;
    while (const auto* gep = llvm::dyn_cast<llvm::GEPOperator>(pointer)) {
      llvm::MapVector<llvm::Value*, llvm::APInt> terms;
      llvm::APInt offset(64, 0);
      if (gep->getType()->isVectorTy() || !gep->collectOffset(layout_, 64, terms, offset)) {
        return stated;
      }
      steps = llvm::commonAlignment(steps, offset.getZExtValue());
      computed |= !terms.empty();
      for (const auto& term : terms) {
        steps = llvm::commonAlignment(steps, term.second.getZExtValue());
      }
      pointer = gep->getPointerOperand();
    }
    if (llvm::isa<llvm::AllocaInst>(pointer)) return std::max(stated, steps);
    const auto* argument = llvm::dyn_cast<llvm::Argument>(pointer);
    if (!argument) return stated;
    const auto align = std::max(kernel_.parameters[argument->getArgNo()].align, 1);
    const llvm::Align root(std::bit_floor(static_cast<unsigned>(align)));
    const auto derived = std::min(root, steps);
    // An offset that is computed may be a multiple of more than its scale.
    return std::max(derived, computed ? std::min(stated, root) : derived);
  }

 private:
  const kernel_function& kernel_;
  const llvm::DataLayout& layout_;
};

}  // namespace

void derive_alignments(const kernel_function& kernel) {
  const alignments known(kernel);
  for (auto& instruction : llvm::instructions(*kernel.code)) {
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
      load->setAlignment(known.of(load->getPointerOperand(), load->getAlign()));
    } else if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
      store->setAlignment(known.of(store->getPointerOperand(), store->getAlign()));
    } else if (auto* set = llvm::dyn_cast<llvm::MemIntrinsic>(&instruction)) {
      set->setDestAlignment(known.of(set->getRawDest(), set->getDestAlign().valueOrOne()));
      if (auto* copy = llvm::dyn_cast<llvm::MemTransferInst>(set)) {
        copy->setSourceAlignment(
            known.of(copy->getRawSource(), copy->getSourceAlign().valueOrOne()));
      }
    }
  }
}

}  // namespace pappus::compiler
