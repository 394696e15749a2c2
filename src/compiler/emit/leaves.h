// The scalars of a value: of a struct, array or vector all elements, of a scalar itself.
//
// Aggregates as values are rare after optimisation (results with an overflow bit, complex numbers).
// Each becomes one variable per scalar.
#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Type.h>

#include <cstdint>
#include <vector>

namespace pappus::compiler {

struct leaf {
  llvm::Type* type;
  std::int64_t offset;  ///< in memory
};

unsigned leaf_count(llvm::Type* type);
std::vector<leaf> leaves_of(llvm::Type* type, const llvm::DataLayout& layout);
/// The first leaf of the element that `indices` name, and its type.
unsigned first_leaf(llvm::Type* type, llvm::ArrayRef<unsigned> indices, llvm::Type** element);
/// The type of a leaf.
llvm::Type* leaf_type(llvm::Type* type, unsigned number);

}  // namespace pappus::compiler
