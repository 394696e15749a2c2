#include "compiler/analysis/footprint.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/GVN.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>

#include "compiler/analysis/accesses.h"
#include "compiler/analysis/analyses.h"
#include "compiler/analysis/coverage.h"
#include "compiler/analysis/formula.h"
#include "compiler/analysis/hoist.h"
#include "compiler/analysis/loop_bounds.h"
#include "compiler/analysis/ranges.h"
#include "compiler/analysis/regions.h"
#include "compiler/analysis/widen.h"

namespace pappus::compiler {
namespace {

/// A copy of a function that can be changed, and goes again.
class scratch_copy {
 public:
  explicit scratch_copy(llvm::Function& of) {
    llvm::ValueToValueMapTy values;
    code_ = llvm::CloneFunction(&of, values);
  }
  ~scratch_copy() {
    analyses_.functions.clear();
    code_->eraseFromParent();
  }
  scratch_copy(const scratch_copy&) = delete;

  llvm::Function& code() { return *code_; }

  /// Indices are values, never undefined ones. Assumptions keep views from becoming values, of
  /// which one is chosen.
  void drop_hints() {
    for (auto& i : llvm::make_early_inc_range(llvm::instructions(*code_))) {
      if (auto* freeze = llvm::dyn_cast<llvm::FreezeInst>(&i))
        freeze->replaceAllUsesWith(freeze->getOperand(0));
      else if (!llvm::isa<llvm::AssumeInst>(i))
        continue;
      i.eraseFromParent();
    }
  }

  /// After constants were hoisted. The same stores in both branches of an `if` become one.
  void simplify() {
    llvm::FunctionPassManager passes;
    passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
    passes.addPass(llvm::GVNPass());
    passes.addPass(llvm::InstCombinePass(llvm::InstCombineOptions().setVerifyFixpoint(false)));
    passes.addPass(llvm::SimplifyCFGPass(
        llvm::SimplifyCFGOptions().hoistCommonInsts(true).sinkCommonInsts(true)));
    passes.addPass(llvm::LoopSimplifyPass());
    passes.run(*code_, analyses_.functions);
  }
  void forget() { analyses_.functions.clear(); }
  llvm::ScalarEvolution& values() {
    return analyses_.functions.getResult<llvm::ScalarEvolutionAnalysis>(*code_);
  }
  llvm::LoopInfo& loops() { return analyses_.functions.getResult<llvm::LoopAnalysis>(*code_); }

 private:
  llvm::Function* code_;
  analyses analyses_;
};

/// All accesses of one array: what is read, what is written.
struct array_use {
  std::vector<region> read, written;
  bool read_unknown = false, written_unknown = false;
  bool reduces = true;  ///< only through views that do
};

class recovery {
 public:
  recovery(const kernel_function& function, scratch_copy& copy, const known_values& known)
      : known_(known),
        values_(copy.values()),
        formulas_(values_, known),
        coverage_(copy.code(), copy.loops(), values_),
        uses_(element_uses(function, copy.code(), values_)) {
    for (const auto& use : uses_) {
      if (use.call == nullptr) continue;
      const auto& block = *use.call->getParent();
      for (const auto* loop = copy.loops().getLoopFor(&block); loop != nullptr;
           loop = loop->getParentLoop())
        if (const auto bound = bound_of(*loop, block, values_)) formulas_.add_rounds(bound->last);
    }
  }

  footprint run() {
    const auto views = static_cast<unsigned>(known_.ranks().size());
    std::vector<array_use> arrays(views);
    for (const auto& use : uses_) add(use, arrays[use.view - known_.first_view()]);
    footprint result;
    for (unsigned n = 0; n < views; ++n) list(arrays[n], n, result.touches);
    number_symbols(result);
    result.ranks = known_.ranks();
    return result;
  }

 private:
  void add(const element_use& use, array_use& to) {
    to.reduces &= use.reduces();
    std::vector<region> where;
    if (use.call != nullptr && !use.lost) where = ranges_of(use, values_, formulas_);
    const bool reads = use.reads || (use.lost && !use.may_write());
    if (reads) to.read.insert(to.read.end(), where.begin(), where.end());
    to.read_unknown |= reads && where.empty();
    if (!use.may_write()) return;
    to.written_unknown |= where.empty();
    for (auto& r : where) {
      r.certain = r.certain && coverage_.writes_all(use, uses_);
      to.written.push_back(r);
    }
  }

  /// Whether the regions of all calls are apart: along one dimension, wherever the others lie.
  bool are_apart(const region& a, const region& b) const {
    const auto number = [](const llvm::SCEV* bound) {
      const auto* constant = llvm::dyn_cast_or_null<llvm::SCEVConstant>(bound);
      return constant != nullptr ? std::optional(constant->getAPInt().getSExtValue())
                                 : std::nullopt;
    };
    for (const auto& [s, t] : llvm::zip_equal(a.slices, b.slices)) {
      const auto low = number(s.low), high = number(s.high);
      const auto other_low = number(t.low), other_high = number(t.high);
      if (low && high && other_low && other_high && (*high < *other_low || *other_high < *low))
        return true;
    }
    return false;
  }

