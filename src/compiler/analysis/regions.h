// Boxes of elements, as formulas of a launch's index, and how several become few.
#pragma once

#include <llvm/Analysis/ScalarEvolution.h>

#include <vector>

namespace pappus::compiler {

/// Indices along one dimension, both inclusive; null: any.
struct slice {
  const llvm::SCEV *low = nullptr, *high = nullptr;
  bool linear = false;  ///< low and high are linear in the launch's index
  friend bool operator==(const slice&, const slice&) = default;
};

struct region {
  std::vector<slice> slices;  ///< none: any elements
  bool certain = true;        ///< every call touches all of it, whatever its arguments
};

/// Joins neighbouring regions and drops duplicates, so that a stencil is one region and not five.
/// \param exactly  true: the result names exactly the regions' elements; else small holes are
///                 filled: a longer list costs more than a few elements that aren't needed
void merge(std::vector<region>& regions, bool exactly, llvm::ScalarEvolution& values);

}  // namespace pappus::compiler
