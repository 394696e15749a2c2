#include "compiler/analysis/block_facts.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PatternMatch.h>

#include <optional>

namespace pappus::compiler {
namespace {

namespace pattern = llvm::PatternMatch;
using llvm::Value;

/// The value that a fact says is zero; null: it says something else.
const Value* known_zero(const std::pair<Value*, bool>& fact) {
  llvm::CmpInst::Predicate predicate{};
  Value* value = nullptr;
  if (!pattern::match(fact.first,
                      pattern::m_ICmp(predicate, pattern::m_Value(value), pattern::m_Zero())))
    return nullptr;
  const auto expected = fact.second ? llvm::CmpInst::ICMP_EQ : llvm::CmpInst::ICMP_NE;
  return predicate == expected ? value : nullptr;
}

bool follows(const std::pair<Value*, bool>& fact, const facts& from) {
  if (llvm::is_contained(from, fact)) return true;
  const auto* zero = known_zero(fact);
  const auto* call = zero != nullptr ? compared_bytes(zero) : nullptr;
  return call != nullptr && llvm::any_of(from, [&](const auto& other) {
           return known_zero(other) == call->getArgOperand(2);
         });
}

/// A way ends where it comes to a block that it has passed, in a loop. What it found holds in some
/// round; what facts come to in the end is about a record, captures and constants, which are the
/// same in all of them.
class ways {
 public:
  facts led_to(const llvm::BasicBlock* to, const llvm::BasicBlock* from) {
    facts found;
    while (passed_.insert(from).second) {
      add_branch(*from, *to, found);
      to = from;
      from = from->getSinglePredecessor();
      if (from == nullptr) {
        llvm::append_range(found, met(*to));
        break;
      }
    }
    return found;
  }

 private:
  static void add_branch(const llvm::BasicBlock& from, const llvm::BasicBlock& to, facts& found) {
    const auto* branch = llvm::dyn_cast<llvm::BranchInst>(from.getTerminator());
    if (branch != nullptr && branch->isConditional() &&
        branch->getSuccessor(0) != branch->getSuccessor(1))
      found.push_back({branch->getCondition(), branch->getSuccessor(0) == &to});
  }

  /// What all ways to the block have in common.
  facts met(const llvm::BasicBlock& block) {
    constexpr unsigned most = 8;  // each of which may have met before
    std::optional<facts> common;
    if (++meetings_ > most) return {};
    const auto before = passed_;
    for (const auto* from : llvm::predecessors(&block)) {
      passed_ = before;
      auto found = led_to(&block, from);
      common = common ? in_both(*common, found) : std::move(found);
    }
    passed_ = before;
    return common.value_or(facts());
  }

  llvm::SmallPtrSet<const llvm::BasicBlock*, 16> passed_;
  unsigned meetings_ = 0;
};

}  // namespace

facts led_to(const llvm::BasicBlock* to, const llvm::BasicBlock* from) {
  return ways().led_to(to, from);
}

facts in_both(const facts& some, const facts& others) {
  facts both;
  for (const auto& one : some)
    if (follows(one, others)) both.push_back(one);
  for (const auto& one : others)
    if (!llvm::is_contained(both, one) && follows(one, some)) both.push_back(one);
  return both;
}

const llvm::CallBase* compared_bytes(const Value* value) {
  const auto* call = llvm::dyn_cast<llvm::CallBase>(value);
  const auto* callee = call != nullptr ? call->getCalledFunction() : nullptr;
  const bool is_it = callee != nullptr && callee->isDeclaration() && call->arg_size() == 3 &&
                     (callee->getName() == "memcmp" || callee->getName() == "bcmp");
  return is_it ? call : nullptr;
}

}  // namespace pappus::compiler
