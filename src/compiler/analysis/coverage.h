// Which elements a function is proven to write in every call, whatever its arguments.
#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>

#include <vector>

#include "compiler/analysis/accesses.h"
#include "compiler/analysis/regions.h"

namespace pappus::compiler {

class coverage {
 public:
  coverage(llvm::Function& code, llvm::LoopInfo& loops, llvm::ScalarEvolution& values)
      : code_(code), loops_(loops), values_(values) {}

  /// Whether every call of the function writes every byte of the elements that this access names:
  /// it, or another access in `all` to the same elements, is executed in every round of its loops.
  bool writes_all(const element_use& use, const std::vector<element_use>& all) const;

  /// Whether the regions of a launch's different indices neither overlap nor leave gaps.
  bool fills_box(const region& written) const;

 private:
  bool writes_bytes(const element_use& use, const std::vector<element_use>& all) const;
  bool names_all(const element_use& use) const;

  llvm::Function& code_;
  llvm::LoopInfo& loops_;
  llvm::ScalarEvolution& values_;
};

}  // namespace pappus::compiler
