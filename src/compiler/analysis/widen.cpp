#include "compiler/analysis/widen.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>
#include <llvm/IR/PatternMatch.h>

#include "compiler/analysis/accesses.h"

namespace pappus::compiler {
namespace {

constexpr unsigned int_bits = 32;
/// Bound of constants that are added to an index. Sums of an index below 2^31 and of this don't
/// wrap around in 32 bits to another index below 2^31.
constexpr std::int64_t small = 1 << 30;
/// What is multiplied by as much is a hash rather than an index.
constexpr std::uint64_t large_shift = 16, large_factor = 1 << large_shift;

bool is_small(const llvm::Value* value) {
  const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(value);
  return constant != nullptr && constant->getSExtValue() > -small &&
         constant->getSExtValue() < small;
}

bool is_factor(const llvm::Value* value, std::uint64_t large) {
  const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(value);
  return constant != nullptr && constant->getValue().abs().ult(large);
}

/// Whether it is made of indices and sizes in a way that keeps it about as large as they are. What
/// multiplies may be a hash, which is meant to be cut off.
bool is_index_like(const llvm::Value* value, int depth = 0) {
  constexpr int deepest = 6;
  if (depth > deepest) return false;
  if (llvm::isa<llvm::Argument, llvm::LoadInst, llvm::SExtInst, llvm::ZExtInst>(value) ||
      is_small(value))
    return true;
  const auto all = [&](const llvm::User* user, unsigned first) {
    return llvm::all_of(llvm::drop_begin(user->operand_values(), first),
                        [&](const llvm::Value* v) { return is_index_like(v, depth + 1); });
  };
  if (const auto* select = llvm::dyn_cast<llvm::SelectInst>(value)) return all(select, 1);
  if (const auto* phi = llvm::dyn_cast<llvm::PHINode>(value)) return all(phi, 0);
  const auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(value);
  if (operation == nullptr) return false;
  switch (operation->getOpcode()) {
    case llvm::Instruction::Add:
    case llvm::Instruction::Sub:
    case llvm::Instruction::SDiv:
    case llvm::Instruction::UDiv:
    case llvm::Instruction::SRem:
    case llvm::Instruction::URem:
    case llvm::Instruction::LShr:
    case llvm::Instruction::AShr:
      return all(operation, 0);
    case llvm::Instruction::Mul:
      return is_factor(operation->getOperand(1), large_factor) &&
             is_index_like(operation->getOperand(0), depth + 1);
    case llvm::Instruction::Shl:
      return is_factor(operation->getOperand(1), large_shift) &&
             is_index_like(operation->getOperand(0), depth + 1);
    default:
      return false;
  }
}

class widening {
 public:
  explicit widening(llvm::Function& code)
      : code_(code), wide_(llvm::Type::getInt64Ty(code.getContext())) {}

  bool run() {
    std::vector<llvm::CastInst*> casts;
    std::vector<llvm::ICmpInst*> comparisons;
    std::vector<llvm::BinaryOperator*> masks;
    for (auto& i : llvm::instructions(code_)) {
      auto* cast = llvm::dyn_cast<llvm::CastInst>(&i);
      if (cast != nullptr && llvm::isa<llvm::SExtInst, llvm::ZExtInst>(cast) &&
          cast->getType() == wide_ && cast->getSrcTy()->isIntegerTy(int_bits))
        casts.push_back(cast);
      if (auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(&i)) masks.push_back(operation);
      auto* compare = llvm::dyn_cast<llvm::ICmpInst>(&i);
      if (compare != nullptr && compare->getOperand(0)->getType()->isIntegerTy(int_bits) &&
          (compare->isSigned() || compare->isEquality()))
        comparisons.push_back(compare);
    }
    for (auto& i : llvm::instructions(code_))
      if (auto* call = llvm::dyn_cast<llvm::CallInst>(&i); call != nullptr && is_access(*call))
        for (auto& argument : call->args())
          if (argument->getType() == wide_) argument.set(index(argument));
    for (auto* masked : masks) {
      if (auto* whole = cut_and_extended(*masked)) {
        masked->replaceAllUsesWith(whole);
        narrowed_ = true;
      }
    }
    for (auto* cast : casts) {
      const auto* zero = llvm::dyn_cast<llvm::ZExtInst>(cast);
      const bool is_signed = zero == nullptr || zero->hasNonNeg();
      cast->replaceAllUsesWith(widened(cast->getOperand(0), is_signed));
    }
    for (auto* compare : comparisons) {
      llvm::IRBuilder<> at(compare);
      compare->replaceAllUsesWith(at.CreateICmp(compare->getPredicate(),
                                                widened(compare->getOperand(0), true),
                                                widened(compare->getOperand(1), true)));
    }
    return narrowed_;
  }

