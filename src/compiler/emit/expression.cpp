#include "compiler/emit/expression.h"

#include <llvm/ADT/SmallString.h>
#include <llvm/Support/Error.h>

namespace pappus::compiler {

c_type integer_type(unsigned bits, bool is_signed) {
  return {c_type::kind::integer, bits, is_signed && bits > 1 && is_c_width(bits)};
}

c_type floating_type(unsigned bits) { return {c_type::kind::floating, bits, true}; }

bool is_c_width(unsigned bits) {
  return bits == 1 || bits == 8 || bits == 16 || bits == 32 || bits == 64;
}

unsigned storage_bits(unsigned bits) {
  return bits <= 8 ? 8 : bits <= 16 ? 16 : bits <= 32 ? 32 : 64;
}

std::string name_of(c_type type) {
  if (type.what == c_type::kind::floating) return type.bits == 32 ? "float" : "double";
  if (type.bits == 1) return "bool";
  const auto bits = storage_bits(type.bits);
  return std::string(type.is_signed ? "" : "u") + (bits == 8    ? "char"
                                                   : bits == 16 ? "short"
                                                   : bits == 32 ? "int"
                                                                : "long");
}

std::string operand(const expression& e, level least) {
  return e.binds < least ? "(" + e.text + ")" : e.text;
}

expression binary(const expression& a, const char* op, const expression& b, level binds,
                  c_type type) {
  level left = binds, right = static_cast<level>(static_cast<int>(binds) + 1);
  switch (binds) {
    case level::bitwise:
    case level::shift:
      left = right = level::unary;
      break;
    case level::equality:
    case level::relation:
      left = right = level::sum;
      break;
    case level::logical_or:
      right = level::equality;
      if (a.binds == level::logical_and || a.binds == level::bitwise) left = level::equality;
      break;
    case level::logical_and:
      right = level::equality;
      if (a.binds == level::bitwise) left = level::equality;
      break;
    default:
      break;
  }
  return {operand(a, left) + " " + op + " " + operand(b, right), binds, type};
}

expression call(const std::string& function, const std::string& arguments, c_type type) {
  return {function + "(" + arguments + ")", level::primary, type};
}

expression cast(c_type type, const expression& e) {
  return {"(" + name_of(type) + ")" + operand(e, level::unary), level::unary, type};
}

expression conditional(const expression& condition, const expression& a, const expression& b) {
  return {operand(condition, level::logical_or) + " ? " + operand(a, level::logical_or) + " : " +
              operand(b, level::logical_or),
          level::conditional, a.type};
}

expression negation(const expression& condition) {
  if (condition.text.front() == '!' && condition.binds >= level::unary) {
    const auto inner = condition.text.substr(1);
    return {inner, level::unary, condition.type};
  }
  return {"!" + operand(condition, level::unary), level::unary, condition.type};
}

expression integer_literal(const llvm::APInt& value, bool is_signed, bool bare) {
  const unsigned bits = value.getBitWidth();
  const auto type = integer_type(bits, is_signed);
  if (bits == 1) return {value.isZero() ? "false" : "true", level::primary, type};
  llvm::SmallString<24> digits;
  value.toString(digits, 10, type.is_signed);
  const bool small = type.is_signed ? value.getSignificantBits() <= 32 : value.isIntN(31);
  std::string suffix = storage_bits(bits) == 64 ? "l" : "";
  if (!type.is_signed && bits > 16) suffix = "u" + suffix;
  if (small && bare) suffix.clear();
  if (type.is_signed && value.isMinSignedValue() && bits >= 32) {
    // C has no negative literals: that of the least integer wouldn't fit before it is negated.
    llvm::SmallString<24> next;
    (value + 1).toString(next, 10, true);
    return {std::string(next.str()) + (bits == 64 ? "l" : "") + " - 1", level::sum, type};
  }
  const bool negative = type.is_signed && value.isNegative();
  return {std::string(digits.str()) + suffix, negative ? level::unary : level::primary, type};
}

std::string constant_float(const llvm::APFloat& value) {
  if (!value.isFinite()) return {};
  llvm::SmallString<32> digits;
  value.toString(digits, 0, 3);
  std::string text(digits.str());
  if (text.find_first_of(".E") == std::string::npos) text += ".0";
  // toString gives enough digits for a round trip; hexadecimal is exact by construction.
  llvm::APFloat back(value.getSemantics());
  auto status = back.convertFromString(text, llvm::APFloat::rmNearestTiesToEven);
  if (!status || !back.bitwiseIsEqual(value)) {
    if (!status) llvm::consumeError(status.takeError());
    char hex[64];
    value.convertToHexString(hex, 0, false, llvm::APFloat::rmNearestTiesToEven);
    text = hex;
  }
  return text + (&value.getSemantics() == &llvm::APFloat::IEEEsingle() ? "f" : "");
}

expression float_literal(const llvm::APFloat& value) {
  const bool single = &value.getSemantics() == &llvm::APFloat::IEEEsingle();
  const auto type = floating_type(single ? 32 : 64);
  auto text = constant_float(value);
  if (!text.empty()) {
    const bool negative = text.front() == '-';
    return {std::move(text), negative ? level::unary : level::primary, type};
  }
  const auto bits = value.bitcastToAPInt();
  llvm::SmallString<24> digits;
  bits.toString(digits, 16, false);
  return call(single ? "as_float" : "as_double",
              "0x" + std::string(digits.str()) + (single ? "u" : "ul"), type);
}

}  // namespace pappus::compiler
