#include "compiler/analysis/coverage.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>

#include <algorithm>
#include <map>

#include "compiler/analysis/formula.h"
#include "compiler/analysis/loop_bounds.h"
#include "compiler/analysis/ranges.h"

namespace pappus::compiler {

namespace {

/// Whether it is a loop's counter, or one and what stays the same in the loop.
bool goes_by_one(const llvm::SCEV* formula, llvm::ScalarEvolution& values) {
  const auto* counter = llvm::dyn_cast<llvm::SCEVAddRecExpr>(formula);
  const auto* step = counter != nullptr
                         ? llvm::dyn_cast<llvm::SCEVConstant>(counter->getStepRecurrence(values))
                         : nullptr;
  return step != nullptr && step->getAPInt().abs().isOne();
}

}  // namespace

bool coverage::writes_bytes(const element_use& use, const std::vector<element_use>& all) const {
  const auto* loop = loops_.getLoopFor(use.call->getParent());
  // Each piece of the element with the blocks that write it.
  std::map<std::pair<std::int64_t, std::int64_t>, std::vector<const llvm::BasicBlock*>> pieces;
  const auto same_place = [&](const element_use& other) {
    if (other.call == nullptr || other.view != use.view || !other.alone) return false;
    const auto a = use.indices(), b = other.indices();
    return llvm::all_of(llvm::zip(a, b), [&](const auto& both) {
      return values_.getSCEV(std::get<0>(both)) == values_.getSCEV(std::get<1>(both));
    });
  };
  for (const auto& other : all) {
    if (!same_place(other)) continue;
    for (const auto& store : other.stores)
      if (store.size > 0 && loops_.getLoopFor(store.code->getParent()) == loop)
        pieces[{store.offset, store.size}].push_back(store.code->getParent());
  }
  std::int64_t written = 0;
  for (const auto& [piece, blocks] : pieces)
    if (piece.first <= written && always_runs(loop, code_, blocks))
      written = std::max(written, piece.first + piece.second);
  return written >= use.element_size;
}

/// Whether the access's region is exact, and each loop around it comes to pass.
bool coverage::names_all(const element_use& use) const {
  const auto indices = use.indices();
  const auto& block = *use.call->getParent();
  for (const auto* loop = loops_.getLoopFor(&block); loop != nullptr;
       loop = loop->getParentLoop()) {
    const auto bound = bound_of(*loop, block, values_);
    if (!bound || !bound->exact || depends_on_loops(bound->last, values_)) return false;
    if (!always_runs(loop->getParentLoop(), code_, {loop->getHeader()})) return false;
    unsigned moved = 0;
    for (auto* index : indices) {
      const auto* formula = values_.getSCEV(index);
      unsigned counters = 0;
      bool is_this = false;
      each_part(formula, values_, [&](const llvm::SCEV* part, bool) {
        const auto* counter = llvm::dyn_cast<llvm::SCEVAddRecExpr>(part);
        if (counter == nullptr) return;
        ++counters;
        is_this |= counter->getLoop() == loop;
      });
      if (is_this && (counters != 1 || !goes_by_one(formula, values_))) return false;
      moved += is_this ? 1 : 0;
    }
    if (moved > 1) return false;
    // The elements are the same in each round: one has to happen.
    if (moved == 0 && !values_.isKnownNonNegative(bound->last)) return false;
  }
  return true;
}

bool coverage::writes_all(const element_use& use, const std::vector<element_use>& all) const {
  return use.alone && !use.lost && names_all(use) && writes_bytes(use, all);
}

bool coverage::fills_box(const region& written) const {
  for (const auto& s : written.slices)
    if (s.low == nullptr || !s.linear) return false;
  std::vector<unsigned> indices_of(written.slices.size());
  for (const auto& index : code_.args()) {
    if (!index.getType()->isIntegerTy()) continue;
    unsigned dimensions = 0;
    for (std::size_t d = 0; d < written.slices.size(); ++d) {
      const auto& s = written.slices[d];
      const auto* step = coefficient(s.low, index, values_);
      if (step != coefficient(s.high, index, values_)) return false;
      if (step->isZero()) continue;
      // The next index's elements begin where this one's end.
      const auto* width =
          values_.getAddExpr(values_.getMinusSCEV(s.high, s.low), values_.getOne(step->getType()));
      if (step != width && values_.getNegativeSCEV(step) != width) return false;
      if (++indices_of[d] > 1) return false;
      ++dimensions;
    }
    if (dimensions != 1) return false;
  }
  return true;
}

}  // namespace pappus::compiler