 private:
  /// An index, or a part of the sum that it is. Whatever wraps around in 32 bits, the sum in 64
  /// bits is the same as long as it's below 2^31: the launch checks that it is.
  llvm::Value* index(llvm::Value* value) {
    if (auto* cast = llvm::dyn_cast<llvm::CastInst>(value);
        cast != nullptr && llvm::isa<llvm::SExtInst, llvm::ZExtInst>(cast) &&
        cast->getSrcTy()->isIntegerTy(int_bits) && is_sum(cast->getOperand(0)))
      return part(cast->getOperand(0), llvm::isa<llvm::SExtInst>(cast));
    auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(value);
    const bool adds = operation != nullptr && (operation->getOpcode() == llvm::Instruction::Add ||
                                               operation->getOpcode() == llvm::Instruction::Sub);
    if (!adds) return value;
    auto *a = index(operation->getOperand(0)), *b = index(operation->getOperand(1));
    if (a == operation->getOperand(0) && b == operation->getOperand(1)) return value;
    return after(operation).CreateBinOp(operation->getOpcode(), a, b);
  }

  /// Of numbers that may wrap around.
  static bool is_sum(const llvm::Value* value) {
    const auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(value);
    if (operation == nullptr) return false;
    switch (operation->getOpcode()) {
      case llvm::Instruction::Add:
      case llvm::Instruction::Sub:
        return true;
      case llvm::Instruction::Mul:
        return is_factor(operation->getOperand(1), large_factor);
      case llvm::Instruction::Shl:
        return is_factor(operation->getOperand(1), large_shift);
      case llvm::Instruction::Or:
        return llvm::cast<llvm::PossiblyDisjointInst>(operation)->isDisjoint();
      default:
        return false;
    }
  }

  llvm::Value* part(llvm::Value* value, bool is_signed) {
    if (!is_sum(value)) {
      // As a negative number where it is large, for that is what is meant by adding it.
      const bool as_signed = is_signed || llvm::isa<llvm::ConstantInt>(value);
      return widened(value, as_signed);
    }
    auto* operation = llvm::cast<llvm::BinaryOperator>(value);
    narrowed_ |= !commutes(*operation, is_signed);
    auto* a = part(operation->getOperand(0), is_signed);
    auto* b = part(operation->getOperand(1), is_signed);
    const bool joins = operation->getOpcode() == llvm::Instruction::Or;
    return after(operation).CreateBinOp(joins ? llvm::Instruction::Add : operation->getOpcode(), a,
                                        b);
  }

