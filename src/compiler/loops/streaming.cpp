#include "compiler/loops/streaming.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>

#include <cstdint>

#include "compiler/loops/launch_loops.h"

namespace pappus::compiler {
namespace {

constexpr std::uint64_t vector_bytes_min = 16;

/// What tell_past_caches() was called with; null: it isn't called.
llvm::Value* told_at_run_time(llvm::Function& function) {
  for (auto& block : function)
    for (auto& instruction : block) {
      const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
      if (call == nullptr || !call->isInlineAsm()) continue;
      const auto* assembler = llvm::cast<llvm::InlineAsm>(call->getCalledOperand());
      if (llvm::StringRef(assembler->getAsmString()).starts_with("# past caches"))
        return call->getArgOperand(0);
    }
  return nullptr;
}

/// An array of the launch: a parameter, no other reaches what it points to.
const llvm::Argument* array_of(const llvm::Value* pointer) {
  const auto* array = llvm::dyn_cast<llvm::Argument>(llvm::getUnderlyingObject(pointer, 0));
  return array != nullptr && array->hasNoAliasAttr() ? array : nullptr;
}

/// The vectors of an array that a turn stores, in the order of the code.
struct stored_vectors {
  llvm::SmallVector<llvm::StoreInst*, 8> stores;
  const llvm::SCEV* lowest = nullptr;  ///< where they begin in the first turn
  std::uint64_t vector_bytes = 0;
};

using stores_by_array = llvm::MapVector<const llvm::Argument*, stored_vectors>;

class vector_loop {
 public:
  vector_loop(llvm::Loop& loop, llvm::ScalarEvolution& evolution)
      : loop_(loop), evolution_(evolution), body_(*loop.getHeader()) {}

  /// Those that together write a stretch of memory of which the next turn's is the continuation;
  /// empty: the loop has none, or something in it isn't understood.
  stores_by_array find() {
    stores_by_array found;
    if (!collect(found)) return {};
    found.remove_if(
        [&](auto& one) { return read_.contains(one.first) || !follow_each_other(one.second); });
    return found;
  }

 private:
  bool collect(stores_by_array& found) {
    for (auto& instruction : body_) {
      if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
        const auto* array = array_of(store->getPointerOperand());
        if (array == nullptr) return false;
        found[array].stores.push_back(store);
      } else if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
        if (!note_read(load->getPointerOperand())) return false;
      } else if (instruction.mayReadOrWriteMemory() && !note_call(instruction)) {
        return false;
      }
    }
    return true;
  }

  /// What isn't an array of the launch is nothing that its stores change.
  bool note_read(const llvm::Value* pointer) {
    const auto* object = llvm::getUnderlyingObject(pointer, 0);
    if (!llvm::isa<llvm::Argument, llvm::GlobalVariable, llvm::AllocaInst>(object)) return false;
    read_.insert(object);
    return true;
  }

  /// Of masked and gathered vectors, and of prefetches.
  bool note_call(const llvm::Instruction& instruction) {
    const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    if (call == nullptr) return false;
    switch (call->getIntrinsicID()) {
      case llvm::Intrinsic::prefetch:
        return true;
      case llvm::Intrinsic::masked_load:
      case llvm::Intrinsic::masked_gather:
        return note_read(call->getArgOperand(0));
      default:
        return false;
    }
  }

  const llvm::SCEVAddRecExpr* place_of(llvm::StoreInst& store) {
    const auto* place =
        llvm::dyn_cast<llvm::SCEVAddRecExpr>(evolution_.getSCEV(store.getPointerOperand()));
    return place != nullptr && place->getLoop() == &loop_ && place->isAffine() ? place : nullptr;
  }

