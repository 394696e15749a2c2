// The result is taken apart: `a && b` has become a bitwise and, a choice between b and false, or
// blocks of which one stores false. Of a value that must be true, or false, follows that others
// must be. What isn't understood says nothing, which is always right.
#include "compiler/analysis/comparisons.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallSet.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/ConstantRange.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PatternMatch.h>

#include <bit>

#include "compiler/analysis/block_facts.h"
#include "compiler/analysis/extract.h"
#include "compiler/analysis/field_loads.h"
#include "compiler/analysis/text_comparisons.h"

namespace pappus::compiler {
namespace {

namespace pattern = llvm::PatternMatch;
using llvm::Value;

bool has_whole_bytes(const llvm::Type* type) {
  return type->isIntegerTy(8) || type->isIntegerTy(16) || type->isIntegerTy(32) ||
         type->isIntegerTy(64);
}

const char* sign_of(llvm::CmpInst::Predicate predicate) {
  using llvm::CmpInst;
  switch (predicate) {
    case CmpInst::ICMP_EQ:
    case CmpInst::FCMP_OEQ:
      return "==";
    case CmpInst::ICMP_NE:
      return "!=";
    case CmpInst::ICMP_SLT:
    case CmpInst::ICMP_ULT:
    case CmpInst::FCMP_OLT:
      return "<";
    case CmpInst::ICMP_SLE:
    case CmpInst::ICMP_ULE:
    case CmpInst::FCMP_OLE:
      return "<=";
    case CmpInst::ICMP_SGT:
    case CmpInst::ICMP_UGT:
    case CmpInst::FCMP_OGT:
      return ">";
    case CmpInst::ICMP_SGE:
    case CmpInst::ICMP_UGE:
    case CmpInst::FCMP_OGE:
      return ">=";
    default:  // true of NaN, which nobody counts
      return nullptr;
  }
}

class finder {
 public:
  explicit finder(const kernel_function& function) : function_(function) {}

  std::vector<comparison> find() {
    if (auto* result = only_result(); result != nullptr && result->getType()->isIntegerTy(8))
      must_be(result, true);
    std::vector<comparison> known;
    for (auto& one : found_)
      if (!one.is_text || has_all(one, found_)) known.push_back(one);
    return known;
  }

 private:
  /// What is stored to the output, if that is done in one place.
  Value* only_result() {
    for (auto& argument : function_.code->args()) {
      if (function_.parameters[argument.getArgNo()].what != role::output) continue;
      if (!argument.hasOneUse()) return nullptr;
      auto* store = llvm::dyn_cast<llvm::StoreInst>(argument.user_back());
      return store == nullptr || store->getPointerOperand() != &argument ? nullptr
                                                                         : store->getValueOperand();
    }
    return nullptr;
  }

  /// The value is true (or else false), and what follows from that.
  void must_be(Value* value, bool is_true) {
    if (!seen_.insert({value, is_true}).second || add_sign(value, is_true)) return;
    Value *condition = nullptr, *first = nullptr, *second = nullptr;
    if (pattern::match(value, pattern::m_ZExt(pattern::m_Value(first))) ||
        pattern::match(value, pattern::m_Freeze(pattern::m_Value(first)))) {
      if (first->getType()->isIntegerTy(1)) must_be(first, is_true);
    } else if (pattern::match(value, pattern::m_Not(pattern::m_Value(first)))) {
      must_be(first, !is_true);
    } else if (value->getType()->isIntegerTy(1) && is_true &&
               pattern::match(value, pattern::m_LogicalAnd(pattern::m_Value(first),
                                                           pattern::m_Value(second)))) {
      must_be(first, true);
      must_be(second, true);
    } else if (value->getType()->isIntegerTy(1) && !is_true &&
               pattern::match(value, pattern::m_LogicalOr(pattern::m_Value(first),
                                                          pattern::m_Value(second)))) {
      must_be(first, false);
      must_be(second, false);
    } else if (pattern::match(
                   value, pattern::m_Select(pattern::m_Value(condition), pattern::m_Value(first),
                                            pattern::m_Value(second)))) {
      choice(condition, first, second, is_true);
    } else if (const auto* phi = llvm::dyn_cast<llvm::PHINode>(value)) {
      came_from(*phi, is_true);
    } else if (const auto* compare = llvm::dyn_cast<llvm::CmpInst>(value)) {
      add(*compare, is_true);
    } else if (const auto* call = llvm::dyn_cast<llvm::CallBase>(value)) {
      if (is_true && asks_text_of_category(*call)) add(category_comparison(function_, *call));
    } else if (const auto* narrowed = llvm::dyn_cast<llvm::TruncInst>(value)) {
      const bool whole =
          is_true || narrowed->hasNoUnsignedWrap() || is_bool(narrowed->getOperand(0));
      if (narrowed->getType()->isIntegerTy(1) && whole) add_flag(narrowed->getOperand(0), is_true);
    } else if (value->getType()->isIntegerTy(8)) {
      // The last bit of a bool is all of it; where others were dropped it may be none.
      if (is_true &&
          pattern::match(value, pattern::m_And(pattern::m_Value(first), pattern::m_SpecificInt(1))))
        value = first;
      add_flag(value, is_true);
    }
  }

