#include <llvm/IR/Constants.h>
#include <llvm/Support/SaveAndRestore.h>

#include <algorithm>

#include "compiler/emit/leaves.h"
#include "compiler/emit/writer.h"

namespace pappus::compiler {
namespace {

// Instructions that read their integer as signed count one way, those that read it as unsigned the
// other; the rest takes either.
int vote(const llvm::Use& use) {
  const auto* user = llvm::dyn_cast<llvm::Instruction>(use.getUser());
  if (!user) return 0;
  if (const auto* compare = llvm::dyn_cast<llvm::ICmpInst>(user)) {
    return compare->isSigned() ? 1 : compare->isUnsigned() ? -1 : 0;
  }
  switch (user->getOpcode()) {
    case llvm::Instruction::SIToFP:
    case llvm::Instruction::SExt:
    case llvm::Instruction::SDiv:
    case llvm::Instruction::SRem:
    case llvm::Instruction::GetElementPtr:
      return 1;
    case llvm::Instruction::ZExt:
      return user->hasNonNeg() ? 1 : -1;
    case llvm::Instruction::UIToFP:
    case llvm::Instruction::UDiv:
    case llvm::Instruction::URem:
      return -1;
    case llvm::Instruction::AShr:
      return use.getOperandNo() == 0 ? 1 : 0;
    case llvm::Instruction::LShr:
    case llvm::Instruction::Shl:
      return use.getOperandNo() == 0 ? -1 : 0;
    case llvm::Instruction::Add:
    case llvm::Instruction::Sub:
    case llvm::Instruction::Mul:
      return llvm::cast<llvm::OverflowingBinaryOperator>(user)->hasNoSignedWrap() ? 1 : -1;
    default:
      return 0;
  }
}

}  // namespace

/// Where the parameter's records have names, the variable's is that of the pointer to them.
std::string writer::pointed_at(unsigned parameter, const std::string& variable,
                               const std::string& otherwise) {
  const auto known = pointers_.find(code_.getArg(parameter));
  if (known == pointers_.end()) return variable.empty() ? otherwise : variable;
  known->second.name = variable.empty() ? variables_.name(otherwise) : variable;
  return otherwise;
}

void writer::name_parameters() {
  unsigned inputs = 0, counts = 0;
  std::vector<std::string> sides;
  const auto called = [&](unsigned i, const std::string& otherwise) {
    auto variable = variables_.name_of(code_.getArg(i), 1);
    if (variable.empty() && pointers_.contains(code_.getArg(i)) && i < kernel_.names.size() &&
        !kernel_.names[i].empty())
      variable = variables_.name(identifier_of(kernel_.names[i]));
    return pointed_at(i, variable, otherwise);
  };
  for (unsigned i = 0; i < kernel_.parameters.size(); ++i) {
    auto& name = names_[code_.getArg(i)];
    switch (kernel_.parameters[i].what) {
      case role::captures:
        name = pointed_at(i, "", "captures");
        break;
      case role::input:
      case role::match:
        name = called(i, std::string(1, static_cast<char>('a' + inputs++)));
        break;
      case role::side:
        name = called(i, "side" + std::to_string(sides.size()));
        sides.push_back(name);
        break;
      case role::count:
        name = sides[counts++] + "_rows";
        break;
      case role::view:  // Such a function has footprints, and no device code.
      case role::shape:
        break;
      case role::index:
        name = "index";
        break;
      case role::state:
        name = pointed_at(i, "", "state");
        break;
      case role::output:
        name = pointed_at(i, "", "out");
        break;
    }
  }
}

// Positive: signed. Phis and selects pass on what their own users want.
int writer::sign_votes(const llvm::Value* value, int depth) {
  const auto found = signs_.find(value);
  if (found != signs_.end()) return found->second;
  signs_[value] = 0;  // phis in a circle ask each other
  int votes = 0;
  for (const auto& use : value->uses()) {
    votes += vote(use);
    const auto* user = use.getUser();
    if (depth < 4 && llvm::isa<llvm::PHINode, llvm::SelectInst>(user) &&
        user->getType() == value->getType()) {
      votes += sign_votes(user, depth + 1);
    }
  }
  return signs_[value] = std::clamp(votes, -1, 1);
}

bool writer::prefers_signed(const llvm::Value* value) {
  if (llvm::isa<llvm::Argument>(value)) return true;
  const int votes = sign_votes(value, 0);
  return votes != 0 ? votes > 0 : value->getType()->getScalarSizeInBits() > 8;
}

c_type writer::type_of(const llvm::Value* value, unsigned leaf) {
  auto* type = leaf_type(value->getType(), leaf);
  if (type->isFloatTy()) return floating_type(32);
  if (type->isDoubleTy()) {
    result_.doubles = true;
    return floating_type(64);
  }
  if (type->isIntegerTy()) {
    const auto bits = type->getIntegerBitWidth();
    if (bits > 64) reject(cause::int128);
    return integer_type(bits, leaf_count(value->getType()) == 1 && prefers_signed(value));
  }
  if (!type->isPointerTy()) {
    reject(type->isHalfTy() || type->isBFloatTy() ? cause::narrow_float : cause::long_double);
    return {};
  }
  if (!value->getType()->isPointerTy()) return integer_type(64, false);
  const auto what = spaces_.of(value).what;
  if (what == space::kind::number || what == space::kind::none) return integer_type(64, false);
  return {c_type::kind::pointer, 64, false};
}

std::string writer::name_of_value(const llvm::Value* value, unsigned leaf) {
  auto& name = names_[value];
  if (name.empty()) name = variables_.name_of(value, leaf_count(value->getType()));
  if (name.empty()) name = "v" + std::to_string(next_name_++);
  auto full = name;
  if (leaf_count(value->getType()) > 1) full += "_" + std::to_string(leaf);
  if (phis_read_ && llvm::isa<llvm::PHINode>(value)) phis_read_->insert(full);
  return full;
}

std::string writer::declared_type(const llvm::Value* value, unsigned leaf) {
  const auto type = type_of(value, leaf);
  if (type.what != c_type::kind::pointer) return name_of(type) + " ";
  const auto where = spaces_.of(value);
  if (where.what == space::kind::mixed) {
    reject(cause::mixed_memory, llvm::dyn_cast<llvm::Instruction>(value));
  }
  return where.qualifiers() + "uchar* ";
}

expression writer::value(const llvm::Value* value, unsigned leaf) {
  if (value->getType()->isPointerTy()) {
    if (llvm::isa<llvm::ConstantPointerNull, llvm::UndefValue>(value)) {
      return {"0", level::primary, integer_type(64, false)};
    }
    return pointer(value);
  }
  if (const auto* fixed = llvm::dyn_cast<llvm::Constant>(value)) return constant(fixed, leaf);
  if (const auto* instruction = llvm::dyn_cast<llvm::Instruction>(value)) {
    if (is_transparent(*instruction)) return transparent(*instruction, leaf);
    if (folding_.is_folded(*instruction)) return built(*instruction, leaf);
  }
  return {name_of_value(value, leaf), level::primary, type_of(value, leaf)};
}

expression writer::constant(const llvm::Constant* value, unsigned leaf) {
  auto* type = value->getType();
  while (leaf_count(type) != 1 || type->isAggregateType() || type->isVectorTy()) {
    // Descends into the element that holds the leaf.
    unsigned i = 0, before = 0;
    for (;; ++i) {
      const auto* inner = value->getAggregateElement(i);
      if (!inner) {
        reject(cause::unknown_code);
        return {"0"};
      }
      const auto count = leaf_count(inner->getType());
      if (leaf < before + count) {
        value = inner;
        break;
      }
      before += count;
    }
    leaf -= before;
    type = value->getType();
  }
  if (llvm::isa<llvm::UndefValue>(value)) value = llvm::Constant::getNullValue(type);
  if (const auto* number = llvm::dyn_cast<llvm::ConstantInt>(value)) {
    if (number->getBitWidth() > 64) {
      reject(cause::int128);
      return {"0"};
    }
    return integer_literal(number->getValue(), true);
  }
  if (const auto* number = llvm::dyn_cast<llvm::ConstantFP>(value)) {
    if (type->isDoubleTy()) result_.doubles = true;
    if (type->isDoubleTy() || type->isFloatTy()) return float_literal(number->getValueAPF());
    reject(type->isHalfTy() || type->isBFloatTy() ? cause::narrow_float : cause::long_double);
    return {"0"};
  }
  if (type->isPointerTy()) return this->value(value);
  reject(cause::address_as_number);
  return {"0"};
}

// Written where it is used: the leaf of another value, or an offset.
expression writer::transparent(const llvm::Instruction& value, unsigned leaf) {
  auto* type = value.getType();
  if (const auto* part = llvm::dyn_cast<llvm::ExtractValueInst>(&value)) {
    const auto* whole = part->getAggregateOperand();
    const auto first = first_leaf(whole->getType(), part->getIndices(), nullptr);
    return this->value(whole, first + leaf);
  }
  if (const auto* with = llvm::dyn_cast<llvm::InsertValueInst>(&value)) {
    const auto first = first_leaf(type, with->getIndices(), nullptr);
    const auto* inserted = with->getInsertedValueOperand();
    const auto count = leaf_count(inserted->getType());
    const bool within = leaf >= first && leaf < first + count;
    if (!within) return this->value(with->getAggregateOperand(), leaf);
    auto e = this->value(inserted, leaf - first);
    if (e.type.what == c_type::kind::pointer) reject(cause::keeps_address, &value);
    return e;
  }
  if (const auto* part = llvm::dyn_cast<llvm::ExtractElementInst>(&value)) {
    const auto index = llvm::cast<llvm::ConstantInt>(part->getIndexOperand())->getZExtValue();
    return this->value(part->getVectorOperand(), static_cast<unsigned>(index));
  }
  if (const auto* with = llvm::dyn_cast<llvm::InsertElementInst>(&value)) {
    const auto index = llvm::cast<llvm::ConstantInt>(with->getOperand(2))->getZExtValue();
    return leaf == index ? this->value(with->getOperand(1))
                         : this->value(with->getOperand(0), leaf);
  }
  if (const auto* shuffle = llvm::dyn_cast<llvm::ShuffleVectorInst>(&value)) {
    const int from = shuffle->getMaskValue(leaf);
    const auto width = leaf_count(shuffle->getOperand(0)->getType());
    if (from < 0) return constant(llvm::Constant::getNullValue(type), leaf);
    const auto number = static_cast<unsigned>(from);
    return number < width ? this->value(shuffle->getOperand(0), number)
                          : this->value(shuffle->getOperand(1), number - width);
  }
  // The address itself: of the host's pointers only. Differences are written by their subtraction.
  auto address = this->value(value.getOperand(0));
  if (address.type.what == c_type::kind::pointer) {
    reject(cause::address_as_number, &value);
    address.type = integer_type(64, false);
  }
  if (address.text == "0") return {"0ul", level::primary, integer_type(64, false)};
  return address;
}

expression writer::built(const llvm::Instruction& value, unsigned leaf) {
  if (const auto* op = llvm::dyn_cast<llvm::BinaryOperator>(&value)) {
    return op->getType()->isFPOrFPVectorTy() ? float_arithmetic(*op, leaf) : arithmetic(*op, leaf);
  }
  if (const auto* compare = llvm::dyn_cast<llvm::ICmpInst>(&value)) {
    return comparison(*compare, false, leaf);
  }
  if (const auto* compare = llvm::dyn_cast<llvm::FCmpInst>(&value)) {
    return float_comparison(*compare, false, leaf);
  }
  if (const auto* bits = llvm::dyn_cast<llvm::BitCastInst>(&value)) return bits_as(*bits, leaf);
  if (const auto* op = llvm::dyn_cast<llvm::CastInst>(&value)) return converted(*op, leaf);
  if (const auto* select = llvm::dyn_cast<llvm::SelectInst>(&value)) {
    return selected(*select, leaf);
  }
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&value)) {
    if (spaces_.captured_at(load)) return pointer(load);
    const llvm::SaveAndRestore<const llvm::Instruction*> position(current_, load);
    auto at = locate(load->getPointerOperand());
    const auto part = leaves_of(load->getType(), layout_)[leaf];
    at.offset += part.offset;
    const auto align = llvm::commonAlignment(load->getAlign(), part.offset).value();
    if (load->isVolatile() || load->isAtomic()) reject(cause::unknown_code, load);
    if (!may_follow(at, false)) return {"0", level::primary, type_of(load, leaf)};
    return loaded(at, part.type, type_of(load, leaf).is_signed, align);
  }
  if (const auto* extract = llvm::dyn_cast<llvm::ExtractElementInst>(&value)) {
    return element(*extract);
  }
  if (const auto* insert = llvm::dyn_cast<llvm::InsertElementInst>(&value)) {
    return with_element(*insert, leaf);
  }
  if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&value)) return called(*call, leaf);
  if (value.getOpcode() == llvm::Instruction::FNeg) {
    auto e = this->value(value.getOperand(0), leaf);
    return {"-" + operand(e, level::primary), level::unary, e.type};
  }
  if (llvm::isa<llvm::FreezeInst>(value)) return this->value(value.getOperand(0), leaf);
  if (llvm::isa<llvm::GetElementPtrInst>(value)) return pointer(&value);
  reject(cause::unknown_code, &value);
  return {"0", level::primary, type_of(&value, leaf)};
}

