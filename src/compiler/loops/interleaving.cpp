#include "compiler/loops/interleaving.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

#include <algorithm>

#include "compiler/loops/launch_loops.h"

namespace pappus::compiler {
namespace {

// What processors look ahead, about, and what of it becomes too much text.
constexpr unsigned long_turn = 200, too_long_turn = 2000;
constexpr const char* count_of = "llvm.loop.interleave.count";

bool computes(const llvm::Instruction& instruction) {
  return !llvm::isa<llvm::PHINode, llvm::CastInst, llvm::GetElementPtrInst>(instruction) &&
         !instruction.isTerminator() && !instruction.isDebugOrPseudoInst();
}

struct turn {
  unsigned instructions = 0;
  unsigned longest_chain = 0;  ///< of instructions of which each waits for the one before
  unsigned live = 0;           ///< values at most that are there at a time
};

turn turn_of(const llvm::BasicBlock& body) {
  turn result;
  llvm::DenseMap<const llvm::Value*, unsigned> chains;
  for (const auto& instruction : body) {
    unsigned chain = 0;
    if (!llvm::isa<llvm::PHINode>(instruction))
      for (const auto& operand : instruction.operands())
        chain = std::max(chain, chains.lookup(operand.get()));
    if (computes(instruction)) ++result.instructions, ++chain;
    chains[&instruction] = chain;
    result.longest_chain = std::max(result.longest_chain, chain);
  }
  llvm::SmallPtrSet<const llvm::Value*, 32> live;
  for (const auto& instruction : llvm::reverse(body)) {
    live.erase(&instruction);
    if (!llvm::isa<llvm::PHINode>(instruction) && !instruction.isTerminator())
      for (const auto& operand : instruction.operands())
        if (llvm::isa<llvm::Instruction>(operand.get())) live.insert(operand.get());
    result.live = std::max(result.live, static_cast<unsigned>(live.size()));
  }
  return result;
}

}  // namespace

void ask_to_interleave(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  if (!is_launch_loop(function)) return;
  const auto& target = analyses.getResult<llvm::TargetIRAnalysis>(function);
  const auto registers = target.getNumberOfRegisters(target.getRegisterClassForType(true));
  // Of processors with fewer registers vectors have half as many lanes.
  const unsigned vectors = registers < 32 ? 4 : 2;
  for (auto* loop : analyses.getResult<llvm::LoopAnalysis>(function).getLoopsInPreorder()) {
    if (!loop->isInnermost() || loop->getNumBlocks() != 1 ||
        llvm::findStringMetadataForLoop(loop, count_of))
      continue;
    const auto one = turn_of(*loop->getHeader());
    if (one.instructions >= long_turn && one.instructions <= too_long_turn &&
        one.instructions < 2 * one.longest_chain && 2 * one.live <= registers + registers / 4)
      llvm::addStringMetadataToLoop(loop, count_of, vectors);
  }
}

}  // namespace pappus::compiler