  /// The number whose lower half is taken here and extended, in the forms that optimisation gives
  /// to that; null: something else happens.
  static llvm::Value* cut_and_extended(llvm::BinaryOperator& operation) {
    using namespace llvm::PatternMatch;
    constexpr std::uint64_t lower_half = 0xffffffff;
    llvm::Value* whole = nullptr;
    if (!operation.getType()->isIntegerTy(2 * int_bits)) return nullptr;
    llvm::IRBuilder<> at(&operation);
    if (match(&operation, m_AShr(m_Value(whole), m_SpecificInt(int_bits))))
      return shifted_back(whole, at);
    if (!match(&operation, m_And(m_Value(whole), m_SpecificInt(lower_half)))) return nullptr;
    // x - 1 of an unsigned x.
    llvm::Value* rest = nullptr;
    const llvm::APInt* added = nullptr;
    if (match(whole, m_Add(m_Value(rest), m_APInt(added)))) {
      const auto distance = added->trunc(int_bits).getSExtValue();
      if (!is_index_like(rest) || std::abs(distance) >= small) return nullptr;
      return at.CreateAdd(rest, at.getInt64(static_cast<std::uint64_t>(distance)));
    }
    return is_index_like(whole) ? whole : nullptr;
  }

  /// x of 2^32 * x, which may be a sum of such.
  static llvm::Value* shifted_back(llvm::Value* shifted, llvm::IRBuilder<>& at) {
    using namespace llvm::PatternMatch;
    llvm::Value *a = nullptr, *b = nullptr;
    const llvm::APInt* number = nullptr;
    const auto quotient = [&] {
      return at.getInt64(static_cast<std::uint64_t>(number->ashr(int_bits).getSExtValue()));
    };
    const auto divides = [&] {
      return number->countTrailingZeros() >= int_bits &&
             number->ashr(int_bits).abs().ult(large_factor);
    };
    if (match(shifted, m_APInt(number)))
      return number->countTrailingZeros() >= int_bits ? quotient() : nullptr;
    if (match(shifted, m_Shl(m_Value(a), m_APInt(number))) && number->uge(int_bits))
      return is_index_like(a) ? at.CreateShl(a, number->getZExtValue() - int_bits) : nullptr;
    if (match(shifted, m_Mul(m_Value(a), m_APInt(number))) && divides())
      return is_index_like(a) ? at.CreateMul(a, quotient()) : nullptr;
    if (match(shifted, m_Add(m_Value(a), m_Value(b))) ||
        match(shifted, m_Sub(m_Value(a), m_Value(b)))) {
      auto *first = shifted_back(a, at), *second = shifted_back(b, at);
      if (first == nullptr || second == nullptr) return nullptr;
      const auto code = llvm::cast<llvm::BinaryOperator>(shifted)->getOpcode();
      return at.CreateBinOp(code, first, second);
    }
    return nullptr;
  }

  llvm::Value* widened(llvm::Value* value, bool is_signed) {
    if (auto* constant = llvm::dyn_cast<llvm::ConstantInt>(value))
      return llvm::ConstantInt::get(
          wide_, is_signed ? constant->getSExtValue()
                           : static_cast<std::int64_t>(constant->getZExtValue()));
    auto& known = (is_signed ? signed_ : unsigned_)[value];
    if (known != nullptr) return known;
    auto* made = make(value, is_signed);
    // Making others may have moved the map's entries.
    return (is_signed ? signed_ : unsigned_)[value] = made;
  }

  llvm::IRBuilder<> after(llvm::Value* value) {
    auto* i = llvm::dyn_cast<llvm::Instruction>(value);
    if (i == nullptr) {
      auto& entry = code_.getEntryBlock();
      return {&entry, entry.getFirstInsertionPt()};
    }
    auto* block = i->getParent();
    return {block, llvm::isa<llvm::PHINode>(i) ? block->getFirstInsertionPt()
                                               : std::next(i->getIterator())};
  }

