#include "compiler/loops/guards.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>

#include <cstdint>
#include <optional>

namespace pappus::compiler {
namespace {

using namespace llvm::PatternMatch;

constexpr std::int64_t lower_border_max = 64;

struct moved_index {
  llvm::Value* offset;  // null: 0
  bool minus;
};

std::optional<moved_index> as_index(llvm::Value* value, const index_loop& of);

/// An operation on two values, of which one is as_index and the loop doesn't change the other.
struct sides {
  llvm::Value *index, *value;
  moved_index moved;
  bool swapped;  // the index is on the right
};
std::optional<sides> sides_of(llvm::Value* left, llvm::Value* right, const index_loop& of) {
  if (of.loop->isLoopInvariant(right))
    if (const auto moved = as_index(left, of)) return sides{left, right, *moved, false};
  if (of.loop->isLoopInvariant(left))
    if (const auto moved = as_index(right, of)) return sides{right, left, *moved, true};
  return std::nullopt;
}

/// The value as index, index + something or index - something; inside, where the limits of
/// std::clamp don't matter.
std::optional<moved_index> as_index(llvm::Value* value, const index_loop& of) {
  llvm::Value* offset = nullptr;
  if (auto* limit = llvm::dyn_cast<llvm::MinMaxIntrinsic>(value); limit && limit->isSigned())
    if (const auto of_limit = sides_of(limit->getLHS(), limit->getRHS(), of))
      return of_limit->moved;
  if (value == of.index) return moved_index{nullptr, false};
  if ((match(value, m_NSWAdd(m_Specific(of.index), m_Value(offset))) ||
       match(value, m_NSWAdd(m_Value(offset), m_Specific(of.index)))) &&
      of.loop->isLoopInvariant(offset))
    return moved_index{offset, false};
  if (match(value, m_NSWSub(m_Specific(of.index), m_Value(offset))) &&
      of.loop->isLoopInvariant(offset))
    return moved_index{offset, true};
  return std::nullopt;
}

bool is_lower_border(const llvm::Value* value) {
  const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(value);
  return constant != nullptr && constant->getValue().abs().ule(lower_border_max);
}

struct meaning {
  guard::side where;
  bool answer;  // inside
  bool more;
};

meaning meaning_of(llvm::CmpInst::Predicate predicate, bool lower_border) {
  using enum llvm::CmpInst::Predicate;
  using enum guard::side;
  const auto signed_side = lower_border ? from : below;
  switch (predicate) {
    case ICMP_SLT:
      return {signed_side, !lower_border, false};
    case ICMP_SLE:
      return {signed_side, !lower_border, true};
    case ICMP_SGE:
      return {signed_side, lower_border, false};
    case ICMP_SGT:
      return {signed_side, lower_border, true};
    case ICMP_ULT:
      return {range, true, false};
    case ICMP_ULE:
      return {range, true, true};
    case ICMP_UGE:
      return {range, false, false};
    case ICMP_UGT:
      return {range, false, true};
    case ICMP_EQ:
      return {unequal, false, false};
    default:
      return {unequal, true, false};
  }
}

std::optional<guard> comparison(llvm::ICmpInst& compare, const index_loop& of) {
  const auto found = sides_of(compare.getOperand(0), compare.getOperand(1), of);
  if (!found) return std::nullopt;
  const auto predicate = found->swapped ? compare.getSwappedPredicate() : compare.getPredicate();
  const auto is = meaning_of(predicate, is_lower_border(found->value));
  auto* inner = llvm::ConstantInt::getBool(compare.getContext(), is.answer);
  const auto& [offset, minus] = found->moved;
  return guard{&compare, inner, is.where, found->value, offset, minus, is.more};
}

std::optional<guard> limit(llvm::MinMaxIntrinsic& limit, const index_loop& of) {
  const auto found = sides_of(limit.getLHS(), limit.getRHS(), of);
  if (!found || !limit.isSigned()) return std::nullopt;
  const bool minimum = limit.getIntrinsicID() == llvm::Intrinsic::smin;
  const auto where = minimum ? guard::side::below : guard::side::from;
  const auto& [offset, minus] = found->moved;
  return guard{&limit, found->index, where, found->value, offset, minus, minimum};
}

/// What a condition is for rows inside; none: nobody knows.
std::optional<bool> answer_inside(llvm::Value* condition, const llvm::Loop& rows) {
  llvm::Value *a = nullptr, *b = nullptr;
  if (match(condition, m_Not(m_Value(a)))) {
    const auto answer = answer_inside(a, rows);
    return answer ? std::optional(!*answer) : std::nullopt;
  }
  const bool both = match(condition, m_LogicalAnd(m_Value(a), m_Value(b)));
  if (both || match(condition, m_LogicalOr(m_Value(a), m_Value(b)))) {
    const auto one = answer_inside(a, rows), other = answer_inside(b, rows);
    if (!one || !other) return std::nullopt;
    return both ? *one && *other : *one || *other;
  }
  auto* compare = llvm::dyn_cast<llvm::ICmpInst>(condition);
  if (compare == nullptr) return std::nullopt;
  const auto *left = compare->getOperand(0), *right = compare->getOperand(1);
  const bool swapped = rows.isLoopInvariant(left);
  if (swapped == rows.isLoopInvariant(right)) return std::nullopt;
  const auto predicate = swapped ? compare->getSwappedPredicate() : compare->getPredicate();
  return meaning_of(predicate, is_lower_border(swapped ? left : right)).answer;
}

}  // namespace

index_loop index_loop::of(llvm::Loop& loop) {
  const index_loop none{};
  auto* latch = loop.getLoopLatch();
  if (!loop.isInnermost() || !loop.isLoopSimplifyForm() || loop.getExitingBlock() != latch)
    return none;
  auto* branch = llvm::dyn_cast<llvm::BranchInst>(latch->getTerminator());
  if (branch == nullptr || !branch->isConditional()) return none;
  auto* compare = llvm::dyn_cast<llvm::ICmpInst>(branch->getCondition());
  if (compare == nullptr) return none;
  const bool goes_on = branch->getSuccessor(0) == loop.getHeader();
  const auto predicate = goes_on ? compare->getPredicate() : compare->getInversePredicate();
  if (predicate != llvm::CmpInst::ICMP_NE && predicate != llvm::CmpInst::ICMP_SLT) return none;
  for (auto& index : loop.getHeader()->phis()) {
    auto* next = index.getIncomingValueForBlock(latch);
    if (!index.getType()->isIntegerTy(64) || compare->getOperand(0) != next ||
        !match(next, m_NSWAdd(m_Specific(&index), m_One())) ||
        !loop.isLoopInvariant(compare->getOperand(1)))
      continue;
    return {&loop, &index, index.getIncomingValueForBlock(loop.getLoopPreheader()), next,
            compare->getOperand(1)};
  }
  return none;
}

std::pair<llvm::Value*, llvm::Value*> guard::inside(llvm::IRBuilder<>& at,
                                                    const index_loop& of) const {
  using enum llvm::Intrinsic::IndependentIntrinsics;
  // What would overflow is as far away as can be.
  const auto add = [&](llvm::Value* a, llvm::Value* b) {
    return at.CreateBinaryIntrinsic(sadd_sat, a, b);
  };
  // The loop need not reach the guard: what it compares with may be poison, which branches mustn't
  // depend on.
  auto* distance = offset == nullptr ? nullptr : at.CreateFreeze(offset);
  const auto moved_back = [&](llvm::Value* limit) {
    if (distance == nullptr) return limit;
    return minus ? add(limit, distance)
                 : static_cast<llvm::Value*>(at.CreateBinaryIntrinsic(ssub_sat, limit, distance));
  };
  auto *first = of.start, *last = of.end, *one = static_cast<llvm::Value*>(at.getInt64(1));
  auto* border = moved_back(at.CreateFreeze(value));
  if (more) border = add(border, one);
  switch (where) {
    case side::below:
      return {first, border};
    case side::from:
      return {border, last};
    case side::range:
      return {moved_back(at.getInt64(0)), border};
    case side::unequal:
      break;
  }
  auto* low = at.CreateICmpSLE(border, first);
  return {at.CreateSelect(low, add(border, one), first), at.CreateSelect(low, last, border)};
}

llvm::SmallVector<guard> guards_of(const index_loop& of) {
  llvm::SmallVector<guard> found;
  for (auto* block : of.loop->blocks())
    for (auto& instruction : *block) {
      std::optional<guard> one;
      if (auto* compare = llvm::dyn_cast<llvm::ICmpInst>(&instruction))
        one = comparison(*compare, of);
      else if (auto* minimum = llvm::dyn_cast<llvm::MinMaxIntrinsic>(&instruction))
        one = limit(*minimum, of);
      const auto* latch = of.loop->getLoopLatch()->getTerminator();
      if (one && latch->getOperand(0) != &instruction) found.push_back(*one);
    }
  return found;
}

llvm::SmallVector<row_guard> row_guards_of(const index_loop& of) {
  llvm::SmallVector<row_guard> found;
  const auto* rows = of.loop->getParentLoop();
  if (rows == nullptr) return found;
  for (auto* block : of.loop->blocks())
    for (auto& instruction : *block) {
      llvm::Value* condition = nullptr;
      if (auto* branch = llvm::dyn_cast<llvm::BranchInst>(&instruction))
        condition = branch->isConditional() ? branch->getCondition() : nullptr;
      else if (auto* select = llvm::dyn_cast<llvm::SelectInst>(&instruction))
        condition = select->getCondition();
      if (condition == nullptr || !condition->getType()->isIntegerTy(1) ||
          !of.loop->isLoopInvariant(condition) ||
          llvm::any_of(found, [&](const auto& g) { return g.condition == condition; }))
        continue;
      if (const auto answer = answer_inside(condition, *rows))
        found.push_back({condition, *answer});
    }
  return found;
}

}  // namespace pappus::compiler
