#include "compiler/analysis/footprint.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallPtrSet.h>
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

class naming {
 public:
  naming(const kernel_function& function, const source_names& source, llvm::Function& code)
      : function_(function), source_(source), code_(code) {
    name_views();
  }

  void name(const std::vector<constant_load>& constants) {
    for (const auto& c : constants) {
      if (!c.value->getType()->isIntegerTy()) continue;
      if (function_.parameters[c.parameter].what == role::shape) {
        const auto view = c.parameter - static_cast<unsigned>(views_.size()) - first_view_;
        names_[c.value] = extent(view, static_cast<std::size_t>(c.path.front() / size_of(c)));
        continue;
      }
      auto& name = names_[c.value];
      name = source_.captured(c.path);
      if (!name.empty()) continue;
      name = "captured";
      for (const auto offset : c.path) name += "_" + std::to_string(offset);
    }
    name_indices();
  }

  captured_value described(const constant_load& c) const {
    const bool is_unsigned = llvm::any_of(c.value->users(), [](const llvm::User* user) {
      const auto* extended = llvm::dyn_cast<llvm::ZExtInst>(user);
      return extended != nullptr && !extended->hasNonNeg();
    });
    return {names_.lookup(c.value), c.path, size_of(c), !is_unsigned};
  }

  const symbol_names& names() const { return names_; }
  const std::string& view(unsigned parameter) const { return views_[parameter - first_view_]; }
  unsigned first_view() const { return first_view_; }
  std::string extent(unsigned number, std::size_t dimension) const {
    return views_[number] + ".extent(" + std::to_string(dimension) + ")";
  }

 private:
  std::int64_t size_of(const constant_load& c) const {
    const auto& layout = code_.getParent()->getDataLayout();
    return static_cast<std::int64_t>(layout.getTypeStoreSize(c.value->getType()).getFixedValue());
  }

  void name_views() {
    for (unsigned n = 0; n < function_.parameters.size(); ++n) {
      if (function_.parameters[n].what != role::view) continue;
      if (views_.empty()) first_view_ = n;
      const auto number = views_.size();
      const auto known =
          number + 1 < source_.parameters.size() ? source_.parameters[number + 1] : "";
      constexpr unsigned letters = 8;  // i and what follows are indices
      const auto usual = number < letters ? std::string(1, static_cast<char>('a' + number))
                                          : "view" + std::to_string(number);
      views_.push_back(known.empty() ? usual : known);
    }
  }

  /// i, j, k, as in mathematics, where there are several and the source gives the names to nothing
  /// else.
  void name_indices() {
    const auto known = source_.parameters.empty() ? "" : source_.parameters.front();
    std::vector<const llvm::Value*> indices;
    for (unsigned n = 0; n < function_.parameters.size(); ++n)
      if (function_.parameters[n].what == role::index) indices.push_back(code_.getArg(n));
    std::vector<std::string> usual;
    for (std::size_t d = 0; d < indices.size(); ++d)
      usual.emplace_back(1, static_cast<char>('i' + d));
    const bool taken = llvm::any_of(usual, [&](const std::string& name) {
      return llvm::is_contained(views_, name) ||
             llvm::any_of(names_, [&](const auto& other) { return other.second == name; });
    });
    for (std::size_t d = 0; d < indices.size(); ++d) {
      const bool own = !known.empty() && (taken || indices.size() == 1);
      names_[indices[d]] = !own                  ? usual[d]
                           : indices.size() == 1 ? known
                                                 : known + "[" + std::to_string(d) + "]";
    }
  }

  const kernel_function& function_;
  const source_names& source_;
  llvm::Function& code_;
  unsigned first_view_ = 0;
  std::vector<std::string> views_;
  symbol_names names_;
};

/// All accesses of one array: what is read, what is written.
struct array_use {
  std::vector<region> read, written;
  bool read_unknown = false, written_unknown = false;
};

class recovery {
 public:
  recovery(const kernel_function& function, scratch_copy& copy, const naming& names)
      : names_(names),
        values_(copy.values()),
        coverage_(copy.code(), copy.loops(), values_),
        uses_(element_uses(function, copy.code(), values_)) {}

  bool uses(const llvm::Value* value) const { return used_.contains(value); }

  std::vector<touched> run(unsigned views) {
    std::vector<array_use> arrays(views);
    for (const auto& use : uses_) add(use, arrays[use.view - names_.first_view()]);
    std::vector<touched> result;
    for (unsigned n = 0; n < views; ++n) list(arrays[n], n, result);
    return result;
  }

 private:
  void add(const element_use& use, array_use& to) {
    std::vector<region> where;
    if (use.call != nullptr && !use.lost) where = ranges_of(use, values_, names_.names());
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
    if (array.written_unknown) return result.push_back(described(view, "readwrite", {}));
    if (array.read_unknown) array.read = {region{}};
    for (const auto& r : array.read) result.push_back(described(view, "read", r));
    for (const auto& w : array.written)
      result.push_back(described(view, w.certain ? "write" : "readwrite", w));
  }

  /// What a formula mentions.
  void use(const llvm::SCEV* formula) {
    each_part(formula, values_, [&](const llvm::SCEV* part, bool) {
      if (const auto* unknown = llvm::dyn_cast<llvm::SCEVUnknown>(part))
        used_.insert(unknown->getValue());
    });
  }

  touched described(unsigned view, const std::string& kind, const region& where) {
    touched result{view, kind, true, {}, ""};
    result.text = kind + " " + names_.view(view + names_.first_view()) + "[";
    for (const auto& s : where.slices) {
      auto low = s.low != nullptr ? *text_of(s.low, values_, names_.names()) : "";
      auto high = s.low != nullptr ? *text_of(s.high, values_, names_.names()) : "";
      const bool all = s.low == nullptr ||
                       (low == "0" && high == names_.extent(view, result.slices.size()) + "-1");
      if (all) low = high = "";
      if (!all) use(s.low), use(s.high);
      result.affine &= s.low == nullptr || s.linear;
      if (!result.slices.empty()) result.text += ",";
      result.text += all ? ":" : s.low == s.high ? low : low + ":" + high;
      result.slices.emplace_back(low, high);
    }
    if (where.slices.empty()) result.text += "unknown";
    result.text += "]";
    return result;
  }

  const naming& names_;
  llvm::ScalarEvolution& values_;
  coverage coverage_;
  std::vector<element_use> uses_;
  llvm::SmallPtrSet<const llvm::Value*, 8> used_;
};

}  // namespace

std::string footprint::text() const {
  std::string result;
  for (const auto& t : touches) result += (result.empty() ? "" : ", ") + t.text;
  return result.empty() ? "nothing" : result;
}

std::optional<footprint> footprint_of(const kernel_function& function, const source_names& source) {
  const auto views =
      llvm::count_if(function.parameters, [](const parameter& p) { return p.what == role::view; });
  if (views == 0) return std::nullopt;
  scratch_copy copy(*function.code);
  copy.drop_hints();
  hoist_constants(function, copy.code());
  copy.simplify();
  copy.drop_hints();
  // Simplifying may have joined loads, or left addresses for them that are simpler now.
  const auto constants = hoist_constants(function, copy.code());
  footprint result;
  result.narrow = widen_indices(copy.code());
  copy.forget();
  naming names(function, source, copy.code());
  names.name(constants);
  recovery found(function, copy, names);
  result.touches = found.run(static_cast<unsigned>(views));
  for (const auto& c : constants)
    if (function.parameters[c.parameter].what == role::captures && found.uses(c.value))
      result.captured.push_back(names.described(c));
  return result;
}

}  // namespace pappus::compiler
