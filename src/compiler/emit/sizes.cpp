#include "compiler/emit/sizes.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include <vector>

namespace pappus::compiler {
namespace {

// Assumptions hinder optimisation a little: of bytes, whose size each load tells, and of local
// variables there are none.
constexpr std::uint64_t bytes_min = 2;

bool is_local(const llvm::Value* pointer) {
  return llvm::isa<llvm::AllocaInst>(pointer->stripInBoundsConstantOffsets());
}

/// N of std::span<T, N>::operator[]; 0: it is another function, or the number isn't fixed.
std::uint64_t extent_of(llvm::StringRef symbol) {
  if (!symbol.consume_front("_ZNKSt4spanI") || !symbol.consume_back("EEixEm")) return 0;
  std::uint64_t extent = 0;
  if (symbol.rsplit("Lm").second.getAsInteger(10, extent)) return 0;
  constexpr auto dynamic = ~std::uint64_t{0};
  return extent == dynamic ? 0 : extent;
}

/// What the subscripts of spans of fixed extent say of their memory.
void note_extents(llvm::Function& function) {
  const auto extent = extent_of(function.getName());
  if (extent == 0) return;
  const auto& layout = function.getParent()->getDataLayout();
  for (auto& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    auto* element = llvm::dyn_cast<llvm::GetElementPtrInst>(&instruction);
    if (element == nullptr || element->getNumIndices() != 1 || element->hasAllConstantIndices())
      continue;
    llvm::IRBuilder<> builder(element);
    const auto size = layout.getTypeAllocSize(element->getSourceElementType()).getFixedValue();
    llvm::Value* facts[] = {element->getPointerOperand(), builder.getInt64(size * extent)};
    builder.CreateAssumption(builder.getTrue(), llvm::OperandBundleDef("dereferenceable", facts));
  }
}

}  // namespace

void note_sizes(llvm::Module& module) {
  std::vector<llvm::CallBase*> calls;
  for (auto& function : module) {
    note_extents(function);
    for (auto& instruction : llvm::instructions(function)) {
      if (auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction)) calls.push_back(call);
    }
  }
  for (auto* call : calls) {
    llvm::IRBuilder<> builder(call);
    for (unsigned i = 0; i < call->arg_size(); ++i) {
      const auto bytes = call->getParamDereferenceableBytes(i);
      if (bytes < bytes_min || is_local(call->getArgOperand(i))) continue;
      llvm::Value* facts[] = {call->getArgOperand(i), builder.getInt64(bytes)};
      builder.CreateAssumption(builder.getTrue(), llvm::OperandBundleDef("dereferenceable", facts));
    }
  }
}

}  // namespace pappus::compiler
