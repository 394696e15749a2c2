#include <llvm/ADT/StringExtras.h>

#include "compiler/emit/helpers.h"
#include "compiler/emit/leaves.h"
#include "compiler/emit/writer.h"

namespace pappus::compiler {
namespace {

using predicate = llvm::CmpInst::Predicate;

const char* suffix_of(c_type type) { return type.bits == 32 ? "f" : ""; }

}  // namespace

expression writer::float_arithmetic(const llvm::BinaryOperator& op, unsigned leaf) {
  const auto type = type_of(&op, leaf);
  const auto a = value(op.getOperand(0), leaf), b = value(op.getOperand(1), leaf);
  switch (op.getOpcode()) {
    case llvm::Instruction::FAdd:
      return binary(a, "+", b, level::sum, type);
    case llvm::Instruction::FSub:
      return binary(a, "-", b, level::sum, type);
    case llvm::Instruction::FMul:
      return binary(a, "*", b, level::product, type);
    case llvm::Instruction::FDiv:
      return binary(a, "/", b, level::product, type);
    default:
      note_maths(*find_maths("fmod"), leaf_type(op.getType(), leaf));
      return call("fmod", a.text + ", " + b.text, type);
  }
}

// Unordered predicates are the negations of ordered ones, which a NaN makes false.
expression writer::float_comparison(const llvm::FCmpInst& compare, bool negated, unsigned leaf) {
  const auto type = integer_type(1, false);
  const auto which = negated ? compare.getInversePredicate() : compare.getPredicate();
  const auto a = value(compare.getOperand(0), leaf), b = value(compare.getOperand(1), leaf);
  const auto relation = [&](const char* sign) { return binary(a, sign, b, level::relation, type); };
  const auto itself = [&](const expression& e, const char* sign) {
    return binary(e, sign, e, level::equality, type);
  };
  const auto either = [&](const expression& one, const expression& other) {
    return binary(one, "||", other, level::logical_or, type);
  };
  const bool fixed = llvm::isa<llvm::Constant>(compare.getOperand(1));
  const bool same = fixed || compare.getOperand(0) == compare.getOperand(1);
  switch (which) {
    case predicate::FCMP_FALSE:
      return {"false", level::primary, type};
    case predicate::FCMP_TRUE:
      return {"true", level::primary, type};
    case predicate::FCMP_OEQ:
      return binary(a, "==", b, level::equality, type);
    case predicate::FCMP_UNE:
      return binary(a, "!=", b, level::equality, type);
    case predicate::FCMP_OLT:
      return relation("<");
    case predicate::FCMP_OLE:
      return relation("<=");
    case predicate::FCMP_OGT:
      return relation(">");
    case predicate::FCMP_OGE:
      return relation(">=");
    case predicate::FCMP_ULT:
      return negation(relation(">="));
    case predicate::FCMP_ULE:
      return negation(relation(">"));
    case predicate::FCMP_UGT:
      return negation(relation("<="));
    case predicate::FCMP_UGE:
      return negation(relation("<"));
    case predicate::FCMP_ONE:
      return either(relation("<"), relation(">"));
    case predicate::FCMP_UEQ:
      return negation(either(relation("<"), relation(">")));
    case predicate::FCMP_UNO:
      return same ? itself(a, "!=") : either(itself(a, "!="), itself(b, "!="));
    default:
      if (same) return itself(a, "==");
      return binary(itself(a, "=="), "&&", itself(b, "=="), level::logical_and, type);
  }
}

void writer::note_maths(const maths_function& function, const llvm::Type* type) {
  const bool complex = function.what == maths_function::shape::complex;
  maths_.insert(std::string(function.name) + (type->isFloatTy() && !complex ? "f" : ""));
}

std::string writer::bits_of_float(const expression& e) {
  return std::string(e.type.bits == 32 ? "as_uint" : "as_ulong") + "(" + e.text + ")";
}

/// Numbers come part by part, or as a vector of two floats.
expression writer::complex_call(const llvm::CallBase& call, const maths_function& function,
                                unsigned leaf) {
  std::vector<std::string> parts;
  for (const auto& argument : call.args()) {
    parts.push_back(value(argument, 0).text);
    if (argument->getType()->isVectorTy()) parts.push_back(value(argument, 1).text);
  }
  const bool single = call.getArgOperand(0)->getType()->getScalarType()->isFloatTy();
  const auto type = floating_type(single ? 32 : 64);
  const llvm::StringRef name = function.spelled;
  if (function.what == maths_function::shape::of_complex) {
    if (name == "atan2") std::swap(parts[0], parts[1]);
    return compiler::call(name.str(), llvm::join(parts, ", "), type);
  }
  parts.emplace_back(leaf == 0 ? "false" : "true");
  const auto text = name == "multiply" ? complex_product(type)
                    : name == "divide" ? complex_quotient(type)
                    : name == "root"   ? complex_root(type)
                                       : complex_exponential(type);
  return compiler::call(helper(name.str() + suffix_of(type), text), llvm::join(parts, ", "), type);
}

expression writer::maths_call(const llvm::CallBase& call, const maths_function& function,
                              unsigned leaf) {
  using shape = maths_function::shape;
  auto* type = call.getArgOperand(0)->getType();
  auto* scalar = type->getScalarType();
  note_maths(function, scalar);
  if (function.what == shape::complex || function.what == shape::of_complex)
    return complex_call(call, function, leaf);
  const unsigned vector_leaf = type->isVectorTy() ? leaf : 0;
  std::string arguments;
  for (unsigned i = 0; i < call.arg_size(); ++i) {
    const auto* argument = call.getArgOperand(i);
    if (i > 0) arguments += ", ";
    if (!argument->getType()->getScalarType()->isIntegerTy()) {
      arguments += value(argument, vector_leaf).text;
      continue;
    }
    const auto e = integer(argument, true, argument->getType()->isVectorTy() ? leaf : 0);
    // Beyond these exponents nothing changes any more.
    arguments += e.type.bits == 64 ? "(int)min(max(" + e.text + ", -99999l), 99999l)" : e.text;
  }
  const auto result =
      compiler::call(function.spelled, arguments, floating_type(scalar->isFloatTy() ? 32 : 64));
  switch (function.what) {
    case shape::to_int:
      return {result.text, result.binds, integer_type(32, true)};
    case shape::to_long:
      return cast(integer_type(leaf_type(call.getType(), leaf)->getIntegerBitWidth(), true),
                  result);
    default:
      return result;
  }
}

// A NaN if either is one, and -0 below 0.
expression writer::extreme(const llvm::CallBase& call, bool least, unsigned leaf) {
  const auto type = type_of(&call, leaf);
  const auto name = std::string(least ? "minimum" : "maximum") + suffix_of(type);
  return compiler::call(
      helper(name, ordered_extreme(type, least)),
      value(call.getArgOperand(0), leaf).text + ", " + value(call.getArgOperand(1), leaf).text,
      type);
}

expression writer::classified(const llvm::CallBase& call, unsigned leaf) {
  const auto e = value(call.getArgOperand(0), leaf);
  const auto mask = llvm::cast<llvm::ConstantInt>(call.getArgOperand(1))->getZExtValue();
  const auto type = floating_type(e.type.bits);
  const auto kind = compiler::call(helper(std::string("kind") + suffix_of(type), float_kind(type)),
                                   bits_of_float(e), {});
  return binary({"(" + kind.text + " & " + std::to_string(mask) + "u)"}, "!=", {"0"},
                level::equality, integer_type(1, false));
}

expression writer::saturated(const llvm::CallBase& call, bool is_signed, unsigned leaf) {
  const auto e = value(call.getArgOperand(0), leaf);
  const auto bits = leaf_type(call.getType(), leaf)->getIntegerBitWidth();
  if (bits > 64 || !is_c_width(bits) || bits == 1) {
    reject(cause::unknown_code, &call);
    return {"0"};
  }
  const auto to = integer_type(bits, is_signed);
  const auto name = "saturate_" + name_of(to) + suffix_of(e.type);
  return compiler::call(helper(name, saturating_conversion(e.type, to)), e.text, to);
}

}  // namespace pappus::compiler
