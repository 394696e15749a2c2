#include "compiler/emit/leaves.h"

#include <llvm/IR/DerivedTypes.h>

namespace pappus::compiler {
namespace {

// An aggregate's elements; 0 for scalars.
std::uint64_t element_count(llvm::Type* type) {
  if (auto* record = llvm::dyn_cast<llvm::StructType>(type)) return record->getNumElements();
  if (auto* array = llvm::dyn_cast<llvm::ArrayType>(type)) return array->getNumElements();
  if (auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type)) return vector->getNumElements();
  return 0;
}

bool is_scalar(llvm::Type* type) {
  return !type->isStructTy() && !type->isArrayTy() && !llvm::isa<llvm::FixedVectorType>(type);
}

llvm::Type* element_type(llvm::Type* type, unsigned number) {
  if (auto* record = llvm::dyn_cast<llvm::StructType>(type)) return record->getElementType(number);
  if (auto* array = llvm::dyn_cast<llvm::ArrayType>(type)) return array->getElementType();
  return llvm::cast<llvm::VectorType>(type)->getElementType();
}

std::int64_t element_offset(llvm::Type* type, unsigned number, const llvm::DataLayout& layout) {
  if (auto* record = llvm::dyn_cast<llvm::StructType>(type)) {
    return static_cast<std::int64_t>(
        layout.getStructLayout(record)->getElementOffset(number).getFixedValue());
  }
  auto* element = element_type(type, number);
  // Vectors have no padding between elements, arrays may.
  const auto size =
      type->isVectorTy() ? layout.getTypeStoreSize(element) : layout.getTypeAllocSize(element);
  return static_cast<std::int64_t>(size.getFixedValue()) * number;
}

void append_leaves(llvm::Type* type, std::int64_t offset, const llvm::DataLayout& layout,
                   std::vector<leaf>& all) {
  if (is_scalar(type)) {
    all.push_back({type, offset});
    return;
  }
  for (unsigned i = 0; i < element_count(type); ++i) {
    append_leaves(element_type(type, i), offset + element_offset(type, i, layout), layout, all);
  }
}

}  // namespace

unsigned leaf_count(llvm::Type* type) {
  if (is_scalar(type)) return 1;
  if (!type->isStructTy()) {
    const auto count = static_cast<unsigned>(element_count(type));
    return count == 0 ? 0 : count * leaf_count(element_type(type, 0));
  }
  unsigned all = 0;
  for (unsigned i = 0; i < element_count(type); ++i) all += leaf_count(element_type(type, i));
  return all;
}

std::vector<leaf> leaves_of(llvm::Type* type, const llvm::DataLayout& layout) {
  std::vector<leaf> all;
  append_leaves(type, 0, layout, all);
  return all;
}

unsigned first_leaf(llvm::Type* type, llvm::ArrayRef<unsigned> indices, llvm::Type** element) {
  unsigned before = 0;
  for (const auto index : indices) {
    for (unsigned i = 0; i < index; ++i) before += leaf_count(element_type(type, i));
    type = element_type(type, index);
  }
  if (element) *element = type;
  return before;
}

llvm::Type* leaf_type(llvm::Type* type, unsigned number) {
  while (!is_scalar(type)) {
    for (unsigned i = 0;; ++i) {
      auto* element = element_type(type, i);
      const auto count = leaf_count(element);
      if (number < count) {
        type = element;
        break;
      }
      number -= count;
    }
  }
  return type;
}

}  // namespace pappus::compiler
