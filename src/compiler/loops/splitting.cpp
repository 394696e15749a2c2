#include "compiler/loops/splitting.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/Transforms/Scalar/InstSimplifyPass.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/LCSSA.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>
#include <llvm/Transforms/Utils/LoopUtils.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

#include <cstdint>
#include <utility>

#include "compiler/loops/guards.h"
#include "compiler/loops/launch_loops.h"

namespace pappus::compiler {
namespace {

constexpr unsigned copied_instructions_max = 1000;
constexpr std::int64_t line_elements = 16;  // of 4 bytes

bool can_be_copied(const llvm::Loop& loop) {
  unsigned instructions = 0;
  for (const auto* block : loop.blocks()) {
    instructions += block->size();
    for (const auto& instruction : *block) {
      const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      if (instruction.getType()->isTokenTy() ||
          (call != nullptr && (call->cannotDuplicate() || call->isConvergent())))
        return false;
    }
  }
  return instructions <= copied_instructions_max;
}

class split_loop {
 public:
  split_loop(const index_loop& of, llvm::ArrayRef<guard> guards,
             llvm::ArrayRef<row_guard> row_guards)
      : of_(of),
        guards_(guards),
        row_guards_(row_guards),
        before_(of.loop->getLoopPreheader()),
        header_(of.loop->getHeader()),
        latch_(of.loop->getLoopLatch()),
        after_(of.loop->getExitBlock()) {}

  void run() {
    find_inside();
    copy_loop();
    add_start();
    add_end();
    llvm::addStringMetadataToLoop(of_.loop, "llvm.loop.interleave.count", 1);
    for (const auto& one : guards_) {
      auto* inner = one.inner;
      if (llvm::Value* copy = copies_.lookup(inner)) inner = copy;
      copies_[one.instruction]->replaceAllUsesWith(inner);
    }
    for (const auto& [condition, inner] : row_guards_)
      condition->replaceUsesWithIf(
          llvm::ConstantInt::getBool(condition->getContext(), inner), [&](const llvm::Use& use) {
            const auto* by = llvm::dyn_cast<llvm::Instruction>(use.getUser());
            return by != nullptr && llvm::is_contained(blocks_, by->getParent());
          });
  }

 private:
  /// [low_, high_) within the loop's indices; none: both are the loop's end.
  void find_inside() {
    llvm::IRBuilder<> at(before_->getTerminator());
    using enum llvm::Intrinsic::IndependentIntrinsics;
    low_ = of_.start, high_ = of_.end;
    for (const auto& one : guards_) {
      const auto [low, high] = one.inside(at, of_);
      if (low != of_.start) low_ = at.CreateBinaryIntrinsic(smax, low_, low);
      if (high != of_.end) high_ = at.CreateBinaryIntrinsic(smin, high_, high);
    }
    align(at);
    auto* any = at.CreateICmpSLT(low_, high_);
    for (const auto& [condition, inner] : row_guards_) {
      auto* is = at.CreateFreeze(condition);
      any = at.CreateAnd(any, inner ? is : at.CreateNot(is));
    }
    low_ = at.CreateSelect(any, low_, of_.end);
    high_ = at.CreateSelect(any, high_, of_.end);
  }

  /// Rows mostly begin with a cache line, so vectors had better not begin at their second element:
  /// each of them would be stored into two lines. And what is left outside, before and behind, had
  /// better be a vector than single indices.
  void align(llvm::IRBuilder<>& at) {
    using enum llvm::Intrinsic::IndependentIntrinsics;
    const auto aligned = [&](llvm::Value* border) {
      return at.CreateAnd(border, at.getInt64(-line_elements));
    };
    if (low_ != of_.start) {
      auto* up = at.CreateBinaryIntrinsic(sadd_sat, low_, at.getInt64(line_elements - 1));
      low_ = at.CreateSelect(at.CreateICmpEQ(low_, of_.start), low_, aligned(up));
    }
    if (high_ != of_.end)
      high_ = at.CreateSelect(at.CreateICmpEQ(high_, of_.end), high_, aligned(high_));
  }

  void copy_loop() {
    for (auto* block : of_.loop->blocks()) {
      auto* copy = llvm::CloneBasicBlock(block, copies_, ".inside", header_->getParent());
      copies_[block] = copy;
      blocks_.push_back(copy);
    }
    llvm::remapInstructionsInBlocks(blocks_, copies_);
    // Loops are told apart by what is said of them.
    auto* ends = copied(latch_)->getTerminator();
    if (const auto* said = ends->getMetadata(llvm::LLVMContext::MD_loop)) {
      llvm::SmallVector<llvm::Metadata*> operands(said->op_begin(), said->op_end());
      auto* own = llvm::MDNode::getDistinct(ends->getContext(), operands);
      own->replaceOperandWith(0, own);
      ends->setMetadata(llvm::LLVMContext::MD_loop, own);
    }
  }