  bool follow_each_other(stored_vectors& of) {
    const auto& layout = body_.getModule()->getDataLayout();
    llvm::SmallVector<std::int64_t, 8> offsets;
    const llvm::SCEVAddRecExpr* first = nullptr;
    std::int64_t lowest = 0;  // that of the first
    for (auto* store : of.stores) {
      auto* type = store->getValueOperand()->getType();
      const auto* place = place_of(*store);
      if (!store->isSimple() || place == nullptr || !llvm::isa<llvm::FixedVectorType>(type))
        return false;
      const auto bytes = layout.getTypeStoreSize(type).getFixedValue();
      if (first == nullptr) first = place, of.vector_bytes = bytes;
      const auto* offset =
          llvm::dyn_cast<llvm::SCEVConstant>(evolution_.getMinusSCEV(place, first));
      if (offset == nullptr || bytes != of.vector_bytes) return false;
      offsets.push_back(offset->getAPInt().getSExtValue());
      if (offsets.back() <= lowest) lowest = offsets.back(), of.lowest = place->getStart();
    }
    llvm::sort(offsets);
    const auto bytes = static_cast<std::int64_t>(of.vector_bytes);
    for (std::size_t i = 1; i < offsets.size(); ++i)
      if (offsets[i] - offsets[i - 1] != bytes) return false;
    const auto* step = llvm::dyn_cast<llvm::SCEVConstant>(first->getStepRecurrence(evolution_));
    return of.vector_bytes >= vector_bytes_min && llvm::isPowerOf2_64(of.vector_bytes) &&
           step != nullptr &&
           step->getAPInt() == static_cast<std::uint64_t>(bytes) * offsets.size();
  }

  llvm::Loop& loop_;
  llvm::ScalarEvolution& evolution_;
  llvm::BasicBlock& body_;
  llvm::SmallPtrSet<const llvm::Value*, 8> read_;
};

/// Whether they go past the caches: if the function is told so, and vectors lie as such stores need
/// it. Null: where they begin can't be computed before the loop.
llvm::Value* condition(const stores_by_array& stores, llvm::Value* told, llvm::Loop& loop,
                       llvm::ScalarEvolution& evolution) {
  auto* before = loop.getLoopPreheader()->getTerminator();
  llvm::SCEVExpander expander(evolution, before->getModule()->getDataLayout(), "streamed");
  for (const auto& [array, of] : stores)
    if (!expander.isSafeToExpandAt(of.lowest, before)) return nullptr;
  llvm::IRBuilder<> at(before);
  auto* is = at.CreateIsNotNull(told);
  for (const auto& [array, of] : stores) {
    auto* place = expander.expandCodeFor(of.lowest, of.lowest->getType(), before);
    at.SetInsertPoint(before);
    auto* beyond = at.CreateAnd(at.CreatePtrToInt(place, at.getInt64Ty()), of.vector_bytes - 1);
    is = at.CreateAnd(is, at.CreateIsNull(beyond));
  }
  return is;
}

/// Moves the stores to the end of the turn, as they are and past the caches.
void store_either_way(const stores_by_array& stores, llvm::Value* past_caches, llvm::Loop& loop,
                      llvm::LoopInfo& loops) {
  llvm::Instruction *past = nullptr, *usual = nullptr;
  auto* end = loop.getLoopLatch()->getTerminator();
  llvm::SplitBlockAndInsertIfThenElse(past_caches, end->getIterator(), &past, &usual, nullptr,
                                      nullptr, &loops);
  const auto kind = llvm::LLVMContext::MD_nontemporal;
  auto* one = llvm::ConstantAsMetadata::get(llvm::IRBuilder<>(past).getInt32(1));
  for (const auto& [array, of] : stores)
    for (auto* store : of.stores) {
      auto* streamed = llvm::cast<llvm::StoreInst>(store->clone());
      streamed->setAlignment(llvm::Align(of.vector_bytes));
      streamed->setMetadata(kind, llvm::MDNode::get(store->getContext(), one));
      streamed->insertBefore(past);
      store->moveBefore(usual);
    }
}

}  // namespace

bool stream_stores(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  if (!is_launch_loop(function)) return false;
  auto* told = told_at_run_time(function);
  if (told == nullptr) return false;
  auto& loops = analyses.getResult<llvm::LoopAnalysis>(function);
  auto& evolution = analyses.getResult<llvm::ScalarEvolutionAnalysis>(function);
  bool changed = false;
  for (auto* loop : loops.getLoopsInPreorder()) {
    if (!loop->isInnermost() || loop->getNumBlocks() != 1 || loop->getLoopPreheader() == nullptr)
      continue;
    const auto stores = vector_loop(*loop, evolution).find();
    if (stores.empty()) continue;
    auto* past_caches = condition(stores, told, *loop, evolution);
    if (past_caches == nullptr) continue;
    store_either_way(stores, past_caches, *loop, loops);
    evolution.forgetLoop(loop);
    changed = true;
  }
  return changed;
}

}  // namespace pappus::compiler