  /// Whether the byte is 0 or 1: else its last bit doesn't tell whether it is 0.
  static bool is_bool(Value* byte) {
    const auto* load = llvm::dyn_cast<llvm::LoadInst>(byte);
    const auto* range = load != nullptr ? load->getMetadata(llvm::LLVMContext::MD_range) : nullptr;
    return range != nullptr && llvm::getConstantRangeFromMetadata(*range).getUnsignedMax().ult(2);
  }

  static bool is_constant(Value* value, bool truth) {
    const auto* number = llvm::dyn_cast<llvm::ConstantInt>(value);
    return number != nullptr && (number->getZExtValue() & 1) == (truth ? 1U : 0U);
  }

  void choice(Value* condition, Value* first, Value* second, bool is_true) {
    if (is_constant(first, !is_true)) {
      must_be(condition, false);
      must_be(second, is_true);
    } else if (is_constant(second, !is_true)) {
      must_be(condition, true);
      must_be(first, is_true);
    }
  }

  /// What is true wherever one of the values that may be it comes in.
  void came_from(const llvm::PHINode& phi, bool is_true) {
    std::optional<facts> common;
    for (unsigned i = 0; i < phi.getNumIncomingValues(); ++i) {
      if (is_constant(phi.getIncomingValue(i), !is_true)) continue;
      auto found = led_to(phi.getParent(), phi.getIncomingBlock(i));
      found.push_back({phi.getIncomingValue(i), is_true});
      common = common ? in_both(*common, found) : std::move(found);
    }
    if (!common) return;
    for (const auto& [value, truth] : *common) must_be(value, truth);
  }

  void add(const llvm::CmpInst& compare, bool is_true) {
    auto predicate = is_true ? compare.getPredicate() : compare.getInversePredicate();
    Value *field = compare.getOperand(0), *other = compare.getOperand(1);
    if (predicate == llvm::CmpInst::ICMP_EQ && add(text_comparison(function_, field, other)))
      return;
    if (add_few(field, predicate, other) || add(field, predicate, other)) return;
    add(other, llvm::CmpInst::getSwappedPredicate(predicate), field);
  }

  bool add(std::optional<comparison> made) {
    if (made) found_.push_back(std::move(*made));
    return made.has_value();
  }

  /// LLVM makes (x & -4) == -40 of -40 <= x && x < -36: there are as many as a power of two.
  bool add_few(Value* value, llvm::CmpInst::Predicate predicate, Value* first) {
    Value* field = nullptr;
    const llvm::APInt *mask = nullptr, *begin = nullptr;
    if (!llvm::CmpInst::isEquality(predicate) ||
        !pattern::match(value, pattern::m_And(pattern::m_Value(field), pattern::m_APInt(mask))) ||
        !pattern::match(first, pattern::m_APInt(begin)) || mask->getBitWidth() > 64 ||
        !mask->isNegatedPowerOf2())
      return false;
    comparison made;
    made.is = predicate == llvm::CmpInst::ICMP_EQ ? "<" : ">=";
    made.signed_order = false;
    if (!take_integer(field, made)) return false;
    const auto bits = begin->getBitWidth();
    made.addend =
        (llvm::APInt(bits, static_cast<std::uint64_t>(made.addend), true) - *begin).getSExtValue();
    made.value = (-*mask).getSExtValue();
    found_.push_back(std::move(made));
    return true;
  }

