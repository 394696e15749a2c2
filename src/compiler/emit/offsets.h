// How far from an object's begin a pointer is that a loop moves.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

#include <cstdint>
#include <memory>
#include <optional>

#include "compiler/analysis/analyses.h"

namespace pappus::compiler {

struct offset_range {
  std::int64_t low = 0, high = 0;  ///< bytes, both inclusive
};

class offsets {
 public:
  explicit offsets(llvm::Function& code);
  offsets(const offsets&) = delete;

  /// Of the pointer from `root` whenever `access` runs. Nothing: it doesn't follow from loops of
  /// constant length alone.
  std::optional<offset_range> of(const llvm::Value* pointer, const llvm::Value* root,
                                 const llvm::Instruction& access);

 private:
  llvm::Function& code_;
  std::unique_ptr<analyses> analyses_;
};

}  // namespace pappus::compiler
