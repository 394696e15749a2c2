#include "compiler/analysis/doomed.h"

#include <llvm/IR/CFG.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Support/Casting.h>

#include <vector>

namespace pappus::compiler {
namespace {

using block = const llvm::BasicBlock*;

bool calls_terminate(const llvm::BasicBlock& landing) {
  for (const auto& i : landing)
    if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&i))
      if (const auto* callee = call->getCalledFunction())
        if (callee->getName() == "__clang_call_terminate") return true;
  return false;
}

/// Where control goes from here, but for exceptions that leave the function.
std::vector<block> leads_to(block b) {
  const auto* end = b->getTerminator();
  if (const auto* invoke = llvm::dyn_cast<llvm::InvokeInst>(end)) {
    if (!catches(*invoke)) return {invoke->getNormalDest()};
  }
  return {llvm::succ_begin(b), llvm::succ_end(b)};
}

/// Without optimisation clang puts a trap before the end of a function that lacks a return; with
/// optimisation it doesn't. Such an end is never reached.
bool is_missing_return(const llvm::CallBase& call) {
  return call.getIntrinsicID() == llvm::Intrinsic::trap &&
         llvm::isa<llvm::UnreachableInst>(call.getNextNode());
}

/// A call that never returns and whose exceptions nobody here catches.
bool ends_here(const llvm::Instruction& i) {
  const auto* call = llvm::dyn_cast<llvm::CallBase>(&i);
  if (call == nullptr || is_missing_return(*call)) return false;
  if (const auto* invoke = llvm::dyn_cast<llvm::InvokeInst>(call))
    if (catches(*invoke)) return false;
  return call->getIntrinsicID() == llvm::Intrinsic::trap ||
         (call->doesNotReturn() && !llvm::isa<llvm::IntrinsicInst>(call));
}

bool ends_here(block b) {
  for (const auto& i : *b)
    if (ends_here(i)) return true;
  return false;
}

}  // namespace

bool catches(const llvm::InvokeInst& call) {
  const auto* landing = call.getLandingPadInst();
  return landing->getNumClauses() != 0 && !calls_terminate(*landing->getParent());
}

llvm::DenseMap<block, fate> fates_of(const llvm::Function& function) {
  llvm::DenseMap<block, std::vector<block>> predecessors;
  std::vector<block> entered{&function.getEntryBlock()};
  llvm::DenseMap<block, fate> fates{{entered.front(), fate::runs}};
  std::vector<block> returning, ending;
  for (std::size_t i = 0; i < entered.size(); ++i) {
    const auto b = entered[i];
    if (ends_here(b)) {
      ending.push_back(b);
      continue;
    }
    if (llvm::isa<llvm::ReturnInst>(b->getTerminator())) returning.push_back(b);
    for (const auto next : leads_to(b)) {
      predecessors[next].push_back(b);
      if (fates.try_emplace(next, fate::runs).second) entered.push_back(next);
    }
  }
  const auto reaching = [&](std::vector<block> list) {
    llvm::DenseMap<block, bool> set;
    for (const auto b : list) set[b] = true;
    for (std::size_t i = 0; i < list.size(); ++i)
      for (const auto before : predecessors.lookup(list[i]))
        if (set.try_emplace(before, true).second) list.push_back(before);
    return set;
  };
  const auto reach_end = reaching(returning), reach_trap = reaching(ending);
  for (const auto b : entered)
    if (!reach_end.contains(b) && reach_trap.contains(b)) fates[b] = fate::traps;
  return fates;
}

}  // namespace pappus::compiler