  bool add(Value* field, llvm::CmpInst::Predicate predicate, Value* other) {
    const auto* sign = sign_of(predicate);
    if (sign == nullptr) return false;
    comparison made;
    made.is = sign;
    made.floating = llvm::CmpInst::isFPPredicate(predicate);
    made.signed_order = llvm::CmpInst::isSigned(predicate);
    const bool known = made.floating ? take_float(field, made) && take_float_value(other, made)
                                     : take_integer(field, made) && take_integer_value(other, made);
    if (known) found_.push_back(std::move(made));
    return known;
  }

  bool take_field(Value* value, comparison& to) const {
    const auto found = load_of(function_, value, role::input);
    if (!found) return false;
    to.parameter = found->parameter;
    to.offset = found->offset;
    to.bytes = found->bytes;
    return true;
  }

  /// A field, perhaps extended, perhaps with something added.
  bool take_integer(Value* value, comparison& to) const {
    if (!has_whole_bytes(value->getType())) return false;
    to.bits = value->getType()->getIntegerBitWidth();
    Value* inner = nullptr;
    const llvm::APInt* addend = nullptr;
    if (pattern::match(value,
                       pattern::m_AddLike(pattern::m_Value(inner), pattern::m_APInt(addend)))) {
      to.addend = addend->getSExtValue();
      value = inner;
    }
    if (const auto* wide = llvm::dyn_cast<llvm::CastInst>(value);
        wide != nullptr && (llvm::isa<llvm::SExtInst>(wide) || llvm::isa<llvm::ZExtInst>(wide))) {
      to.sign_extended = llvm::isa<llvm::SExtInst>(wide);
      value = wide->getOperand(0);
    }
    return has_whole_bytes(value->getType()) && take_field(value, to);
  }

  bool take_integer_value(Value* value, comparison& to) const {
    if (const auto* number = llvm::dyn_cast<llvm::ConstantInt>(value)) {
      if (number->getBitWidth() > 64) return false;
      to.value = number->getSExtValue();
      return true;
    }
    std::vector<comparison::step> steps;
    while (value->getType()->isIntegerTy() && has_whole_bytes(value->getType())) {
      if (take_captured(value, to)) {
        to.captured->steps.assign(steps.rbegin(), steps.rend());
        return true;
      }
      const auto bits = value->getType()->getIntegerBitWidth();
      Value* inner = nullptr;
      const llvm::APInt* by = nullptr;
      if (pattern::match(value, pattern::m_AddLike(pattern::m_Value(inner), pattern::m_APInt(by))))
        steps.push_back({"add", by->getSExtValue(), bits});
      else if (pattern::match(value, pattern::m_Mul(pattern::m_Value(inner), pattern::m_APInt(by))))
        steps.push_back({"multiply", by->getSExtValue(), bits});
      else if (pattern::match(value, pattern::m_SExt(pattern::m_Value(inner))))
        steps.push_back({"sign", bits, bits});
      else if (pattern::match(value, pattern::m_ZExt(pattern::m_Value(inner))))
        steps.push_back({"zeros", bits, bits});
      else
        return false;
      value = inner;
    }
    return false;
  }

  bool take_captured(Value* value, comparison& to) const {
    const auto found = load_of(function_, value, role::captures);
    if (!found) return false;
    to.captured = {found->offset, found->bytes, {}};
    return true;
  }

  /// A double has all floats.
  static Value* before_widening(Value* value) {
    const auto* wide = llvm::dyn_cast<llvm::FPExtInst>(value);
    return wide != nullptr ? wide->getOperand(0) : value;
  }
  static bool is_float(Value* value) {
    return value->getType()->isFloatTy() || value->getType()->isDoubleTy();
  }

