#include "compiler/analysis/formula.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/InstrTypes.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace pappus::compiler {
namespace {

/// The operations that scalar evolution has no formula for.
std::optional<regions::operation> operation_of(const llvm::Value* value) {
  using regions::operation;
  const auto* both = llvm::dyn_cast<llvm::BinaryOperator>(value);
  if (both == nullptr || !both->getType()->isIntegerTy(64)) return std::nullopt;
  switch (both->getOpcode()) {
    case llvm::Instruction::SDiv:
      return operation::divide;
    case llvm::Instruction::SRem:
      return operation::modulo;
    case llvm::Instruction::AShr:
      return operation::shift_right;
    case llvm::Instruction::Shl:
      return operation::shift_left;
    case llvm::Instruction::And:
      return operation::bits_and;
    case llvm::Instruction::Or:
      return operation::bits_or;
    case llvm::Instruction::Xor:
      return operation::bits_xor;
    default:
      return std::nullopt;
  }
}

/// What only is what it says while the operands aren't negative.
bool is_unsigned(const llvm::SCEV* formula) {
  return llvm::isa<llvm::SCEVUDivExpr, llvm::SCEVUMinExpr, llvm::SCEVUMaxExpr>(formula);
}

/// The quotient in an index whose dividend can't be negative, for it would be 2^43 or more then,
/// and with it the index: far outside of any array. (The sum of two such might wrap around.) Where
/// the divisor is 1 its sign doesn't matter.
const llvm::SCEV* large_if_negative(const llvm::SCEV* index, llvm::ScalarEvolution& values) {
  constexpr std::uint64_t large_divisor = std::uint64_t{1} << 20;
  const llvm::SCEV* found = nullptr;
  const auto* sum = llvm::dyn_cast<llvm::SCEVAddExpr>(index);
  for (const auto* part : sum != nullptr ? sum->operands() : llvm::ArrayRef(index)) {
    const auto* quotient = llvm::dyn_cast<llvm::SCEVUDivExpr>(part);
    if (quotient == nullptr) continue;
    if (found != nullptr || !values.getUnsignedRangeMax(quotient->getRHS()).ult(large_divisor))
      return nullptr;
    found = part;
  }
  return found;
}

struct term {
  bool negative, constant, of_index;
  std::string text;
  regions::expression size;  ///< without its sign
};

class conversion {
  using expression = regions::expression;
  using operation = regions::operation;

 public:
  /// \param unsigned_at_will  whether an unsigned operation may be translated though its operands
  ///                          may be negative
  conversion(const formulas& all, llvm::ScalarEvolution& values, const known_values& known,
             llvm::function_ref<bool(const llvm::SCEV*)> unsigned_at_will)
      : all_(all), values_(values), known_(known), unsigned_at_will_(unsigned_at_will) {}

  std::optional<expression> of(const llvm::SCEV* formula) {
    const auto result = any(formula);
    // Also ends it early where formulas share so many parts that writing them out takes ages.
    constexpr std::size_t terms_max = 200;
    return result && result->terms().size() <= terms_max ? result : std::nullopt;
  }

 private:
  std::optional<expression> any(const llvm::SCEV* formula) {
    if (is_unsigned(formula) && !unsigned_at_will_(formula) &&
        !llvm::all_of(formula->operands(), [&](const auto* o) { return all_.is_natural(o); }))
      return std::nullopt;
    switch (formula->getSCEVType()) {
      case llvm::scConstant:
        return expression(llvm::cast<llvm::SCEVConstant>(formula)->getAPInt().getSExtValue());
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
        return joined(operation::divide, formula->operands()[0], formula->operands()[1]);
      case llvm::scSMaxExpr:
      case llvm::scUMaxExpr:
        return list(operation::greatest, formula->operands());
      case llvm::scSMinExpr:
      case llvm::scUMinExpr:
        return list(operation::least, formula->operands());
      default:
        return std::nullopt;
    }
  }