  /// Where a part begins: which loop is it, and up to where does it go?
  void add_start() {
    start_ = block("part");
    before_->getTerminator()->replaceSuccessorWith(header_, start_);
    llvm::IRBuilder<> at(start_);
    auto *outside = block("outside"), *inside = block("inside");
    llvm::PHINode* index = nullptr;
    for (auto& phi : header_->phis()) {
      auto* begin = at.CreatePHI(phi.getType(), 2);
      begin->addIncoming(phi.getIncomingValueForBlock(before_), before_);
      auto& copy = *llvm::cast<llvm::PHINode>(copies_[&phi]);
      enter(phi, *begin, outside);
      enter(copy, *begin, inside);
      begins_.push_back(begin);
      if (&phi == of_.index) index = begin;
    }
    auto* is_inside = at.CreateICmpEQ(index, low_);
    auto* is_before = at.CreateICmpSLT(index, low_);
    part_end_ = at.CreateSelect(is_inside, high_, at.CreateSelect(is_before, low_, of_.end));
    at.CreateCondBr(is_inside, inside, outside);
    llvm::IRBuilder<>(outside).CreateBr(header_);
    llvm::IRBuilder<>(inside).CreateBr(copied(header_));
  }

  void enter(llvm::PHINode& phi, llvm::Value& begin, llvm::BasicBlock* from) {
    const auto number = phi.getBasicBlockIndex(before_);
    phi.setIncomingValue(number, &begin);
    phi.setIncomingBlock(number, from);
  }

  /// Where a part ends.
  void add_end() {
    auto* end = block("part.end");
    leave_to(latch_, header_, of_.next, end);
    leave_to(copied(latch_), copied(header_), copies_[of_.next], end);
    llvm::IRBuilder<> at(end);
    const auto either = [&](llvm::Value* value) -> llvm::Value* {
      llvm::Value* copy = copies_.lookup(value);
      if (copy == nullptr) return value;  // isn't of the loop
      auto* phi = at.CreatePHI(value->getType(), 2);
      phi->addIncoming(value, latch_);
      phi->addIncoming(copy, copied(latch_));
      return phi;
    };
    llvm::Value* index = nullptr;
    for (auto [begin, phi] : llvm::zip(begins_, header_->phis())) {
      auto* value = either(phi.getIncomingValueForBlock(latch_));
      begin->addIncoming(value, end);
      if (&phi == of_.index) index = value;
    }
    for (auto& phi : after_->phis()) {
      const auto number = phi.getBasicBlockIndex(latch_);
      phi.setIncomingValue(number, either(phi.getIncomingValue(number)));
      phi.setIncomingBlock(number, end);
    }
    at.CreateCondBr(at.CreateICmpSLT(index, of_.end), start_, after_);
  }

  void leave_to(llvm::BasicBlock* latch, llvm::BasicBlock* header, llvm::Value* next,
                llvm::BasicBlock* to) {
    auto* old = latch->getTerminator();
    llvm::IRBuilder<> at(old);
    auto* branch = at.CreateCondBr(at.CreateICmpEQ(next, part_end_), to, header);
    branch->setMetadata(llvm::LLVMContext::MD_loop, old->getMetadata(llvm::LLVMContext::MD_loop));
    old->eraseFromParent();
  }

  llvm::BasicBlock* block(const char* name) {
    return llvm::BasicBlock::Create(header_->getContext(), name, header_->getParent(), header_);
  }
  llvm::BasicBlock* copied(llvm::BasicBlock* block) {
    return llvm::cast<llvm::BasicBlock>(copies_[block]);
  }

  index_loop of_;
  llvm::ArrayRef<guard> guards_;
  llvm::ArrayRef<row_guard> row_guards_;
  llvm::BasicBlock *before_, *header_, *latch_, *after_;
  llvm::Value *low_ = nullptr, *high_ = nullptr, *part_end_ = nullptr;
  llvm::ValueToValueMapTy copies_;
  llvm::SmallVector<llvm::BasicBlock*> blocks_;
  llvm::SmallVector<llvm::PHINode*> begins_;
  llvm::BasicBlock* start_ = nullptr;
};

}  // namespace

bool split_at_guards(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  if (!is_launch_loop(function)) return false;
  const auto run = [&](auto... pass) {
    llvm::FunctionPassManager passes;
    (passes.addPass(std::move(pass)), ...);
    analyses.invalidate(function, passes.run(function, analyses));
  };
  run(llvm::LoopSimplifyPass(), llvm::LCSSAPass());
  // Blocks and values are added, none is taken away: what is known of other loops stays so.
  bool changed = false;
  for (auto* loop : analyses.getResult<llvm::LoopAnalysis>(function).getLoopsInPreorder()) {
    const auto of = index_loop::of(*loop);
    if (of.loop == nullptr || !can_be_copied(*loop)) continue;
    const auto guards = guards_of(of);
    const auto row_guards = row_guards_of(of);
    if (guards.empty() && row_guards.empty()) continue;
    split_loop(of, guards, row_guards).run();
    changed = true;
  }
  if (!changed) return false;
  analyses.invalidate(function, llvm::PreservedAnalyses::none());
  run(llvm::InstSimplifyPass(), llvm::SimplifyCFGPass(), llvm::InstSimplifyPass());
  return true;
}

}  // namespace pappus::compiler
