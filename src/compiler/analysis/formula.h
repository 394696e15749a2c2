// Indices as text: "i-1", "2*i+1", "(i-low)/k".
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/Analysis/ScalarEvolution.h>

#include <functional>
#include <optional>
#include <string>

namespace pappus::compiler {

/// Names for a launch's index (an argument of the function) and for values known before the launch.
using symbol_names = llvm::DenseMap<const llvm::Value*, std::string>;

/// A formula as a C expression of 64-bit integers. None: it depends on something without a name, or
/// may wrap around. Equal formulas have equal texts: terms are ordered, those with the launch's
/// index first.
std::optional<std::string> text_of(const llvm::SCEV* formula, llvm::ScalarEvolution& values,
                                   const symbol_names& names);

/// Visits loops' counters (as recurrences) and values in a formula, also in operands of what scalar
/// evolution has no formulas for, such as signed division.
/// \param visit  its second argument: whether this is an operand of something that isn't linear
void each_part(const llvm::SCEV* formula, llvm::ScalarEvolution& values,
               const std::function<void(const llvm::SCEV*, bool)>& visit);

bool depends_on_loops(const llvm::SCEV* formula, llvm::ScalarEvolution& values);

}  // namespace pappus::compiler