  std::optional<expression> value(const llvm::Value* what) {
    if (auto known = known_.of(what)) return known;
    const auto known_operation = operation_of(what);
    if (!known_operation) return std::nullopt;
    const auto* both = llvm::cast<llvm::BinaryOperator>(what);
    return joined(*known_operation, values_.getSCEV(both->getOperand(0)),
                  values_.getSCEV(both->getOperand(1)));
  }

  /// Captured numbers of fewer bits; x & (2^n - 1), which is x % 2^n where x isn't negative.
  std::optional<expression> extended(const llvm::SCEVCastExpr* cast) {
    const auto* from = cast->getOperand();
    const bool is_signed = llvm::isa<llvm::SCEVSignExtendExpr>(cast);
    if (const auto* unknown = llvm::dyn_cast<llvm::SCEVUnknown>(from))
      return known_.extended(unknown->getValue(), is_signed);
    const auto bits = values_.getTypeSizeInBits(from->getType());
    constexpr unsigned bits_max = 31;
    const auto* whole = is_signed || bits > bits_max ? nullptr : uncut(from, cast->getType());
    const auto result = whole != nullptr ? of(whole) : std::nullopt;
    if (!result) return std::nullopt;
    const auto end = std::int64_t{1} << bits;
    return all_.is_natural(whole) ? *result % end
                                  : expression::of(operation::bits_and, *result, end - 1);
  }

  /// A formula of 64 bits with the same lower bits: scalar evolution cuts off the parts of a sum
  /// before it adds them. Null: none is known.
  const llvm::SCEV* uncut(const llvm::SCEV* formula, llvm::Type* wide) {
    if (const auto* cut = llvm::dyn_cast<llvm::SCEVTruncateExpr>(formula))
      return values_.getNoopOrSignExtend(cut->getOperand(), wide);
    if (llvm::isa<llvm::SCEVConstant>(formula)) return values_.getZeroExtendExpr(formula, wide);
    if (!llvm::isa<llvm::SCEVAddExpr, llvm::SCEVMulExpr>(formula)) return nullptr;
    llvm::SmallVector<const llvm::SCEV*> parts;
    for (const auto* part : formula->operands()) parts.push_back(uncut(part, wide));
    if (llvm::is_contained(parts, nullptr)) return nullptr;
    return llvm::isa<llvm::SCEVAddExpr>(formula) ? values_.getAddExpr(parts)
                                                 : values_.getMulExpr(parts);
  }

  std::optional<expression> joined(operation what, const llvm::SCEV* a, const llvm::SCEV* b) {
    const auto left = of(a);
    const auto right = left ? of(b) : std::nullopt;
    return right ? std::optional(expression::of(what, *left, *right)) : std::nullopt;
  }

  std::optional<expression> list(operation what, llvm::ArrayRef<const llvm::SCEV*> parts) {
    std::vector<term> terms;
    for (const auto* part : parts) {
      const auto one = of(part);
      if (!one) return std::nullopt;
      terms.push_back({false, false, is_of_index(part), text(*one, known_.names()), *one});
    }
    const auto rank = [](const term& t) { return std::pair(!t.of_index, t.text); };
    std::sort(terms.begin(), terms.end(),
              [&](const term& a, const term& b) { return rank(a) < rank(b); });
    auto result = terms.front().size;
    for (const auto& t : llvm::drop_begin(terms)) result = expression::of(what, result, t.size);
    return result;
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
    const auto sign_of = [](const llvm::SCEVConstant* number, bool& negative) {
      const auto& bits = number->getAPInt();
      negative = bits.isNegative() && !bits.isMinSignedValue();  // which has no opposite
      return negative ? -bits.getSExtValue() : bits.getSExtValue();
    };
    term result{false, false, is_of_index(formula), "", 0};
    if (const auto* number = llvm::dyn_cast<llvm::SCEVConstant>(formula)) {
      result.constant = true;
      result.size = sign_of(number, result.negative);
    } else {
      const auto* product = llvm::dyn_cast<llvm::SCEVMulExpr>(formula);
      const auto* factor =
          product != nullptr ? llvm::dyn_cast<llvm::SCEVConstant>(product->getOperand(0)) : nullptr;
      auto factors = product != nullptr ? product->operands() : llvm::ArrayRef(formula);
      if (factor != nullptr) factors = factors.drop_front();
      const auto rest = factors.size() == 1 ? of(factors[0]) : list(operation::multiply, factors);
      if (!rest) return std::nullopt;
      const auto times = factor != nullptr ? sign_of(factor, result.negative) : 1;
      result.size = times == 1 ? *rest : times * *rest;
    }
    result.text = text(result.size, known_.names());
    return result;
  }

