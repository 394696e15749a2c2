#include "compiler/analysis/wide_integers.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include <vector>

namespace pappus::compiler {
namespace {

constexpr unsigned word_bits = 64;

bool is_wide(const llvm::Type* type) { return type->isIntegerTy(2 * word_bits); }

bool has_wide_operand(const llvm::Instruction& i) {
  return llvm::any_of(i.operands(), [](const llvm::Use& use) { return is_wide(use->getType()); });
}

bool is_splittable_operation(const llvm::BinaryOperator& op) {
  switch (op.getOpcode()) {
    case llvm::Instruction::Add:
    case llvm::Instruction::Sub:
    case llvm::Instruction::Mul:
    case llvm::Instruction::And:
    case llvm::Instruction::Or:
    case llvm::Instruction::Xor:
      return true;
    case llvm::Instruction::Shl:
    case llvm::Instruction::LShr:
    case llvm::Instruction::AShr: {
      const auto* by = llvm::dyn_cast<llvm::ConstantInt>(op.getOperand(1));
      return by != nullptr && by->getValue().ult(2 * word_bits);
    }
    default:
      return false;
  }
}

bool is_splittable(const llvm::Instruction& i) {
  for (const auto& operand : i.operands())
    if (is_wide(operand->getType()) && llvm::isa<llvm::Constant>(operand) &&
        !llvm::isa<llvm::ConstantInt, llvm::UndefValue>(operand))
      return false;
  if (const auto* op = llvm::dyn_cast<llvm::BinaryOperator>(&i))
    return is_splittable_operation(*op);
  if (llvm::isa<llvm::ZExtInst, llvm::SExtInst>(i))
    return i.getOperand(0)->getType()->isIntegerTy() &&
           i.getOperand(0)->getType()->getIntegerBitWidth() <= word_bits;
  if (llvm::isa<llvm::TruncInst>(i)) return i.getType()->getIntegerBitWidth() <= word_bits;
  return llvm::isa<llvm::ICmpInst, llvm::PHINode, llvm::SelectInst, llvm::FreezeInst>(i);
}

/// What LLVM makes of comparisons and shifts, as these again; null: another function.
llvm::Value* spelled_out(llvm::IntrinsicInst& call) {
  llvm::IRBuilder<> at(&call);
  auto* const a = call.getArgOperand(0);
  const auto chosen = [&](llvm::ICmpInst::Predicate how) {
    auto* const b = call.getArgOperand(1);
    return at.CreateSelect(at.CreateICmp(how, a, b), a, b);
  };
  const auto joined = [&](bool left) -> llvm::Value* {
    const auto* by = llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(2));
    if (by == nullptr) return nullptr;
    const auto bits = by->getValue().urem(2 * word_bits);
    auto* const b = call.getArgOperand(1);
    if (bits == 0) return left ? a : b;
    const auto up = left ? bits : 2 * word_bits - bits;
    return at.CreateOr(at.CreateShl(a, up), at.CreateLShr(b, 2 * word_bits - up));
  };
  switch (call.getIntrinsicID()) {
    case llvm::Intrinsic::umin:
      return chosen(llvm::ICmpInst::ICMP_ULT);
    case llvm::Intrinsic::umax:
      return chosen(llvm::ICmpInst::ICMP_UGT);
    case llvm::Intrinsic::smin:
      return chosen(llvm::ICmpInst::ICMP_SLT);
    case llvm::Intrinsic::smax:
      return chosen(llvm::ICmpInst::ICMP_SGT);
    case llvm::Intrinsic::abs:
      return at.CreateSelect(at.CreateIsNeg(a), at.CreateNeg(a), a);
    case llvm::Intrinsic::fshl:
      return joined(true);
    case llvm::Intrinsic::fshr:
      return joined(false);
    default:
      return nullptr;
  }
}

void spell_out(llvm::Function& function) {
  for (auto& i : llvm::make_early_inc_range(llvm::instructions(function))) {
    auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&i);
    if (call == nullptr || !is_wide(call->getType())) continue;
    if (auto* const same = spelled_out(*call)) {
      call->replaceAllUsesWith(same);
      call->eraseFromParent();
    }
  }
}

struct words {
  llvm::Value *low, *high;
};

/// Puts instructions on words beside those of a function on wide integers, then removes these.
class splitter {
 public:
  explicit splitter(llvm::Function& function)
      : function_(function), word_(llvm::Type::getInt64Ty(function.getContext())) {}

