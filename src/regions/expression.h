// Formulas of a launch's index: i-w, 2*i+1, (i-low)/k, min(i+1,n-1).
//
// A formula is prefix code, one term after the other: "+ i0 * 2 s1" is index 0 plus twice symbol 1.
// It lies in one piece, without pointers, can be compared with ==, and is evaluated from its end to
// its beginning with a stack of intermediate results (evaluate.h). Considered: trees of nodes,
// which are allocated one by one and say no more; C, which takes a grammar to read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/small_list.h"

namespace pappus::regions {

/// What formulas call indices and symbols. Beyond the lists they are called by their codes: i0, s1.
struct formula_names {
  std::span<const std::string> indices, symbols;
};

/// Leaves, then what takes two operands. Division, % and shifts are C++'s.
enum class operation : std::int32_t {
  constant,
  index,   ///< the launch's, in one dimension
  symbol,  ///< a value that is known at launch
  add,
  subtract,
  multiply,
  divide,
  modulo,
  least,
  greatest,
  shift_left,
  shift_right,
  bits_and,
  bits_or,
  bits_xor,
};
/// Of prefix code.
struct term {
  operation what = operation::constant;
  std::int64_t value = 0;  ///< of a constant; the number of an index or a symbol
  friend bool operator==(const term&, const term&) = default;
};

class expression {
 public:
  expression() : expression(0) {}
  expression(std::int64_t constant) { terms_.push_back({operation::constant, constant}); }
  static expression index(std::size_t dimension);
  static expression symbol(std::size_t number);
  /// \param what  no leaf
  static expression of(operation what, const expression& a, const expression& b);

  std::span<const term> terms() const noexcept { return {terms_.data(), terms_.size()}; }
  bool mentions_index() const noexcept;

  /// Of an operation, which the first of the terms is.
  std::pair<expression, expression> operands() const;

  /// With values in the places of symbols; those beyond the list stay.
  expression with(std::span<const std::int64_t> symbols) const;
  /// With other symbols, by the numbers they have; those beyond the list stay.
  expression renumbered(std::span<const std::size_t> symbols) const;

  /// "+ i0 -1", which `parse` reads.
  std::string code() const;
  /// None: it isn't what `code` writes, or has more than 1000 terms. The code may come from
  /// elsewhere.
  static std::optional<expression> parse(std::string_view code);

  friend bool operator==(const expression&, const expression&) = default;

 private:
  base::small_list<term, 6> terms_;
};

inline expression operator+(const expression& a, const expression& b) {
  return expression::of(operation::add, a, b);
}
inline expression operator-(const expression& a, const expression& b) {
  return expression::of(operation::subtract, a, b);
}
inline expression operator*(const expression& a, const expression& b) {
  return expression::of(operation::multiply, a, b);
}
inline expression operator/(const expression& a, const expression& b) {
  return expression::of(operation::divide, a, b);
}
inline expression operator%(const expression& a, const expression& b) {
  return expression::of(operation::modulo, a, b);
}

/// As C writes it, with no more parentheses than it takes: "i-1", "2*(i+j)", "min(i+1,n-1)".
std::string text(const expression& formula, const formula_names& names);

}  // namespace pappus::regions
