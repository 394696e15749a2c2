// Pieces of C text that know their precedence and type.
#pragma once

#include <llvm/ADT/APFloat.h>
#include <llvm/ADT/APInt.h>
#include <llvm/IR/Type.h>

#include <string>

namespace pappus::compiler {

/// Of C's types those that values have. Widths C lacks (i3, i24) live in the next wider unsigned
/// type with the bits above clear.
struct c_type {
  enum class kind { integer, floating, pointer };
  kind what = kind::integer;
  unsigned bits = 32;  ///< 1: bool
  bool is_signed = true;

  bool operator==(const c_type&) const = default;
};

c_type integer_type(unsigned bits, bool is_signed);
c_type floating_type(unsigned bits);
/// uint, float, ..: not for pointers, which need a space.
std::string name_of(c_type type);
/// Whether C has integers of just this width; bool counts.
bool is_c_width(unsigned bits);
/// The width of the C type that holds `bits`.
unsigned storage_bits(unsigned bits);

/// From what binds weakest to what binds strongest.
enum class level {
  conditional,
  logical_or,
  logical_and,
  bitwise,
  equality,
  relation,
  shift,
  sum,
  product,
  unary,
  primary
};

struct expression {
  std::string text;
  level binds = level::primary;
  /// Integers narrower than 32 bits may have a wider type in C; their value is in range.
  c_type type = {};
};

/// The text, in parentheses if it binds weaker than `least`.
std::string operand(const expression& e, level least);
/// `a op b`, parenthesised where C needs it and where readers do.
expression binary(const expression& a, const char* op, const expression& b, level binds,
                  c_type type);
expression call(const std::string& function, const std::string& arguments, c_type type);
expression cast(c_type type, const expression& e);
/// `condition ? a : b`, of a's type.
expression conditional(const expression& condition, const expression& a, const expression& b);
expression negation(const expression& condition);

/// \param bare  without suffix: where the other operand decides the type
expression integer_literal(const llvm::APInt& value, bool is_signed, bool bare = false);
/// Exact; infinities and NaNs through their bits.
expression float_literal(const llvm::APFloat& value);
/// As float_literal, where a constant expression is required; empty: none.
std::string constant_float(const llvm::APFloat& value);

}  // namespace pappus::compiler