  void run(const std::vector<llvm::Instruction*>& wide) {
    for (auto* i : wide)
      if (auto* phi = llvm::dyn_cast<llvm::PHINode>(i)) announce(*phi);
    // Operands come before what uses them, but for those of phis.
    for (auto* block : llvm::ReversePostOrderTraversal<llvm::Function*>(&function_))
      for (auto& i : llvm::make_early_inc_range(*block))
        if (is_wide(i.getType()) || has_wide_operand(i)) split(i);
    for (auto* i : wide)
      if (auto* phi = llvm::dyn_cast<llvm::PHINode>(i)) complete(*phi);
    for (auto* i : wide) {
      i->replaceAllUsesWith(llvm::PoisonValue::get(i->getType()));
      i->eraseFromParent();
    }
  }

 private:
  llvm::Value* word(std::uint64_t value) const { return llvm::ConstantInt::get(word_, value); }

  words of(llvm::Value* value) {
    if (const auto* number = llvm::dyn_cast<llvm::ConstantInt>(value))
      return {word(number->getValue().extractBitsAsZExtValue(word_bits, 0)),
              word(number->getValue().extractBitsAsZExtValue(word_bits, word_bits))};
    if (llvm::isa<llvm::PoisonValue>(value))
      return {llvm::PoisonValue::get(word_), llvm::PoisonValue::get(word_)};
    if (llvm::isa<llvm::UndefValue>(value)) return {word(0), word(0)};
    const auto found = split_.find(value);
    // Blocks that can't be reached aren't visited.
    return found != split_.end() ? found->second : words{word(0), word(0)};
  }

  void announce(llvm::PHINode& phi) {
    llvm::IRBuilder<> at(&phi);
    split_[&phi] = {at.CreatePHI(word_, phi.getNumIncomingValues()),
                    at.CreatePHI(word_, phi.getNumIncomingValues())};
  }

  void complete(llvm::PHINode& phi) {
    const auto made = split_[&phi];
    for (unsigned i = 0; i < phi.getNumIncomingValues(); ++i) {
      const auto in = of(phi.getIncomingValue(i));
      llvm::cast<llvm::PHINode>(made.low)->addIncoming(in.low, phi.getIncomingBlock(i));
      llvm::cast<llvm::PHINode>(made.high)->addIncoming(in.high, phi.getIncomingBlock(i));
    }
  }

  void split(llvm::Instruction& i) {
    if (llvm::isa<llvm::PHINode>(i)) return;
    llvm::IRBuilder<> at(&i);
    if (auto* op = llvm::dyn_cast<llvm::BinaryOperator>(&i)) {
      split_[&i] = operation(at, *op);
    } else if (llvm::isa<llvm::ZExtInst>(i)) {
      split_[&i] = {at.CreateZExt(i.getOperand(0), word_), word(0)};
    } else if (llvm::isa<llvm::SExtInst>(i)) {
      auto* const low = at.CreateSExt(i.getOperand(0), word_);
      split_[&i] = {low, at.CreateAShr(low, word_bits - 1)};
    } else if (auto* select = llvm::dyn_cast<llvm::SelectInst>(&i)) {
      const auto a = of(select->getTrueValue()), b = of(select->getFalseValue());
      split_[&i] = {at.CreateSelect(select->getCondition(), a.low, b.low),
                    at.CreateSelect(select->getCondition(), a.high, b.high)};
    } else if (llvm::isa<llvm::FreezeInst>(i)) {
      const auto a = of(i.getOperand(0));
      split_[&i] = {at.CreateFreeze(a.low), at.CreateFreeze(a.high)};
    } else if (auto* comparison = llvm::dyn_cast<llvm::ICmpInst>(&i)) {
      i.replaceAllUsesWith(compared(at, *comparison));
    } else {
      i.replaceAllUsesWith(at.CreateTrunc(of(i.getOperand(0)).low, i.getType()));
    }
  }

