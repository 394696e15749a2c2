// Constant tables: globals that never change become arrays in constant memory.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/GlobalVariable.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/analysis/reasons.h"

namespace pappus::compiler {

class tables {
 public:
  explicit tables(const llvm::DataLayout& layout) : layout_(layout) {}

  /// The name of the array, which is declared if it hasn't been yet. `why` is set where the global
  /// can't be one.
  std::string name_of(const llvm::GlobalVariable& global, std::optional<cause>& why);
  /// Declarations, in the order in which they were asked for.
  const std::string& text() const { return text_; }
  /// Whether a double stands among them.
  bool doubles() const { return doubles_; }

 private:
  const llvm::DataLayout& layout_;
  llvm::DenseMap<const llvm::GlobalVariable*, std::string> names_;
  std::uint64_t bytes_ = 0;
  bool doubles_ = false;
  std::string text_;
};

/// The bytes of a constant as they stand in memory; false where it holds addresses.
bool bytes_of(const llvm::Constant* value, const llvm::DataLayout& layout, std::uint8_t* to);

}  // namespace pappus::compiler
