#include "compiler/analysis/formula.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/InstrTypes.h>

#include <algorithm>
#include <vector>

namespace pappus::compiler {
namespace {

/// How C writes the operations that scalar evolution has no formula for; null: not an operation.
const char* operator_of(const llvm::Value* value) {
  const auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(value);
  if (operation == nullptr || !operation->getType()->isIntegerTy(64)) return nullptr;
  switch (operation->getOpcode()) {
    case llvm::Instruction::SDiv:
      return "/";
    case llvm::Instruction::SRem:
      return "%";
    case llvm::Instruction::AShr:
      return ">>";
    case llvm::Instruction::Shl:
      return "<<";
    case llvm::Instruction::And:
      return "&";
    case llvm::Instruction::Or:
      return "|";
    case llvm::Instruction::Xor:
      return "^";
    default:
      return nullptr;
  }
}

enum class binding { sum, product, atom };

struct phrase {
  std::string text;
  binding binds = binding::atom;
  std::string inside(binding at_least) const { return binds < at_least ? "(" + text + ")" : text; }
};

struct term {
  bool negative, constant, of_index;
  std::string text;
};

class phrasing {
 public:
  phrasing(llvm::ScalarEvolution& values, const symbol_names& names)
      : values_(values), names_(names) {}

  std::optional<phrase> of(const llvm::SCEV* formula) {
    switch (formula->getSCEVType()) {
      case llvm::scConstant: {
        const auto number = llvm::cast<llvm::SCEVConstant>(formula)->getAPInt().getSExtValue();
        return phrase{std::to_string(number), number < 0 ? binding::sum : binding::atom};
      }
      case llvm::scUnknown:
        return value(llvm::cast<llvm::SCEVUnknown>(formula)->getValue());
      case llvm::scSignExtend:
      case llvm::scZeroExtend:
        return extended(llvm::cast<llvm::SCEVCastExpr>(formula));
      case llvm::scAddExpr:
        return sum(formula->operands());
      case llvm::scMulExpr:
        return sum({formula});
      case llvm::scUDivExpr:
        return operation("/", formula->operands()[0], formula->operands()[1]);
      case llvm::scSMaxExpr:
      case llvm::scUMaxExpr:
        return list("max(", formula->operands(), ",", ")", binding::sum);
      case llvm::scSMinExpr:
      case llvm::scUMinExpr:
        return list("min(", formula->operands(), ",", ")", binding::sum);
      default:
        return std::nullopt;
    }
  }

 private:
  std::optional<phrase> value(const llvm::Value* what) {
    if (const auto known = names_.find(what); known != names_.end()) return phrase{known->second};
    const char* sign = operator_of(what);
    if (sign == nullptr) return std::nullopt;
    const auto* both = llvm::cast<llvm::BinaryOperator>(what);
    return operation(sign, values_.getSCEV(both->getOperand(0)),
                     values_.getSCEV(both->getOperand(1)));
  }

  /// Captured numbers of fewer bits; x & (2^n - 1).
  std::optional<phrase> extended(const llvm::SCEVCastExpr* cast) {
    const auto* from = cast->getOperand();
    if (const auto* unknown = llvm::dyn_cast<llvm::SCEVUnknown>(from)) {
      const auto known = names_.find(unknown->getValue());
      if (known != names_.end()) return phrase{known->second};
    }
    const auto* cut = llvm::dyn_cast<llvm::SCEVTruncateExpr>(from);
    const auto bits = values_.getTypeSizeInBits(from->getType());
    constexpr unsigned bits_max = 31;
    if (cut == nullptr || !llvm::isa<llvm::SCEVZeroExtendExpr>(cast) || bits > bits_max)
      return std::nullopt;
    const auto rest = of(cut->getOperand());
    if (!rest) return std::nullopt;
    return phrase{rest->inside(binding::product) + "%" + std::to_string(std::uint64_t{1} << bits),
                  binding::product};
  }

  std::optional<phrase> operation(llvm::StringRef sign, const llvm::SCEV* a, const llvm::SCEV* b) {
    const auto left = of(a), right = of(b);
    if (!left || !right) return std::nullopt;
    const bool divides = sign == "/" || sign == "%";
    const auto text = left->inside(divides ? binding::product : binding::atom) + sign.str() +
                      right->inside(binding::atom);
    return phrase{text, divides ? binding::product : binding::sum};
  }

  std::optional<phrase> list(llvm::StringRef open, llvm::ArrayRef<const llvm::SCEV*> parts,
                             llvm::StringRef between, llvm::StringRef close, binding inner) {
    std::vector<std::pair<bool, std::string>> texts;
    for (const auto* part : parts) {
      const auto one = of(part);
      if (!one) return std::nullopt;
      texts.emplace_back(!is_of_index(part), one->inside(inner));
    }
    std::sort(texts.begin(), texts.end());
    std::string text;
    for (const auto& [rank, one] : texts) text += (text.empty() ? "" : between.str()) + one;
    return phrase{open.str() + text + close.str(),
                  close.empty() && parts.size() > 1 ? binding::product : binding::atom};
  }