  llvm::Value* make(llvm::Value* value, bool is_signed) {
    if (auto* cut = llvm::dyn_cast<llvm::TruncInst>(value))
      if (cut->getSrcTy() == wide_ && is_index_like(cut->getOperand(0))) {
        narrowed_ = true;
        return cut->getOperand(0);
      }
    if (auto* cast = llvm::dyn_cast<llvm::CastInst>(value);
        cast != nullptr &&
        (llvm::isa<llvm::ZExtInst>(cast) || (is_signed && llvm::isa<llvm::SExtInst>(cast))))
      return after(cast).CreateCast(cast->getOpcode(), cast->getOperand(0), wide_);
    if (auto* select = llvm::dyn_cast<llvm::SelectInst>(value)) {
      auto* yes = widened(select->getTrueValue(), is_signed);
      auto* no = widened(select->getFalseValue(), is_signed);
      return after(select).CreateSelect(select->getCondition(), yes, no);
    }
    if (auto* extreme = llvm::dyn_cast<llvm::MinMaxIntrinsic>(value);
        extreme != nullptr && extreme->isSigned() == is_signed) {
      auto* a = widened(extreme->getLHS(), is_signed);
      auto* b = widened(extreme->getRHS(), is_signed);
      return after(extreme).CreateBinaryIntrinsic(extreme->getIntrinsicID(), a, b);
    }
    if (auto* phi = llvm::dyn_cast<llvm::PHINode>(value); phi != nullptr && is_signed)
      return make_phi(*phi);
    if (auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(value))
      if (commutes(*operation, is_signed)) {
        auto* a = widened(operation->getOperand(0), is_signed);
        auto* b = widened(operation->getOperand(1), is_signed);
        return after(operation).CreateBinOp(operation->getOpcode(), a, b);
      }
    return extended(value, is_signed);
  }

  /// Every value that a phi can have becomes wide where it is computed.
  llvm::Value* make_phi(llvm::PHINode& phi) {
    for (const llvm::Value* incoming : phi.incoming_values())
      if (const auto* step = llvm::dyn_cast<llvm::BinaryOperator>(incoming))
        if (!commutes(*step, true)) return extended(&phi, true);
    auto* result = llvm::PHINode::Create(wide_, phi.getNumIncomingValues(), "", phi.getIterator());
    signed_[&phi] = result;
    for (unsigned n = 0; n < phi.getNumIncomingValues(); ++n)
      result->addIncoming(widened(phi.getIncomingValue(n), true), phi.getIncomingBlock(n));
    return result;
  }

  llvm::Value* extended(llvm::Value* value, bool is_signed) {
    auto at = after(value);
    return is_signed ? at.CreateSExt(value, wide_) : at.CreateZExt(value, wide_);
  }

  /// Whether extending the operands gives the extended result. Signed numbers that overflow are
  /// undefined; unsigned ones wrap, and hashes count on it.
  static bool commutes(const llvm::BinaryOperator& operation, bool is_signed) {
    switch (operation.getOpcode()) {
      case llvm::Instruction::Add:
        if (!is_signed && is_small(operation.getOperand(1)))
          if (const auto* cut = llvm::dyn_cast<llvm::TruncInst>(operation.getOperand(0)))
            return is_index_like(cut->getOperand(0));
        [[fallthrough]];
      case llvm::Instruction::Sub:
      case llvm::Instruction::Mul:
      case llvm::Instruction::Shl:
        return is_signed ? operation.hasNoSignedWrap() : operation.hasNoUnsignedWrap();
      case llvm::Instruction::SDiv:
      case llvm::Instruction::SRem:
      case llvm::Instruction::AShr:
        return is_signed;
      case llvm::Instruction::UDiv:
      case llvm::Instruction::URem:
      case llvm::Instruction::LShr:
        return !is_signed;
      case llvm::Instruction::And:
      case llvm::Instruction::Or:
        return true;
      case llvm::Instruction::Xor:  // -1 - x
        return is_signed;
      default:
        return false;
    }
  }

  llvm::Function& code_;
  llvm::Type* wide_;
  bool narrowed_ = false;
  llvm::DenseMap<llvm::Value*, llvm::Value*> signed_, unsigned_;
};

}  // namespace

bool widen_indices(llvm::Function& code) { return widening(code).run(); }

}  // namespace pappus::compiler