expression writer::condition(const llvm::Value* value, bool negated, unsigned leaf) {
  if (const auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
      instruction && folding_.is_folded(*instruction)) {
    if (const auto* compare = llvm::dyn_cast<llvm::ICmpInst>(instruction)) {
      return comparison(*compare, negated, leaf);
    }
    if (const auto* compare = llvm::dyn_cast<llvm::FCmpInst>(instruction)) {
      return float_comparison(*compare, negated, leaf);
    }
  }
  if (leaf_type(value->getType(), leaf)->isIntegerTy(1)) {
    auto e = this->value(value, leaf);
    return negated ? negation(e) : e;
  }
  reject(cause::unknown_code);
  return {"0"};
}

expression writer::selected(const llvm::SelectInst& select, unsigned leaf) {
  const auto* test = select.getCondition();
  const auto test_leaf = test->getType()->isVectorTy() ? leaf : 0;
  const auto* yes = select.getTrueValue();
  const auto* no = select.getFalseValue();
  const auto type = type_of(&select, leaf);
  if (type.bits == 1) {
    const auto* always = llvm::dyn_cast<llvm::ConstantInt>(yes);
    const auto* never = llvm::dyn_cast<llvm::ConstantInt>(no);
    if (never && never->isZero()) {
      return binary(condition(test, false, test_leaf), "&&", condition(yes, false, leaf),
                    level::logical_and, type);
    }
    if (always && always->isOne()) {
      return binary(condition(test, false, test_leaf), "||", condition(no, false, leaf),
                    level::logical_or, type);
    }
    if (always && always->isZero()) {
      return binary(condition(test, true, test_leaf), "&&", condition(no, false, leaf),
                    level::logical_and, type);
    }
    if (never && never->isOne()) {
      return binary(condition(test, true, test_leaf), "||", condition(yes, false, leaf),
                    level::logical_or, type);
    }
  }
  const bool is_integer =
      type.what == c_type::kind::integer && !leaf_type(select.getType(), leaf)->isPointerTy();
  const auto arm = [&](const llvm::Value* one) {
    return is_integer ? integer(one, type.is_signed, leaf) : value(one, leaf);
  };
  auto e = conditional(condition(test, false, test_leaf), arm(yes), arm(no));
  e.type = type;
  return e;
}

