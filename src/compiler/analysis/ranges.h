// From the arguments of an access to the elements that it reaches: loops' counters give way to
// their first and last values.
#pragma once

#include <llvm/Analysis/ScalarEvolution.h>

#include <vector>

#include "compiler/analysis/accesses.h"
#include "compiler/analysis/formula.h"
#include "compiler/analysis/regions.h"

namespace pappus::compiler {

/// The lowest or highest value that a formula has where `code` runs; null: not known.
const llvm::SCEV* extreme(const llvm::SCEV* formula, bool highest, const llvm::BasicBlock& code,
                          llvm::ScalarEvolution& values);

/// The regions that an access reaches: several where the function chooses between indices; none
/// where nothing is known of any index.
std::vector<region> ranges_of(const element_use& use, llvm::ScalarEvolution& values,
                              const formulas& all);

/// By how much a formula grows when an index grows by one; null: not always by the same.
const llvm::SCEV* coefficient(const llvm::SCEV* formula, const llvm::Argument& index,
                              llvm::ScalarEvolution& values);

/// Whether a formula is linear in the launch's index, whatever else is in it.
bool is_linear(const llvm::SCEV* formula, const llvm::Function& code,
               llvm::ScalarEvolution& values);

}  // namespace pappus::compiler
