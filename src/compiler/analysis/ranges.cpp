#include "compiler/analysis/ranges.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/PatternMatch.h>

#include <iterator>
#include <utility>

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

/// An index's bound where it has an unsigned minimum of what may be negative, as in
/// min(i+1, size-1). If `size` is 0 the minimum is i+1; so that is the upper bound.
const llvm::SCEV* signed_minimum(const llvm::SCEV* formula, bool highest, const formulas& all,
                                 llvm::ScalarEvolution& values) {
  llvm::SmallVector<const llvm::SCEV*> parts;
  if (llvm::isa<llvm::SCEVAddExpr>(formula)) {
    for (const auto* part : formula->operands())
      parts.push_back(signed_minimum(part, highest, all, values));
    return values.getAddExpr(parts);
  }
  if (!llvm::isa<llvm::SCEVUMinExpr>(formula)) return formula;
  llvm::copy_if(formula->operands(), std::back_inserter(parts),
                [&](const auto* part) { return all.is_natural(part); });
  if (parts.empty()) return formula;
  if (!highest) parts.assign(formula->operands().begin(), formula->operands().end());
  return values.getSMinExpr(parts);
}

slice slice_of(const llvm::SCEV* formula, const llvm::BasicBlock& code,
               llvm::ScalarEvolution& values, const formulas& all) {
  const auto *low = extreme(signed_minimum(formula, false, all, values), false, code, values),
             *high = extreme(signed_minimum(formula, true, all, values), true, code, values);
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
  llvm::SmallVector<std::pair<llvm::Value*, llvm::APInt>> pending{{index, llvm::APInt(64, 0)}};
  while (!pending.empty()) {
    auto [one, added] = pending.pop_back_val();
    const auto* formula = values.getAddExpr(values.getSCEV(one), values.getConstant(added));
    if (const auto found = slice_of(formula, code, values, all); found.low != nullptr) {
      results.push_back(found);
      continue;
    }
    // "i == 0 ? n - 1 : i - 1" may have become "(i == 0 ? n : i) - 1".
    llvm::Value* chosen = nullptr;
    const llvm::APInt* number = nullptr;
    if (llvm::PatternMatch::match(one,
                                  llvm::PatternMatch::m_Add(llvm::PatternMatch::m_Value(chosen),
                                                            llvm::PatternMatch::m_APInt(number))))
      one = chosen, added += *number;
    llvm::SmallVector<llvm::Value*> options;
    if (auto* select = llvm::dyn_cast<llvm::SelectInst>(one))
      options = {select->getFalseValue(), select->getTrueValue()};
    else if (auto* phi = llvm::dyn_cast<llvm::PHINode>(one))
      options.append(phi->op_begin(), phi->op_end());
    if (options.empty() || results.size() + pending.size() + options.size() > most)
      return {slice{}};
    for (auto* option : options) pending.emplace_back(option, added);
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
