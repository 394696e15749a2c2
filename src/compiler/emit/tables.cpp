#include "compiler/emit/tables.h"

#include <llvm/IR/Constants.h>

#include <algorithm>
#include <cstring>

#include "compiler/emit/expression.h"
#include "compiler/emit/leaves.h"

namespace pappus::compiler {
namespace {

// OpenCL and CUDA guarantee 64 KiB of constant memory; a program's other functions need some, too.
constexpr std::uint64_t table_bytes_max = 48 << 10;

const llvm::Constant* element(const llvm::Constant* value, unsigned number) {
  return value->getAggregateElement(number);
}

// The scalar type of all leaves, or null: they differ, or padding lies between them.
llvm::Type* common_type(const std::vector<leaf>& leaves, std::uint64_t bytes,
                        const llvm::DataLayout& layout) {
  auto* type = leaves.empty() ? nullptr : leaves.front().type;
  if (!type ||
      !(type->isFloatTy() || type->isDoubleTy() ||
        (type->isIntegerTy() && is_c_width(type->getIntegerBitWidth()) && !type->isIntegerTy(1)))) {
    return nullptr;
  }
  const auto size = layout.getTypeStoreSize(type).getFixedValue();
  if (leaves.size() * size != bytes) return nullptr;
  for (const auto& one : leaves) {
    if (one.type != type) return nullptr;
  }
  return type;
}

std::string joined(const std::vector<std::string>& values) {
  std::string text;
  std::size_t column = 0;
  for (const auto& value : values) {
    if (!text.empty()) {
      text += column > 90 ? ",\n    " : ", ";
      if (column > 90) column = 0;
    }
    text += value;
    column += value.size() + 2;
  }
  return text;
}

llvm::APInt word(const std::uint8_t* bytes, unsigned size) {
  std::uint64_t value = 0;
  std::memcpy(&value, bytes, size);
  return {size * 8, value};
}

// As floats; empty where one has no literal.
std::vector<std::string> float_values(const std::uint8_t* bytes, std::uint64_t count,
                                      llvm::Type* type) {
  const unsigned size = type->isFloatTy() ? 4 : 8;
  std::vector<std::string> values;
  for (std::uint64_t i = 0; i < count; ++i) {
    const llvm::APFloat value(type->getFltSemantics(), word(bytes + i * size, size));
    auto text = constant_float(value);
    if (text.empty()) return {};
    values.push_back(std::move(text));
  }
  return values;
}

}  // namespace

bool bytes_of(const llvm::Constant* value, const llvm::DataLayout& layout, std::uint8_t* to) {
  auto* type = value->getType();
  if (llvm::isa<llvm::UndefValue, llvm::ConstantAggregateZero, llvm::ConstantPointerNull>(value)) {
    return true;
  }
  if (leaf_count(type) == 1 && !type->isAggregateType() && !type->isVectorTy()) {
    llvm::APInt bits;
    if (const auto* integer = llvm::dyn_cast<llvm::ConstantInt>(value)) {
      bits = integer->getValue();
    } else if (const auto* number = llvm::dyn_cast<llvm::ConstantFP>(value)) {
      bits = number->getValueAPF().bitcastToAPInt();
    } else {
      return false;
    }
    const auto size = layout.getTypeStoreSize(type).getFixedValue();
    std::memcpy(to, bits.getRawData(), std::min<std::uint64_t>(size, bits.getNumWords() * 8));
    return true;
  }
  unsigned count = 0;
  if (auto* record = llvm::dyn_cast<llvm::StructType>(type)) {
    count = record->getNumElements();
    for (unsigned i = 0; i < count; ++i) {
      const auto offset = layout.getStructLayout(record)->getElementOffset(i).getFixedValue();
      if (!bytes_of(element(value, i), layout, to + offset)) return false;
    }
    return true;
  }
  auto* inner = type->isArrayTy() ? type->getArrayElementType()
                                  : llvm::cast<llvm::FixedVectorType>(type)->getElementType();
  const auto step = layout.getTypeAllocSize(inner).getFixedValue();
  const auto all = type->isArrayTy() ? type->getArrayNumElements()
                                     : llvm::cast<llvm::FixedVectorType>(type)->getNumElements();
  for (std::uint64_t i = 0; i < all; ++i) {
    if (!bytes_of(element(value, static_cast<unsigned>(i)), layout, to + i * step)) return false;
  }
  return true;
}

std::string tables::name_of(const llvm::GlobalVariable& global, std::optional<cause>& why) {
  const auto found = names_.find(&global);
  if (found != names_.end()) return found->second;
  if (!global.isConstant() || !global.hasInitializer()) {
    why = cause::unknown_code;  // the analysis names it
    return {};
  }
  auto* type = global.getValueType();
  const auto bytes = layout_.getTypeAllocSize(type).getFixedValue();
  bytes_ += bytes;
  if (bytes_ > table_bytes_max) {
    why = cause::table_size;
    return {};
  }
  std::vector<std::uint8_t> memory((bytes + 7) / 8 * 8);
  if (!bytes_of(global.getInitializer(), layout_, memory.data())) {
    why = cause::table_pointers;
    return {};
  }

  const auto leaves = leaves_of(type, layout_);
  auto* common = common_type(leaves, bytes, layout_);
  std::vector<std::string> values;
  std::string element;
  if (common && common->isFloatingPointTy()) {
    values = float_values(memory.data(), leaves.size(), common);
    element = common->isFloatTy() ? "float" : "double";
    doubles_ |= common->isDoubleTy() && !values.empty();
  }
  if (values.empty()) {
    // Padding reads as zero. Words as wide as the accesses' alignment can be.
    const unsigned size = common ? static_cast<unsigned>(layout_.getTypeStoreSize(common)) : 8;
    element = compiler::name_of(integer_type(size * 8, false));
    for (std::uint64_t at = 0; at < bytes || at == 0; at += size) {
      values.push_back(integer_literal(word(memory.data() + at, size), false).text);
    }
  }
  auto name = "$f_table" + std::to_string(names_.size());
  text_ += "CONSTANT " + element + " " + name + "[" + std::to_string(values.size()) +
           "] = {\n    " + joined(values) + "};\n";
  return names_[&global] = name;
}

}  // namespace pappus::compiler
