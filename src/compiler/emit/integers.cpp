#include "compiler/emit/leaves.h"
#include "compiler/emit/writer.h"

namespace pappus::compiler {
namespace {

using opcode = llvm::Instruction::BinaryOps;

struct operation {
  const char* sign;
  level binds;
};

operation operation_of(unsigned code) {
  switch (code) {
    case opcode::Add:
      return {"+", level::sum};
    case opcode::Sub:
      return {"-", level::sum};
    case opcode::Mul:
      return {"*", level::product};
    case opcode::UDiv:
    case opcode::SDiv:
      return {"/", level::product};
    case opcode::URem:
    case opcode::SRem:
      return {"%", level::product};
    case opcode::Shl:
      return {"<<", level::shift};
    case opcode::LShr:
    case opcode::AShr:
      return {">>", level::shift};
    case opcode::And:
      return {"&", level::bitwise};
    case opcode::Or:
      return {"|", level::bitwise};
    default:
      return {"^", level::bitwise};
  }
}

bool is_shift(unsigned code) {
  return code == opcode::Shl || code == opcode::LShr || code == opcode::AShr;
}

bool is_bitwise(unsigned code) {
  return code == opcode::And || code == opcode::Or || code == opcode::Xor;
}

// A signed operation may overflow only where LLVM says that it doesn't.
bool is_signed_operation(const llvm::BinaryOperator& op) {
  switch (op.getOpcode()) {
    case opcode::SDiv:
    case opcode::SRem:
    case opcode::AShr:
      return true;
    case opcode::Add:
    case opcode::Sub:
    case opcode::Mul:
      return op.hasNoSignedWrap();
    default:
      return false;
  }
}

}  // namespace

// The least significant `bits`.
expression writer::masked(const expression& e, unsigned bits) {
  const auto mask = integer_literal(llvm::APInt::getLowBitsSet(storage_bits(bits), bits), false);
  auto result = binary(e, "&", mask, level::bitwise, integer_type(bits, false));
  return result;
}

expression writer::with_sign(const expression& e, bool is_signed) {
  const auto bits = e.type.bits;
  if (e.type.is_signed == is_signed) return e;
  if (bits == 1) {
    // -(int)true is -1, all bits set.
    return {"-(int)" + operand(e, level::unary), level::unary, integer_type(32, true)};
  }
  if (is_c_width(bits)) return cast(integer_type(bits, is_signed), e);
  const unsigned wide = bits <= 32 ? 32 : 64;
  const expression distance{std::to_string(wide - bits)};
  const auto up = binary(cast(integer_type(wide, false), e), "<<", distance, level::shift, {});
  return binary(cast(integer_type(wide, true), up), ">>", distance, level::shift,
                integer_type(wide, true));
}

expression writer::integer(const llvm::Value* value, bool is_signed, unsigned leaf, bool bare) {
  if (const auto* fixed = llvm::dyn_cast<llvm::Constant>(value)) {
    const auto* number = llvm::dyn_cast<llvm::ConstantInt>(fixed);
    if (!number && fixed->getType()->isVectorTy()) {
      number = llvm::dyn_cast_or_null<llvm::ConstantInt>(fixed->getAggregateElement(leaf));
    }
    const auto bits = leaf_type(value->getType(), leaf)->getScalarSizeInBits();
    if (bits > 64) {
      reject(cause::int128);
      return {"0"};
    }
    if (!number && !llvm::isa<llvm::UndefValue>(fixed)) return constant(fixed, leaf);
    auto bits_of = number ? number->getValue() : llvm::APInt(bits, 0);
    if (is_signed && (!is_c_width(bits) || bits == 1)) bits_of = bits_of.sext(bits <= 32 ? 32 : 64);
    return integer_literal(bits_of, is_signed, bare);
  }
  return with_sign(this->value(value, leaf), is_signed);
}

expression writer::logical(const llvm::BinaryOperator& op, unsigned leaf) {
  const auto type = integer_type(1, false);
  const auto* a = op.getOperand(0);
  const auto* b = op.getOperand(1);
  switch (op.getOpcode()) {
    case opcode::And:
    case opcode::Mul:
      return binary(condition(a, false, leaf), "&&", condition(b, false, leaf), level::logical_and,
                    type);
    case opcode::Or:
      return binary(condition(a, false, leaf), "||", condition(b, false, leaf), level::logical_or,
                    type);
    case opcode::Xor:
    case opcode::Add:
    case opcode::Sub:
      if (const auto* always = llvm::dyn_cast<llvm::ConstantInt>(b)) {
        return condition(a, always->isOne(), leaf);
      }
      return binary(condition(a, false, leaf), "!=", condition(b, false, leaf), level::equality,
                    type);
    default:
      // Divisions by and shifts of a bit leave it as it is, or are undefined.
      return condition(a, false, leaf);
  }
}

expression writer::arithmetic(const llvm::BinaryOperator& op, unsigned leaf) {
  const auto bits = leaf_type(op.getType(), leaf)->getIntegerBitWidth();
  if (bits > 64) {
    reject(cause::int128, &op);
    return {"0"};
  }
  if (bits == 1) return logical(op, leaf);
  if (op.getOpcode() == opcode::Sub && llvm::isa<llvm::PtrToIntOperator>(op.getOperand(0)) &&
      llvm::isa<llvm::PtrToIntOperator>(op.getOperand(1))) {
    return difference(op);
  }
  const bool odd = !is_c_width(bits);
  const bool divides = op.getOpcode() == opcode::SDiv || op.getOpcode() == opcode::SRem ||
                       op.getOpcode() == opcode::AShr;
  bool is_signed = is_signed_operation(op) && (!odd || divides);
  if (is_bitwise(op.getOpcode()) && !odd) {
    const auto* first = op.getOperand(llvm::isa<llvm::Constant>(op.getOperand(0)) ? 1 : 0);
    is_signed = value(first, leaf).type.is_signed;
  }

  auto [sign, binds] = operation_of(op.getOpcode());
  auto a = integer(op.getOperand(0), is_signed, leaf, !is_shift(op.getOpcode()));
  expression b;
  const auto* fixed = llvm::dyn_cast<llvm::ConstantInt>(op.getOperand(1));
  if (is_shift(op.getOpcode())) {
    b = integer(op.getOperand(1), false, leaf, true);
  } else if (fixed && op.getOpcode() == opcode::Add && fixed->isNegative() &&
             !fixed->isMinValue(true)) {
    sign = "-";
    b = integer_literal(-fixed->getValue(), is_signed, true);
  } else if (fixed && op.getOpcode() == opcode::Xor && fixed->isMinusOne() && !odd) {
    a = {"~" + operand(a, level::unary), level::unary, a.type};
    return bits < 32 ? cast(integer_type(bits, is_signed), a) : a;
  } else {
    b = integer(op.getOperand(1), is_signed, leaf, true);
  }
  // ushort promotes to int, whose product or shift may overflow.
  const bool grows = op.getOpcode() == opcode::Mul || op.getOpcode() == opcode::Shl;
  if (grows && storage_bits(bits) < 32 && !is_signed) a = cast(integer_type(32, false), a);

  const unsigned wide = bits <= 32 ? 32 : 64;
  auto e = binary(a, sign, b, binds, integer_type(bits, is_signed));
  if (op.getOpcode() == opcode::Sub && a.text == "0") {
    e = {"-" + operand(b, level::primary), level::unary, e.type};
  }
  if (odd) {
    if (is_bitwise(op.getOpcode()) || op.getOpcode() == opcode::LShr ||
        op.getOpcode() == opcode::UDiv || op.getOpcode() == opcode::URem) {
      return e;
    }
    if (is_signed) e = cast(integer_type(wide, false), e);
    return masked(e, bits);
  }
  const bool stays = is_bitwise(op.getOpcode()) || op.getOpcode() == opcode::LShr ||
                     op.getOpcode() == opcode::UDiv || op.getOpcode() == opcode::URem;
  if (bits < 32 && !stays) return cast(integer_type(bits, is_signed), e);
  return e;
}

// p - q, of pointers into one object.
expression writer::difference(const llvm::BinaryOperator& op) {
  const auto* p = llvm::cast<llvm::PtrToIntOperator>(op.getOperand(0))->getPointerOperand();
  const auto* q = llvm::cast<llvm::PtrToIntOperator>(op.getOperand(1))->getPointerOperand();
  const auto bits = op.getType()->getIntegerBitWidth();
  const auto a = value(p), b = value(q);
  const auto where = spaces_.of(p);
  if (bits != 64 || !spaces_.keep_distance(p, q)) {
    reject(cause::address_as_number, &op);
    return {"0"};
  }
  const auto number = where.what == space::kind::number || where.what == space::kind::none;
  auto e = binary(a, "-", b, level::sum, integer_type(64, false));
  return number ? e : cast(integer_type(64, true), e);
}

expression writer::comparison(const llvm::ICmpInst& compare, bool negated, unsigned leaf) {
  const auto predicate = negated ? compare.getInversePredicate() : compare.getPredicate();
  const auto* left = compare.getOperand(0);
  const auto* right = compare.getOperand(1);
  const char* sign = predicate == llvm::CmpInst::ICMP_EQ   ? "=="
                     : predicate == llvm::CmpInst::ICMP_NE ? "!="
                     : llvm::ICmpInst::isGT(predicate)     ? ">"
                     : llvm::ICmpInst::isGE(predicate)     ? ">="
                     : llvm::ICmpInst::isLT(predicate)     ? "<"
                                                           : "<=";
  const auto binds = compare.isEquality() ? level::equality : level::relation;
  const auto type = integer_type(1, false);
  if (left->getType()->isPointerTy()) {
    const bool apart = spaces_.are_apart(left, right);
    if (apart && compare.isEquality()) return {*sign == '!' ? "true" : "false"};
    if (apart || !spaces_.keep_distance(left, right)) reject(cause::address_as_number, &compare);
    return binary(value(left), sign, value(right), binds, type);
  }
  bool is_signed = compare.isSigned();
  if (compare.isEquality() && left->getType()->getScalarSizeInBits() != 1) {
    is_signed = integer_type(left->getType()->getScalarSizeInBits(),
                             llvm::isa<llvm::Constant>(left) || value(left, leaf).type.is_signed)
                    .is_signed;
  }
  if (compare.isEquality() && left->getType()->isIntegerTy(1) &&
      llvm::isa<llvm::ConstantInt>(right)) {
    const bool wants = llvm::cast<llvm::ConstantInt>(right)->isOne();
    return condition(left, wants != (predicate == llvm::CmpInst::ICMP_EQ), leaf);
  }
  const auto a = integer(left, is_signed, leaf, true), b = integer(right, is_signed, leaf, true);
  return binary(a, sign, b, binds, type);
}

expression writer::converted(const llvm::CastInst& op, unsigned leaf) {
  const auto* from = op.getOperand(0);
  auto* to = leaf_type(op.getType(), leaf);
  const bool to_double = to->isDoubleTy();
  switch (op.getOpcode()) {
    case llvm::Instruction::SExt:
    case llvm::Instruction::ZExt:
      return widened(op, leaf);
    case llvm::Instruction::Trunc:
      return narrowed(op, leaf);
    case llvm::Instruction::FPExt:
    case llvm::Instruction::FPTrunc:
      return cast(type_of(&op, leaf), value(from, leaf));
    case llvm::Instruction::UIToFP:
    case llvm::Instruction::SIToFP: {
      const bool is_signed = op.getOpcode() == llvm::Instruction::SIToFP;
      auto e = integer(from, is_signed, leaf);
      result_.doubles |= to_double;
      return cast(type_of(&op, leaf), e);
    }
    case llvm::Instruction::FPToUI:
    case llvm::Instruction::FPToSI: {
      const bool is_signed = op.getOpcode() == llvm::Instruction::FPToSI;
      const auto bits = to->getIntegerBitWidth();
      const auto e = value(from, leaf);
      if (bits > 64) {
        reject(cause::int128, &op);
        return {"0"};
      }
      if (is_c_width(bits) && bits != 1) return cast(integer_type(bits, is_signed), e);
      const auto number = cast(integer_type(storage_bits(bits), is_signed), e);
      if (bits == 1) return binary(number, "!=", {"0"}, level::equality, integer_type(1, false));
      return masked(cast(integer_type(storage_bits(bits), false), number), bits);
    }
    case llvm::Instruction::IntToPtr:
      return integer(from, false, leaf);
    default:
      reject(cause::unknown_code, &op);
      return {"0", level::primary, type_of(&op, leaf)};
  }
}

expression writer::widened(const llvm::CastInst& op, unsigned leaf) {
  const auto* from = op.getOperand(0);
  const auto bits = leaf_type(op.getType(), leaf)->getIntegerBitWidth();
  const auto from_bits = leaf_type(from->getType(), leaf)->getIntegerBitWidth();
  if (bits > 64) {
    reject(cause::int128, &op);
    return {"0"};
  }
  const bool extends_sign = op.getOpcode() == llvm::Instruction::SExt;
  // A number that isn't negative is the same either way.
  bool from_sign = extends_sign;
  if (!extends_sign && op.hasNonNeg() && is_c_width(from_bits)) {
    from_sign = value(from, leaf).type.is_signed;
  }
  const auto e = integer(from, from_sign, leaf);
  if (!is_c_width(bits)) {
    const auto wide = cast(integer_type(storage_bits(bits), false), e);
    auto result = extends_sign ? masked(wide, bits) : wide;
    result.type = integer_type(bits, false);
    return result;
  }
  // The sign of the result is free; the conversion keeps the bits.
  return cast(integer_type(bits, from_sign || prefers_signed(&op)), e);
}

expression writer::narrowed(const llvm::CastInst& op, unsigned leaf) {
  const auto bits = leaf_type(op.getType(), leaf)->getIntegerBitWidth();
  const auto* from = op.getOperand(0);
  if (leaf_type(from->getType(), leaf)->getIntegerBitWidth() > 64) {
    reject(cause::int128, &op);
    return {"0", level::primary, integer_type(bits, false)};
  }
  const auto e = integer(from, false, leaf);
  if (bits == 1) {
    const auto bit = binary(e, "&", {"1"}, level::bitwise, e.type);
    return binary({"(" + bit.text + ")"}, "!=", {"0"}, level::equality, integer_type(1, false));
  }
  if (is_c_width(bits)) {
    const auto original = value(from, leaf);
    return cast(integer_type(bits, type_of(&op, leaf).is_signed), original);
  }
  auto result = masked(cast(integer_type(storage_bits(bits), false), e), bits);
  return result;
}

}  // namespace pappus::compiler