// Elements of other widths, joined or cut: the first is in the lowest bits.
expression writer::bits_as(const llvm::BitCastInst& bits, unsigned leaf) {
  const auto* from = bits.getOperand(0);
  if (bits.getType()->isPointerTy()) return value(from);
  auto* to_type = leaf_type(bits.getType(), leaf);
  const auto to = to_type->getPrimitiveSizeInBits().getFixedValue();
  const auto each = leaf_type(from->getType(), 0)->getPrimitiveSizeInBits().getFixedValue();
  const auto as_bits = [&](unsigned number) -> expression {
    auto e = value(from, number);
    if (e.type.what != c_type::kind::floating) return with_sign(e, false);
    return {bits_of_float(e), level::primary, integer_type(e.type.bits, false)};
  };
  const auto type = integer_type(static_cast<unsigned>(to), false);
  expression e;
  if (to <= each) {
    const auto at = leaf * to;
    e = as_bits(static_cast<unsigned>(at / each));
    if (to < each) {
      if (at % each != 0) {
        e = binary(e, ">>", {std::to_string(at % each)}, level::shift, e.type);
      }
      e = is_c_width(type.bits) && type.bits > 1 ? cast(type, e) : masked(e, type.bits);
      e.type = type;
    }
  } else {
    for (unsigned i = 0; i < to / each; ++i) {
      auto part = cast(type, as_bits(static_cast<unsigned>(leaf * to / each) + i));
      if (i == 0) {
        e = part;
        continue;
      }
      part = binary(part, "<<", {std::to_string(i * each)}, level::shift, type);
      e = binary(e, "|", part, level::bitwise, type);
    }
  }
  if (to_type->isFloatTy()) return call("as_float", e.text, floating_type(32));
  if (to_type->isDoubleTy()) return call("as_double", e.text, floating_type(64));
  return with_sign(e, type_of(&bits, leaf).is_signed);
}

expression writer::element(const llvm::ExtractElementInst& extract) {
  const auto* vector = extract.getVectorOperand();
  const auto index = integer(extract.getIndexOperand(), false);
  auto e = value(vector, leaf_count(vector->getType()) - 1);
  for (unsigned i = leaf_count(vector->getType()) - 1; i-- > 0;) {
    const auto test = binary(index, "==", {std::to_string(i)}, level::equality, {});
    e = conditional(test, value(vector, i), e);
  }
  return e;
}

expression writer::with_element(const llvm::InsertElementInst& insert, unsigned leaf) {
  const auto index = integer(insert.getOperand(2), false);
  const auto test = binary(index, "==", {std::to_string(leaf)}, level::equality, {});
  return conditional(test, value(insert.getOperand(1)), value(insert.getOperand(0), leaf));
}

}  // namespace pappus::compiler
