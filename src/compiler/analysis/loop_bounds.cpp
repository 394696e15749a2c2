#include "compiler/analysis/loop_bounds.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PatternMatch.h>

namespace pappus::compiler {
namespace {

using predicate = llvm::CmpInst::Predicate;

/// Rounds of `for (x = start; x < end; x += step)` and its like: the test comes first. The textbook
/// formula has a maximum with 0 in it; a last round below 0 says the same.
const llvm::SCEV* last_round(predicate goes_on, const llvm::SCEVAddRecExpr* counter,
                             const llvm::SCEV* end, llvm::ScalarEvolution& values) {
  const auto* step = llvm::dyn_cast<llvm::SCEVConstant>(counter->getStepRecurrence(values));
  if (step == nullptr || step->isZero()) return nullptr;
  const bool up = !step->getAPInt().isNegative();
  const bool single = step->getAPInt().abs().isOne();
  const auto* start = counter->getStart();
  const auto* way = up ? values.getMinusSCEV(end, start) : values.getMinusSCEV(start, end);
  const auto is = [&](predicate a, predicate b) { return goes_on == a || goes_on == b; };
  const bool before = up ? is(predicate::ICMP_SLT, predicate::ICMP_ULT)
                         : is(predicate::ICMP_SGT, predicate::ICMP_UGT);
  const bool until = up ? is(predicate::ICMP_SLE, predicate::ICMP_ULE)
                        : is(predicate::ICMP_SGE, predicate::ICMP_UGE);
  if (before || (goes_on == predicate::ICMP_NE && single))
    way = values.getAddExpr(way, values.getMinusOne(way->getType()));
  else if (!until)
    return nullptr;
  return single ? way : values.getUDivExpr(way, values.getConstant(step->getAPInt().abs()));
}

std::optional<loop_bound> bound_by(const llvm::ICmpInst& test, bool goes_on_if,
                                   const llvm::Loop& loop, llvm::ScalarEvolution& values) {
  auto goes_on = goes_on_if ? test.getPredicate() : test.getInversePredicate();
  auto* wide = llvm::Type::getInt64Ty(test.getContext());
  if (!test.getOperand(0)->getType()->isIntegerTy()) return std::nullopt;
  const auto in_64_bits = [&](llvm::Value* value) {
    const auto* formula = values.getSCEV(value);
    return llvm::CmpInst::isUnsigned(goes_on) ? values.getNoopOrZeroExtend(formula, wide)
                                              : values.getNoopOrSignExtend(formula, wide);
  };
  if (test.getOperand(0)->getType()->getIntegerBitWidth() > wide->getIntegerBitWidth())
    return std::nullopt;
  const auto *left = in_64_bits(test.getOperand(0)), *right = in_64_bits(test.getOperand(1));
  const auto is_counter = [&](const llvm::SCEV* formula) {
    const auto* counter = llvm::dyn_cast<llvm::SCEVAddRecExpr>(formula);
    return counter != nullptr && counter->getLoop() == &loop && counter->isAffine();
  };
  if (!is_counter(left)) {
    std::swap(left, right);
    goes_on = llvm::CmpInst::getSwappedPredicate(goes_on);
  }
  if (!is_counter(left) || !values.isLoopInvariant(right, &loop)) return std::nullopt;
  const auto* counter = llvm::cast<llvm::SCEVAddRecExpr>(left);
  const auto* last = last_round(goes_on, counter, right, values);
  if (last == nullptr) return std::nullopt;
  // An unsigned counter that begins below 0 is above the end already, the formula says otherwise;
  // and division rounds to 0 where nothing runs.
  const bool counts =
      !llvm::CmpInst::isUnsigned(goes_on) || values.isKnownNonNegative(counter->getStart());
  return loop_bound{last, counts && !llvm::isa<llvm::SCEVUDivExpr>(last)};
}

/// Of tests joined by && each ends the loop.
std::vector<llvm::ICmpInst*> joined_tests(llvm::Value* condition, bool goes_on_if) {
  std::vector<llvm::ICmpInst*> result;
  std::vector<llvm::Value*> pending{condition};
  while (!pending.empty()) {
    auto* one = pending.back();
    pending.pop_back();
    llvm::Value *a = nullptr, *b = nullptr;
    using namespace llvm::PatternMatch;
    if (goes_on_if ? match(one, m_LogicalAnd(m_Value(a), m_Value(b)))
                   : match(one, m_LogicalOr(m_Value(a), m_Value(b))))
      pending.insert(pending.end(), {b, a});
    else if (auto* test = llvm::dyn_cast<llvm::ICmpInst>(one))
      result.push_back(test);
  }
  return result;
}

bool is_trap(const llvm::BasicBlock* block) {
  return llvm::isa<llvm::UnreachableInst>(block->getTerminator());
}

/// Whether `block` alone ends the loop.
bool is_only_end(const llvm::Loop& loop, const llvm::BasicBlock& block) {
  llvm::SmallVector<std::pair<llvm::BasicBlock*, llvm::BasicBlock*>> edges;
  loop.getExitEdges(edges);
  return llvm::all_of(
      edges, [&](const auto& edge) { return edge.first == &block || is_trap(edge.second); });
}

}  // namespace

std::optional<loop_bound> bound_of(const llvm::Loop& loop, const llvm::BasicBlock& code,
                                   llvm::ScalarEvolution& values) {
  const auto* header = loop.getHeader();
  const auto* branch = llvm::dyn_cast<llvm::BranchInst>(header->getTerminator());
  const bool tests_first =
      branch != nullptr && branch->isConditional() && &code != header &&
      loop.contains(branch->getSuccessor(0)) != loop.contains(branch->getSuccessor(1));
  if (tests_first) {
    const bool goes_on_if = loop.contains(branch->getSuccessor(0));
    const auto tests = joined_tests(branch->getCondition(), goes_on_if);
    for (const auto* test : tests) {
      auto bound = bound_by(*test, goes_on_if, loop, values);
      if (!bound) continue;
      bound->exact = bound->exact && test == branch->getCondition() && is_only_end(loop, *header);
      return bound;
    }
  }
  // The body runs once more than the way back is taken.
  const auto* latch = loop.getLoopLatch();
  const auto* last = latch != nullptr ? values.getExitCount(&loop, latch) : nullptr;
  if (last == nullptr || llvm::isa<llvm::SCEVCouldNotCompute>(last)) return std::nullopt;
  auto* wide = llvm::Type::getInt64Ty(header->getContext());
  return loop_bound{values.getNoopOrZeroExtend(last, wide), is_only_end(loop, *latch)};
}

bool always_runs(const llvm::Loop* loop, const llvm::Function& function,
                 llvm::ArrayRef<const llvm::BasicBlock*> blocks) {
  const auto* first = loop != nullptr ? loop->getHeader() : &function.getEntryBlock();
  llvm::SmallVector<const llvm::BasicBlock*> pending{first};
  llvm::SmallPtrSet<const llvm::BasicBlock*, 16> seen;
  while (!pending.empty()) {
    const auto* block = pending.pop_back_val();
    if (llvm::is_contained(blocks, block) || !seen.insert(block).second) continue;
    if (llvm::isa<llvm::ReturnInst>(block->getTerminator())) return false;
    for (const auto* next : llvm::successors(block)) {
      // Another round begins. That the loop ends in its header only is bound_of's business.
      if (loop != nullptr && next == first) return false;
      if (loop == nullptr || loop->contains(next)) pending.push_back(next);
    }
  }
  return true;
}

}  // namespace pappus::compiler