  words operation(llvm::IRBuilder<>& at, llvm::BinaryOperator& op) {
    const auto a = of(op.getOperand(0)), b = of(op.getOperand(1));
    switch (op.getOpcode()) {
      case llvm::Instruction::Add: {
        auto* const low = at.CreateAdd(a.low, b.low);
        auto* const carry = at.CreateZExt(at.CreateICmpULT(low, a.low), word_);
        return {low, at.CreateAdd(at.CreateAdd(a.high, b.high), carry)};
      }
      case llvm::Instruction::Sub: {
        auto* const borrow = at.CreateZExt(at.CreateICmpULT(a.low, b.low), word_);
        return {at.CreateSub(a.low, b.low), at.CreateSub(at.CreateSub(a.high, b.high), borrow)};
      }
      case llvm::Instruction::Mul: {
        auto* const crossed =
            at.CreateAdd(at.CreateMul(a.low, b.high), at.CreateMul(a.high, b.low));
        return {at.CreateMul(a.low, b.low), at.CreateAdd(upper_half(at, a.low, b.low), crossed)};
      }
      case llvm::Instruction::And:
      case llvm::Instruction::Or:
      case llvm::Instruction::Xor:
        return {at.CreateBinOp(op.getOpcode(), a.low, b.low),
                at.CreateBinOp(op.getOpcode(), a.high, b.high)};
      default:
        return shifted(at, op.getOpcode(), a, of_shift(op));
    }
  }

  static std::uint64_t of_shift(const llvm::BinaryOperator& op) {
    return llvm::cast<llvm::ConstantInt>(op.getOperand(1))->getZExtValue();
  }

  /// Of the product of two words, by halves of them (Knuth, volume 2, 4.3.1).
  llvm::Value* upper_half(llvm::IRBuilder<>& at, llvm::Value* a, llvm::Value* b) const {
    constexpr unsigned half_bits = word_bits / 2;
    const auto low = [&](llvm::Value* x) { return at.CreateAnd(x, 0xFFFFFFFFu); };
    const auto high = [&](llvm::Value* x) { return at.CreateLShr(x, half_bits); };
    auto *const a0 = low(a), *const a1 = high(a), *const b0 = low(b), *const b1 = high(b);
    auto* const first = at.CreateAdd(at.CreateMul(a1, b0), high(at.CreateMul(a0, b0)));
    auto* const second = at.CreateAdd(at.CreateMul(a0, b1), low(first));
    return at.CreateAdd(at.CreateAdd(at.CreateMul(a1, b1), high(first)), high(second));
  }

  words shifted(llvm::IRBuilder<>& at, llvm::Instruction::BinaryOps how, words a,
                std::uint64_t by) const {
    if (by == 0) return a;
    const bool left = how == llvm::Instruction::Shl;
    auto* const from = left ? a.low : a.high;  // its bits go to the other word
    auto* const to = left ? a.high : a.low;
    auto* const none =
        how == llvm::Instruction::AShr ? at.CreateAShr(a.high, word_bits - 1) : word(0);
    llvm::Value *near = none, *far = nullptr;
    if (by >= word_bits) {
      far = by == word_bits ? from : at.CreateBinOp(how, from, word(by - word_bits));
    } else {
      const auto back = left ? llvm::Instruction::LShr : llvm::Instruction::Shl;
      const auto on = left ? llvm::Instruction::Shl : llvm::Instruction::LShr;
      near = at.CreateBinOp(how, from, word(by));
      far = at.CreateOr(at.CreateBinOp(on, to, word(by)),
                        at.CreateBinOp(back, from, word(word_bits - by)));
    }
    return left ? words{near, far} : words{far, near};
  }

  llvm::Value* compared(llvm::IRBuilder<>& at, llvm::ICmpInst& comparison) {
    const auto a = of(comparison.getOperand(0)), b = of(comparison.getOperand(1));
    const auto how = comparison.getPredicate();
    auto* const same_high = at.CreateICmpEQ(a.high, b.high);
    if (comparison.isEquality()) {
      auto* const same = at.CreateAnd(at.CreateICmpEQ(a.low, b.low), same_high);
      return how == llvm::ICmpInst::ICMP_EQ ? same : at.CreateNot(same);
    }
    auto* const by_low = at.CreateICmp(llvm::ICmpInst::getUnsignedPredicate(how), a.low, b.low);
    return at.CreateSelect(same_high, by_low, at.CreateICmp(how, a.high, b.high));
  }

  llvm::Function& function_;
  llvm::IntegerType* word_;
  llvm::DenseMap<const llvm::Value*, words> split_;
};

}  // namespace

void split_wide_integers(llvm::Function& function) {
  spell_out(function);
  std::vector<llvm::Instruction*> wide;
  for (auto& i : llvm::instructions(function)) {
    if (!is_wide(i.getType()) && !has_wide_operand(i)) continue;
    if (!is_splittable(i)) return;
    wide.push_back(&i);
  }
  if (!wide.empty()) splitter(function).run(wide);
}

}  // namespace pappus::compiler