  bool take_float(Value* value, comparison& to) const {
    value = before_widening(value);
    return is_float(value) && take_field(value, to);
  }

  bool take_float_value(Value* value, comparison& to) const {
    value = before_widening(value);
    if (!is_float(value)) return false;
    if (const auto* number = llvm::dyn_cast<llvm::ConstantFP>(value)) {
      const double as_double = value->getType()->isFloatTy()
                                   ? number->getValueAPF().convertToFloat()
                                   : number->getValueAPF().convertToDouble();
      to.value = std::bit_cast<std::int64_t>(as_double);
      return true;
    }
    return take_captured(value, to);
  }

  /// The first bit of a number, which LLVM makes of x < 0 where that is stored; of ~x, of x >= 0.
  bool add_sign(Value* value, bool is_true) {
    if (auto* cast = llvm::dyn_cast<llvm::CastInst>(value);
        cast != nullptr && (llvm::isa<llvm::TruncInst>(cast) || llvm::isa<llvm::ZExtInst>(cast)))
      value = cast->getOperand(0);
    Value *number = nullptr, *inverted = nullptr;
    const llvm::APInt* by = nullptr;
    if (!pattern::match(value, pattern::m_LShr(pattern::m_Value(number), pattern::m_APInt(by))) ||
        *by != by->getBitWidth() - 1)
      return false;
    if (pattern::match(number, pattern::m_Not(pattern::m_Value(inverted)))) {
      number = inverted;
      is_true = !is_true;
    }
    comparison made;
    made.is = is_true ? "<" : ">=";
    if (take_integer(number, made)) found_.push_back(std::move(made));
    return true;
  }

  /// A byte that is a bool is 1, or it is 0.
  void add_flag(Value* byte, bool is_true) {
    comparison made;
    if (!byte->getType()->isIntegerTy(8) || !take_integer(byte, made) || made.addend != 0) return;
    made.signed_order = false;
    made.is = is_true ? "!=" : "==";
    found_.push_back(std::move(made));
  }

  const kernel_function& function_;
  std::vector<comparison> found_;
  llvm::SmallSet<std::pair<Value*, bool>, 16> seen_;
};

/// Whether nobody notices that memory was written: it is the function's own, or its result.
bool is_own(const kernel_function& function, const Value* pointer) {
  const auto* object = llvm::getUnderlyingObject(pointer);
  if (llvm::isa<llvm::AllocaInst>(object)) return true;
  const auto* argument = llvm::dyn_cast<llvm::Argument>(object);
  return argument != nullptr && function.parameters[argument->getArgNo()].what == role::output;
}

bool is_pure(const kernel_function& function, const llvm::CallBase& call) {
  if (const auto* transfer = llvm::dyn_cast<llvm::MemIntrinsic>(&call))
    return !transfer->isVolatile() && is_own(function, transfer->getDest());
  if (llvm::isa<llvm::IntrinsicInst>(call))
    return !call.mayWriteToMemory() || call.isLifetimeStartOrEnd() ||
           llvm::isa<llvm::AssumeInst>(call);
  if (asks_text_of_category(call)) return true;
  const auto* callee = call.getCalledFunction();
  if (callee == nullptr || !callee->isDeclaration()) return false;
  return llvm::is_contained({"memcmp", "bcmp", "strlen", "memchr"}, callee->getName());
}

}  // namespace

std::vector<comparison> comparisons_of(const kernel_function& function) {
  if (function.code->isDeclaration()) return {};
  return finder(function).find();
}

bool is_pure(const kernel_function& function) {
  if (function.code->isDeclaration()) return false;
  return llvm::all_of(llvm::instructions(*function.code), [&](const llvm::Instruction& one) {
    if (one.isVolatile() || one.isAtomic()) return false;
    if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&one))
      return is_own(function, store->getPointerOperand());
    if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&one)) return is_pure(function, *call);
    return !one.mayWriteToMemory();
  });
}

}  // namespace pappus::compiler
