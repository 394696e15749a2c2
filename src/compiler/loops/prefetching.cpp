#include "compiler/loops/prefetching.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>

#include "compiler/loops/launch_loops.h"

namespace pappus::compiler {
namespace {

constexpr std::size_t streams_min = 24;
constexpr std::int64_t line_bytes = 64, ahead_bytes = 4 * line_bytes;
// Of lanes: lines that a turn reads at least, and what processors follow a stream to the end of.
constexpr std::int64_t lines_min = 4, page_bytes = 4096;

using loads = llvm::SmallVector<llvm::LoadInst*, 64>;

/// Bytes from what a turn reads to what the next one does; 0: not known, or no vector.
std::int64_t stride_of(const llvm::LoadInst& load, const llvm::Loop& loop,
                       llvm::ScalarEvolution& of) {
  if (!load.getType()->isVectorTy()) return 0;
  auto* pointer = const_cast<llvm::Value*>(load.getPointerOperand());
  const auto* place = llvm::dyn_cast<llvm::SCEVAddRecExpr>(of.getSCEV(pointer));
  if (place == nullptr || place->getLoop() != &loop || !place->isAffine()) return 0;
  const auto* step = llvm::dyn_cast<llvm::SCEVConstant>(place->getStepRecurrence(of));
  return step != nullptr ? step->getAPInt().getSExtValue() : 0;
}

/// What each turn reads that follows in memory on the last turn's.
loads streams_in(const llvm::Loop& loop, llvm::ScalarEvolution& evolution) {
  loads found;
  for (auto* block : loop.blocks())
    for (auto& instruction : *block)
      if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
        const auto stride = stride_of(*load, loop, evolution);
        if (stride > 0 && stride <= line_bytes) found.push_back(load);
      }
  return found;
}

/// Whether vectors go from turn to turn in registers, as lanes do (detail/loops/launch.h).
bool keeps_vectors(const llvm::Loop& loop) {
  for (const auto& phi : loop.getHeader()->phis())
    if (phi.getType()->isVectorTy()) return true;
  return false;
}

/// A load for each line that a turn of lanes reads of an array, other than those it stores to,
/// which are few and in the cache.
loads lines_of_lanes(const llvm::Loop& loop, llvm::ScalarEvolution& evolution) {
  if (loop.getNumBlocks() != 1 || !keeps_vectors(loop)) return {};
  llvm::SmallPtrSet<const llvm::Value*, 4> stored;
  for (const auto& instruction : *loop.getHeader())
    if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction))
      stored.insert(llvm::getUnderlyingObject(store->getPointerOperand(), 0));
  loads found;
  llvm::DenseMap<const llvm::Value*, const llvm::SCEV*> first;
  for (auto& instruction : *loop.getHeader()) {
    auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
    if (load == nullptr || stride_of(*load, loop, evolution) < lines_min * line_bytes) continue;
    const auto* array = llvm::getUnderlyingObject(load->getPointerOperand(), 0);
    if (stored.contains(array)) continue;
    const auto* place = evolution.getSCEV(load->getPointerOperand());
    const auto* offset = llvm::dyn_cast<llvm::SCEVConstant>(
        evolution.getMinusSCEV(place, first.try_emplace(array, place).first->second));
    if (offset != nullptr && offset->getAPInt().srem(line_bytes) == 0) found.push_back(load);
  }
  return found;
}

void fetch_ahead(const loads& of, std::int64_t bytes) {
  for (auto* load : of) {
    llvm::IRBuilder<> at(load);
    auto* place = at.CreateConstGEP1_64(at.getInt8Ty(), load->getPointerOperand(), bytes);
    at.CreateIntrinsic(llvm::Intrinsic::prefetch, {place->getType()},
                       {place, at.getInt32(0), at.getInt32(3), at.getInt32(1)});
  }
}

}  // namespace

void prefetch_streams(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  if (!is_launch_loop(function)) return;
  auto& evolution = analyses.getResult<llvm::ScalarEvolutionAnalysis>(function);
  for (auto* loop : analyses.getResult<llvm::LoopAnalysis>(function).getLoopsInPreorder()) {
    if (!loop->isInnermost()) continue;
    const auto streams = streams_in(*loop, evolution);
    if (streams.size() >= streams_min)
      fetch_ahead(streams, ahead_bytes);
    else
      fetch_ahead(lines_of_lanes(*loop, evolution), page_bytes);
  }
}

}  // namespace pappus::compiler
