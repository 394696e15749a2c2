#include "compiler/emit/folding.h"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>

#include "compiler/emit/leaves.h"
#include "compiler/emit/maths.h"
#include "compiler/emit/repeats.h"

namespace pappus::compiler {
namespace {

// Longer expressions than this are hard to read.
constexpr unsigned weight_max = 12;

bool reads_memory(const llvm::Instruction& value, const spaces& where) {
  const auto* load = llvm::dyn_cast<llvm::LoadInst>(&value);
  return load && !where.is_unchanging(load->getPointerOperand());
}

bool writes_memory(const llvm::Instruction& value) {
  if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&value)) {
    return !is_pure_call(*call);
  }
  return value.mayWriteToMemory();
}

bool may_fold(const llvm::Instruction& value) {
  if (llvm::isa<llvm::PHINode, llvm::AllocaInst>(value) || value.isTerminator()) return false;
  if (leaf_count(value.getType()) != 1) return false;
  if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&value)) return is_pure_call(*call);
  return !value.mayWriteToMemory() && !needs_statements(value);
}

}  // namespace

bool is_transparent(const llvm::Instruction& value) {
  if (const auto* gep = llvm::dyn_cast<llvm::GetElementPtrInst>(&value)) {
    return gep->hasAllConstantIndices();
  }
  if (const auto* extract = llvm::dyn_cast<llvm::ExtractElementInst>(&value)) {
    return llvm::isa<llvm::ConstantInt>(extract->getIndexOperand());
  }
  if (const auto* insert = llvm::dyn_cast<llvm::InsertElementInst>(&value)) {
    return llvm::isa<llvm::ConstantInt>(insert->getOperand(2));
  }
  return llvm::isa<llvm::ExtractValueInst, llvm::InsertValueInst, llvm::ShuffleVectorInst,
                   llvm::PtrToIntInst>(value);
}

bool is_pure_call(const llvm::CallBase& call) {
  if (call.getType()->isVoidTy()) return false;
  for (const auto& argument : call.args()) {
    if (argument->getType()->isPointerTy()) return false;
  }
  return llvm::isa<llvm::IntrinsicInst>(call) ? call.doesNotAccessMemory()
                                              : find_maths(call) != nullptr;
}

folding::folding(const llvm::Function& code, const llvm::LoopInfo& loops, const spaces& where)
    : loops_(loops), where_(where) {
  for (const auto& block : code) number(block);
  // Users come before what they use, so that a value knows where its user's text stands.
  for (const auto* block : llvm::post_order(&code)) {
    for (const auto& value : llvm::reverse(*block)) decide(value);
  }
}

void folding::number(const llvm::BasicBlock& block) {
  unsigned writes = 0;
  for (const auto& value : block) {
    evaluated_[&value] = {&block, writes};
    if (writes_memory(value)) ++writes;
  }
  writes_in_[&block] = writes;
}

void folding::collect_uses(const llvm::Value& value, llvm::SmallVectorImpl<use>& uses) const {
  for (const auto& one : value.uses()) {
    const auto* user = llvm::dyn_cast<llvm::Instruction>(one.getUser());
    if (!user) continue;
    if (const auto* phi = llvm::dyn_cast<llvm::PHINode>(user)) {
      uses.push_back({user, phi->getIncomingBlock(one), true});
    } else if (is_transparent(*user)) {
      collect_uses(*user, uses);
    } else {
      uses.push_back({user, evaluated_.lookup(user).block, !repeats(one)});
    }
  }
}

bool folding::loop_allows(const llvm::BasicBlock* from, const llvm::BasicBlock* to) const {
  const auto* loop = loops_.getLoopFor(to);
  return !loop || loop->contains(from);
}

void folding::decide(const llvm::Instruction& value) {
  if (!may_fold(value) || is_transparent(value)) return;
  llvm::SmallVector<use, 4> uses;
  collect_uses(value, uses);
  if (uses.size() != 1 || !uses.front().once) return;
  const auto& [user, block, once] = uses.front();
  place at{block, writes_in_.lookup(block)};
  if (!llvm::isa<llvm::PHINode>(user)) at = evaluated_.lookup(user);
  if (reads_memory(value, where_)) {
    const auto& own = evaluated_.lookup(&value);
    if (at.block != own.block || at.writes != own.writes) return;
  } else if (!loop_allows(value.getParent(), at.block)) {
    return;
  }
  const auto found = root_.find(user);
  const auto* root = found == root_.end() ? user : found->second;
  if (weight_[root] >= weight_max) return;
  ++weight_[root];
  root_[&value] = root;
  folded_.insert(&value);
  evaluated_[&value] = at;
}

llvm::SmallVector<const llvm::BasicBlock*, 4> folding::read_in(const llvm::Value& value) const {
  llvm::SmallVector<use, 4> uses;
  collect_uses(value, uses);
  llvm::SmallVector<const llvm::BasicBlock*, 4> blocks;
  for (const auto& one : uses) {
    if (!llvm::isa<llvm::PHINode>(one.user) && folded_.contains(one.user)) {
      blocks.append(read_in(*one.user));
    } else {
      blocks.push_back(one.block);
    }
  }
  return blocks;
}

}  // namespace pappus::compiler
