#include "compiler/analysis/cleanups.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>

namespace pappus::compiler {
namespace {

/// The variable that a block loads and switches on, if it does nothing else.
const llvm::Value* chooser(const llvm::BasicBlock& block) {
  const auto* end = llvm::dyn_cast<llvm::SwitchInst>(block.getTerminator());
  const auto* load = llvm::dyn_cast<llvm::LoadInst>(&block.front());
  if (end == nullptr || load == nullptr || block.size() != 2) return nullptr;
  return end->getCondition() == load && load->hasOneUse() ? load->getPointerOperand() : nullptr;
}

/// What the variable was last set to in this block, if that is near its end.
const llvm::ConstantInt* stored(const llvm::BasicBlock& block, const llvm::Value* variable) {
  for (const auto* i = block.getTerminator()->getPrevNode(); i != nullptr; i = i->getPrevNode()) {
    const auto* store = llvm::dyn_cast<llvm::StoreInst>(i);
    if (store != nullptr && store->getPointerOperand() == variable)
      return llvm::dyn_cast<llvm::ConstantInt>(store->getValueOperand());
    if (i->mayWriteToMemory()) return nullptr;
  }
  return nullptr;
}

/// One step of the way from `block`; false: it is none.
bool skip(llvm::BasicBlock& block) {
  auto* way = llvm::dyn_cast<llvm::BranchInst>(block.getTerminator());
  if (way == nullptr || way->isConditional()) return false;
  auto* passed = way->getSuccessor(0);
  const auto* variable = chooser(*passed);
  const auto* value = variable != nullptr ? stored(block, variable) : nullptr;
  if (value == nullptr) return false;
  auto* end = llvm::cast<llvm::SwitchInst>(passed->getTerminator());
  auto* next = end->findCaseValue(value)->getCaseSuccessor();
  for (auto& phi : next->phis()) phi.addIncoming(phi.getIncomingValueForBlock(passed), &block);
  way->setSuccessor(0, next);
  return true;
}

}  // namespace

void skip_empty_cleanups(llvm::Function& function) {
  for (auto& block : function) {
    // Each step leads out of one scope more; a ring of empty blocks would have no end.
    for (std::size_t steps = 0; steps < function.size() && skip(block); ++steps) {
    }
  }
}

}  // namespace pappus::compiler