  bool is_of_index(const llvm::SCEV* formula) {
    bool found = false;
    each_part(formula, values_, [&](const llvm::SCEV* part, bool) {
      const auto* unknown = llvm::dyn_cast<llvm::SCEVUnknown>(part);
      found |= unknown != nullptr && llvm::isa<llvm::Argument>(unknown->getValue());
    });
    return found;
  }

  std::optional<term> term_of(const llvm::SCEV* formula) {
    const bool of_index = is_of_index(formula);
    if (const auto* number = llvm::dyn_cast<llvm::SCEVConstant>(formula))
      return term{number->getAPInt().isNegative(), true, false,
                  std::to_string(number->getAPInt().abs().getZExtValue())};
    const auto* product = llvm::dyn_cast<llvm::SCEVMulExpr>(formula);
    const auto* factor =
        product != nullptr ? llvm::dyn_cast<llvm::SCEVConstant>(product->getOperand(0)) : nullptr;
    auto factors = product != nullptr ? product->operands() : llvm::ArrayRef(formula);
    if (factor != nullptr) factors = factors.drop_front();
    auto rest = factors.size() == 1 ? of(factors[0]) : list("", factors, "*", "", binding::product);
    if (!rest) return std::nullopt;
    const bool negative = factor != nullptr && factor->getAPInt().isNegative();
    const auto size = factor != nullptr ? factor->getAPInt().abs().getZExtValue() : 1;
    const auto text = size == 1 ? rest->inside(negative ? binding::product : binding::sum)
                                : std::to_string(size) + "*" + rest->inside(binding::atom);
    return term{negative, false, of_index, text};
  }

  /// What is added before what is subtracted, numbers last.
  std::optional<phrase> sum(llvm::ArrayRef<const llvm::SCEV*> parts) {
    std::vector<term> terms;
    for (const auto* part : parts) {
      auto one = term_of(part);
      if (!one) return std::nullopt;
      terms.push_back(std::move(*one));
    }
    const auto rank = [](const term& t) {
      return std::tuple(t.constant, t.negative, !t.of_index, t.text);
    };
    std::sort(terms.begin(), terms.end(),
              [&](const term& a, const term& b) { return rank(a) < rank(b); });
    // "1-i" rather than "-i+1".
    std::stable_partition(terms.begin(), terms.end(), [](const term& t) { return !t.negative; });
    std::string text;
    for (const auto& t : terms) text += (t.negative ? "-" : text.empty() ? "" : "+") + t.text;
    const bool is_product = terms.size() == 1 && !terms[0].negative;
    return phrase{text, is_product ? binding::product : binding::sum};
  }

  llvm::ScalarEvolution& values_;
  const symbol_names& names_;
};

}  // namespace

std::optional<std::string> text_of(const llvm::SCEV* formula, llvm::ScalarEvolution& values,
                                   const symbol_names& names) {
  const auto result = phrasing(values, names).of(formula);
  return result ? std::optional(result->text) : std::nullopt;
}

void each_part(const llvm::SCEV* formula, llvm::ScalarEvolution& values,
               const std::function<void(const llvm::SCEV*, bool)>& visit) {
  struct part {
    const llvm::SCEV* what;
    bool inside;
  };
  std::vector<part> pending{{formula, false}};
  while (!pending.empty()) {
    const auto [what, inside] = pending.back();
    pending.pop_back();
    if (llvm::isa<llvm::SCEVCouldNotCompute>(what)) continue;
    if (const auto* unknown = llvm::dyn_cast<llvm::SCEVUnknown>(what)) {
      if (operator_of(unknown->getValue()) == nullptr) {
        visit(what, inside);
        continue;
      }
      for (const auto& operand : llvm::cast<llvm::User>(unknown->getValue())->operands())
        pending.push_back({values.getSCEV(operand), true});
      continue;
    }
    if (llvm::isa<llvm::SCEVAddRecExpr>(what)) visit(what, inside);
    const bool is_linear =
        llvm::isa<llvm::SCEVAddExpr, llvm::SCEVMulExpr, llvm::SCEVAddRecExpr>(what);
    for (const auto* operand : what->operands()) pending.push_back({operand, inside || !is_linear});
  }
}

bool depends_on_loops(const llvm::SCEV* formula, llvm::ScalarEvolution& values) {
  bool found = false;
  each_part(formula, values,
            [&](const llvm::SCEV* part, bool) { found |= llvm::isa<llvm::SCEVAddRecExpr>(part); });
  return found;
}

}  // namespace pappus::compiler
