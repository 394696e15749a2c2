#include "compiler/analysis/ranges.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>

#include "compiler/analysis/loop_bounds.h"

namespace pappus::compiler {
namespace {

const llvm::SCEV* extreme_of_counter(const llvm::SCEVAddRecExpr* counter, bool highest,
                                     const llvm::BasicBlock& code, llvm::ScalarEvolution& values) {
  const auto* loop = counter->getLoop();
  if (!counter->isAffine() || !loop->contains(&code)) return nullptr;
  const auto bound = bound_of(*loop, code, values);
  if (!bound) return nullptr;
  const auto *first = counter->getStart(), *step = counter->getStepRecurrence(values);
  const auto* last = values.getAddExpr(first, values.getMulExpr(step, bound->last));
  const llvm::SCEV* chosen = nullptr;
  // In `k < n` the last round is n-1; where there is one, n isn't negative either.
  const auto* beyond = llvm::dyn_cast<llvm::SCEVConstant>(values.getMinusSCEV(step, bound->last));
  const bool as_last = beyond != nullptr && !beyond->getAPInt().isNegative();
  if (as_last || values.isKnownNonNegative(step))
    chosen = highest ? last : first;
  else if (values.isKnownNonPositive(step))
    chosen = highest ? first : last;
  else
    chosen = highest ? values.getSMaxExpr(first, last) : values.getSMinExpr(first, last);
  return extreme(chosen, highest, code, values);
}

slice slice_of(llvm::Value* index, const llvm::BasicBlock& code, llvm::ScalarEvolution& values,
               const formulas& all) {
  const auto* formula = values.getSCEV(index);
  const auto *low = extreme(formula, false, code, values),
             *high = extreme(formula, true, code, values);
  if (low == nullptr || high == nullptr || !all.of(low) || !all.of(high)) return {};
  const auto& function = *code.getParent();
  return {low, high, is_linear(low, function, values) && is_linear(high, function, values)};
}

/// Of an index that is chosen between several, one for each; a choice that isn't known makes all of
/// it unknown.
std::vector<slice> slices_of(llvm::Value* index, const llvm::BasicBlock& code,
                             llvm::ScalarEvolution& values, const formulas& all) {
  constexpr std::size_t most = 4;
  std::vector<slice> results;
  llvm::SmallVector<llvm::Value*> pending{index};
  while (!pending.empty()) {
    auto* one = pending.pop_back_val();
    const auto found = slice_of(one, code, values, all);
    auto* select = llvm::dyn_cast<llvm::SelectInst>(one);
    auto* phi = llvm::dyn_cast<llvm::PHINode>(one);
    if (found.low != nullptr)
      results.push_back(found);
    else if (select != nullptr && results.size() + pending.size() + 2 <= most)
      pending.append({select->getFalseValue(), select->getTrueValue()});
    else if (phi != nullptr &&
             results.size() + pending.size() + phi->getNumIncomingValues() <= most)
      pending.append(phi->op_begin(), phi->op_end());
    else
      return {slice{}};
  }
  return results;
}

}  // namespace

const llvm::SCEV* coefficient(const llvm::SCEV* formula, const llvm::Argument& index,
                              llvm::ScalarEvolution& values) {
  bool same = true;
  const auto is_index = [](const llvm::SCEV* part) {
    const auto* unknown = llvm::dyn_cast<llvm::SCEVUnknown>(part);
    return unknown != nullptr && llvm::isa<llvm::Argument>(unknown->getValue());
  };
  each_part(formula, values,
            [&](const llvm::SCEV* part, bool inside) { same &= !(inside && is_index(part)); });
  if (!same) return nullptr;
  const auto* self = values.getSCEV(const_cast<llvm::Argument*>(&index));
  llvm::ValueToSCEVMapTy next;
  next[&index] = values.getAddExpr(self, values.getOne(self->getType()));
  const auto* step =
      values.getMinusSCEV(llvm::SCEVParameterRewriter::rewrite(formula, values, next), formula);
  each_part(step, values, [&](const llvm::SCEV* part, bool) { same &= !is_index(part); });
  return same ? step : nullptr;
}

bool is_linear(const llvm::SCEV* formula, const llvm::Function& code,
               llvm::ScalarEvolution& values) {
  return llvm::all_of(code.args(), [&](const llvm::Argument& a) {
    return !a.getType()->isIntegerTy() || coefficient(formula, a, values) != nullptr;
  });
}

const llvm::SCEV* extreme(const llvm::SCEV* formula, bool highest, const llvm::BasicBlock& code,
                          llvm::ScalarEvolution& values) {
  if (!depends_on_loops(formula, values)) return formula;
  llvm::SmallVector<const llvm::SCEV*> parts;
  const auto all = [&](bool which) {
    for (const auto* operand : formula->operands())
      parts.push_back(extreme(operand, which, code, values));
    return !llvm::is_contained(parts, nullptr);
  };
  switch (formula->getSCEVType()) {
    case llvm::scAddRecExpr:
      return extreme_of_counter(llvm::cast<llvm::SCEVAddRecExpr>(formula), highest, code, values);
    case llvm::scAddExpr:
      return all(highest) ? values.getAddExpr(parts) : nullptr;
    case llvm::scSMaxExpr:
      return all(highest) ? values.getSMaxExpr(parts) : nullptr;
    case llvm::scSMinExpr:
      return all(highest) ? values.getSMinExpr(parts) : nullptr;
    case llvm::scMulExpr: {
      const auto* factor = llvm::dyn_cast<llvm::SCEVConstant>(formula->operands()[0]);
      if (factor == nullptr) return nullptr;
      const bool which = highest != factor->getAPInt().isNegative();
      return all(which) ? values.getMulExpr(parts) : nullptr;
    }
    default:
      return nullptr;
  }
}

std::vector<region> ranges_of(const element_use& use, llvm::ScalarEvolution& values,
                              const formulas& all) {
  std::vector<region> results{region{}};
  for (auto* index : use.indices()) {
    const auto choices = slices_of(index, *use.call->getParent(), values, all);
    std::vector<region> longer;
    for (const auto& start : results) {
      for (const auto& choice : choices) {
        longer.push_back(start);
        longer.back().slices.push_back(choice);
        longer.back().certain = start.certain && choices.size() == 1;
      }
    }
    results = std::move(longer);
  }
  const auto is_unknown = [](const region& r) {
    return llvm::all_of(r.slices, [](const slice& s) { return s.low == nullptr; });
  };
  if (llvm::any_of(results, is_unknown)) return {};
  return results;
}

}  // namespace pappus::compiler