  /// What is added before what is subtracted ("1-i" rather than "-i+1"), numbers last.
  std::optional<expression> sum(llvm::ArrayRef<const llvm::SCEV*> parts) {
    std::vector<term> terms;
    for (const auto* part : parts) {
      auto one = term_of(part);
      if (!one) return std::nullopt;
      terms.push_back(std::move(*one));
    }
    const auto rank = [](const term& t) {
      return std::tuple(t.negative, t.constant, !t.of_index, t.text);
    };
    std::sort(terms.begin(), terms.end(),
              [&](const term& a, const term& b) { return rank(a) < rank(b); });
    auto result = terms.front().negative ? 0 - terms.front().size : terms.front().size;
    for (const auto& t : llvm::drop_begin(terms))
      result = t.negative ? result - t.size : result + t.size;
    return result;
  }

  const formulas& all_;
  llvm::ScalarEvolution& values_;
  const known_values& known_;
  llvm::function_ref<bool(const llvm::SCEV*)> unsigned_at_will_;
};

}  // namespace

void formulas::add_rounds(const llvm::SCEV* last) {
  struct {
    llvm::DenseSet<const llvm::SCEV*>& into;
    bool follow(const llvm::SCEV* part) {
      if (is_unsigned(part)) into.insert(part);
      return true;
    }
    bool isDone() const { return false; }
  } parts{rounds_};
  llvm::visitAll(last, parts);
}

std::optional<regions::expression> formulas::of(const llvm::SCEV* formula) const {
  const auto* large = large_if_negative(formula, values_);
  const auto unsigned_at_will = [&](const llvm::SCEV* part) {
    return part == large || rounds_.contains(part);
  };
  return conversion(*this, values_, known_, unsigned_at_will).of(formula);
}

bool formulas::is_natural(const llvm::SCEV* formula) const {
  if (const auto known = natural_.find(formula); known != natural_.end()) return known->second;
  const bool result = find_natural(formula);
  return natural_[formula] = result;
}

bool formulas::find_natural(const llvm::SCEV* formula) const {
  const auto all = [&] {
    return llvm::all_of(formula->operands(), [&](const auto* o) { return is_natural(o); });
  };
  const auto any = [&] {
    return llvm::any_of(formula->operands(), [&](const auto* o) { return is_natural(o); });
  };
  if (values_.isKnownNonNegative(formula)) return true;
  switch (formula->getSCEVType()) {
    case llvm::scUnknown:
      return known_.of(llvm::cast<llvm::SCEVUnknown>(formula)->getValue()).has_value();
    case llvm::scAddExpr:
    case llvm::scMulExpr:
    case llvm::scUDivExpr:
    case llvm::scUMinExpr:
    case llvm::scUMaxExpr:
    case llvm::scSMinExpr:
    case llvm::scAddRecExpr:
      return all();
    case llvm::scSMaxExpr:
      return any();
    default:
      return false;
  }
}

void each_part(const llvm::SCEV* formula, llvm::ScalarEvolution& values,
               const std::function<void(const llvm::SCEV*, bool)>& visit) {
  using part = std::pair<const llvm::SCEV*, bool>;
  std::vector<part> pending{{formula, false}};
  std::set<part> seen;  // parts of hashes are shared again and again
  while (!pending.empty()) {
    const auto [what, inside] = pending.back();
    pending.pop_back();
    if (llvm::isa<llvm::SCEVCouldNotCompute>(what) || !seen.insert({what, inside}).second) continue;
    if (const auto* unknown = llvm::dyn_cast<llvm::SCEVUnknown>(what)) {
      if (!operation_of(unknown->getValue())) {
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
