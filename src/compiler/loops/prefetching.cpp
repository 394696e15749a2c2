#include "compiler/loops/prefetching.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>

#include "compiler/loops/launch_loops.h"

namespace pappus::compiler {
namespace {

constexpr std::size_t streams_min = 24;
constexpr std::int64_t line_bytes = 64, ahead_bytes = 4 * line_bytes;

/// Whether each turn reads what follows in memory on the last turn's.
bool is_stream(const llvm::LoadInst& load, const llvm::Loop& loop, llvm::ScalarEvolution& of) {
  if (!load.getType()->isVectorTy()) return false;
  auto* pointer = const_cast<llvm::Value*>(load.getPointerOperand());
  const auto* place = llvm::dyn_cast<llvm::SCEVAddRecExpr>(of.getSCEV(pointer));
  if (place == nullptr || place->getLoop() != &loop || !place->isAffine()) return false;
  const auto* step = llvm::dyn_cast<llvm::SCEVConstant>(place->getStepRecurrence(of));
  return step != nullptr && step->getAPInt().isStrictlyPositive() &&
         step->getAPInt().sle(line_bytes);
}

}  // namespace

void prefetch_streams(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  if (!is_launch_loop(function)) return;
  auto& evolution = analyses.getResult<llvm::ScalarEvolutionAnalysis>(function);
  for (auto* loop : analyses.getResult<llvm::LoopAnalysis>(function).getLoopsInPreorder()) {
    if (!loop->isInnermost()) continue;
    llvm::SmallVector<llvm::LoadInst*, 64> streams;
    for (auto* block : loop->blocks())
      for (auto& instruction : *block)
        if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction))
          if (is_stream(*load, *loop, evolution)) streams.push_back(load);
    if (streams.size() < streams_min) continue;
    for (auto* load : streams) {
      llvm::IRBuilder<> at(load);
      auto* place = at.CreateConstGEP1_64(at.getInt8Ty(), load->getPointerOperand(), ahead_bytes);
      at.CreateIntrinsic(llvm::Intrinsic::prefetch, {place->getType()},
                         {place, at.getInt32(0), at.getInt32(3), at.getInt32(1)});
    }
  }
}

}  // namespace pappus::compiler
