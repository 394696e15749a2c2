// From scalar evolution's formulas to the library's: "i-1", "2*i+1", "(i-low)/k".
//
// Scalar evolution computes modulo 2^64 and has unsigned division, minimum and maximum alone where
// C++ meant them or operands aren't negative; the library's numbers have signs and don't wrap
// around. So what is unsigned is translated only where operands can't be negative (is_natural), or
// where it doesn't matter, since nothing is accessed then.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/Analysis/ScalarEvolution.h>

#include <functional>
#include <optional>

#include "compiler/analysis/known_values.h"
#include "regions/expression.h"

namespace pappus::compiler {

class formulas {
 public:
  formulas(llvm::ScalarEvolution& values, const known_values& known)
      : values_(values), known_(known) {}

  /// The number of a loop's last round, which may be a part of formulas from now on: if it is
  /// negative there are no rounds, whatever formulas say.
  void add_rounds(const llvm::SCEV* last);

  /// Of an index. None: it depends on something that isn't known, or has too many terms. Equal
  /// formulas become equal: terms are ordered, those with the launch's index first.
  std::optional<regions::expression> of(const llvm::SCEV* formula) const;

  /// Whether it is known not to be negative. The launch's index and numbers of 64 bits that are
  /// known at launch aren't: it is asked of what is computed with as unsigned.
  bool is_natural(const llvm::SCEV* formula) const;

 private:
  bool find_natural(const llvm::SCEV* formula) const;

  llvm::ScalarEvolution& values_;
  const known_values& known_;
  llvm::DenseSet<const llvm::SCEV*> rounds_;
  mutable llvm::DenseMap<const llvm::SCEV*, bool> natural_;  // asked before
};

/// Visits loops' counters (as recurrences) and values in a formula, also in operands of what scalar
/// evolution has no formulas for, such as signed division.
/// \param visit  its second argument: whether this is an operand of something that isn't linear
void each_part(const llvm::SCEV* formula, llvm::ScalarEvolution& values,
               const std::function<void(const llvm::SCEV*, bool)>& visit);

bool depends_on_loops(const llvm::SCEV* formula, llvm::ScalarEvolution& values);

}  // namespace pappus::compiler
