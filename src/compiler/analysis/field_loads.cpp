#include "compiler/analysis/field_loads.h"

#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

namespace pappus::compiler {

std::optional<loaded> load_of(const kernel_function& function, const llvm::Value* value,
                              role from) {
  const auto* load = llvm::dyn_cast<llvm::LoadInst>(value);
  if (load == nullptr || load->isVolatile() || load->isAtomic()) return std::nullopt;
  const auto& layout = function.code->getParent()->getDataLayout();
  llvm::APInt offset(64, 0);
  const auto* base =
      load->getPointerOperand()->stripAndAccumulateConstantOffsets(layout, offset, true);
  const auto* argument = llvm::dyn_cast<llvm::Argument>(base);
  if (argument == nullptr || function.parameters[argument->getArgNo()].what != from)
    return std::nullopt;
  const auto bytes = layout.getTypeStoreSize(load->getType()).getFixedValue();
  return loaded{argument->getArgNo(), offset.getSExtValue(), static_cast<std::int64_t>(bytes)};
}

}  // namespace pappus::compiler
