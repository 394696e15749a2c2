// Indices as text: "i-1", "2*i+1", "(i-low)/k".
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/Analysis/ScalarEvolution.h>

#include <functional>
#include <optional>
#include <string>

namespace pappus::compiler {

/// What is known before a launch, or is the launch's index (an argument), and what it is called.
using symbol_names = llvm::DenseMap<const llvm::Value*, std::string>;

/// C of 64-bit integers; none: it depends on something that has no name, or wraps around. The same
/// text for the same formula: terms have an order, those of the launch's index come first.
std::optional<std::string> text_of(const llvm::SCEV* formula, llvm::ScalarEvolution& values,
                                   const symbol_names& names);

/// Visits loops' counters (as recurrences) and values in a formula, also in what scalar evolution
/// has no formulas for, such as signed division.
/// \param visit  second: it is an operand of something that isn't linear
void each_part(const llvm::SCEV* formula, llvm::ScalarEvolution& values,
               const std::function<void(const llvm::SCEV*, bool)>& visit);

bool depends_on_loops(const llvm::SCEV* formula, llvm::ScalarEvolution& values);

}  // namespace pappus::compiler