  /// No other call may write the elements, by way of another region either.
  bool is_alone(const region& one, const std::vector<region>& written) const {
    return llvm::all_of(
        written, [&](const region& other) { return &other == &one || are_apart(one, other); });
  }

  void list_reduced(array_use& array, unsigned view, std::vector<touched>& result) {
    auto& all = array.written;
    all.insert(all.end(), array.read.begin(), array.read.end());
    if (array.read_unknown || array.written_unknown) all = {region{}};
    for (const auto& r : all) result.push_back(described(view, regions::access_mode::reduce, r));
  }

  void list(array_use& array, unsigned view, std::vector<touched>& result) {
    merge(array.read, false, values_);
    merge(array.written, true, values_);
    // What is written without being certain to be keeps what was there: it is read as well.
    for (auto& w : array.written) {
      const auto same = [&](const region& r) { return r.slices == w.slices; };
      w.certain = w.certain && coverage_.fills_box(w) && is_alone(w, array.written) &&
                  llvm::none_of(array.read, same);
      llvm::erase_if(array.read, same);
    }
    using mode = regions::access_mode;
    if (array.reduces) return list_reduced(array, view, result);
    if (array.written_unknown) return result.push_back(described(view, mode::readwrite, {}));
    if (array.read_unknown) array.read = {region{}};
    for (const auto& r : array.read) result.push_back(described(view, mode::read, r));
    for (const auto& w : array.written)
      result.push_back(described(view, w.certain ? mode::write : mode::readwrite, w));
  }

  /// From the first element to the last.
  bool is_whole(const slice& s, unsigned view, std::size_t dimension) {
    if (s.low == nullptr) return true;
    auto* extent = known_.extent(view, dimension);
    if (extent == nullptr || !s.low->isZero()) return false;
    const auto* end = values_.getSCEV(extent);
    return s.high == values_.getMinusSCEV(end, values_.getOne(end->getType()));
  }

  touched described(unsigned view, regions::access_mode mode, const region& where) {
    touched result{{view, mode, {}, {}}, ""};
    result.text = std::string(word_of(mode)) + " " + known_.view(view) + "[";
    const auto names = known_.names();
    for (const auto& s : where.slices) {
      const bool all = is_whole(s, view, result.what.slices.size());
      const auto bounds =
          all ? regions::slice() : regions::slice{*formulas_.of(s.low), *formulas_.of(s.high)};
      if (!result.what.slices.empty()) result.text += ",";
      result.text += all                         ? ":"
                     : bounds.low == bounds.high ? regions::text(*bounds.low, names)
                                                 : regions::text(*bounds.low, names) + ":" +
                                                       regions::text(*bounds.high, names);
      result.what.slices.push_back(bounds);
    }
    if (where.slices.empty()) result.text += "unknown";
    result.text += "]";
    return result;
  }

  /// Drops the symbols that no formula mentions.
  void number_symbols(footprint& all) const {
    std::vector<std::optional<regions::expression>*> bounds;
    for (auto& one : all.touches)
      for (auto& s : one.what.slices)
        for (auto* bound : {&s.low, &s.high})
          if (*bound) bounds.push_back(bound);
    std::vector<bool> mentioned(known_.symbols().size());
    for (const auto* bound : bounds)
      for (const auto& term : (*bound)->terms())
        if (term.what == regions::operation::symbol)
          mentioned[static_cast<std::size_t>(term.value)] = true;
    std::vector<std::size_t> numbers(mentioned.size());
    for (std::size_t n = 0; n < mentioned.size(); ++n) {
      numbers[n] = all.symbols.size();
      if (mentioned[n]) all.symbols.push_back(known_.symbols()[n]);
    }
    for (auto* bound : bounds) *bound = (*bound)->renumbered(numbers);
  }

  const known_values& known_;
  llvm::ScalarEvolution& values_;
  formulas formulas_;
  coverage coverage_;
  std::vector<element_use> uses_;
};

}  // namespace

const char* word_of(regions::access_mode mode) {
  return mode == regions::access_mode::read     ? "read"
         : mode == regions::access_mode::write  ? "write"
         : mode == regions::access_mode::reduce ? "reduce"
                                                : "readwrite";
}

std::string footprint::text() const {
  std::string result;
  for (const auto& t : touches) result += (result.empty() ? "" : ", ") + t.text;
  return result.empty() ? "nothing" : result;
}

std::optional<footprint> footprint_of(const kernel_function& function, const source_names& source) {
  const auto is_view = [](const parameter& p) { return p.what == role::view; };
  if (llvm::none_of(function.parameters, is_view)) return std::nullopt;
  scratch_copy copy(*function.code);
  copy.drop_hints();
  hoist_constants(function, copy.code());
  copy.simplify();
  copy.drop_hints();
  // Simplifying may have joined loads, or left addresses for them that are simpler now.
  const auto constants = hoist_constants(function, copy.code());
  const bool narrow = widen_indices(copy.code());
  copy.forget();
  const known_values known(function, source, copy.code(), constants);
  auto result = recovery(function, copy, known).run();
  result.narrow = narrow;
  return result;
}

}  // namespace pappus::compiler
