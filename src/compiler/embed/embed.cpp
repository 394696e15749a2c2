#include "compiler/embed/embed.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

namespace pappus::compiler {

void embed(llvm::Module& module, const std::vector<described_slot>& slots) {
  constexpr int before_others = 101;  // The lowest number that isn't reserved.
  auto& context = module.getContext();
  auto* constructor = llvm::Function::createWithDefaultAttr(
      llvm::FunctionType::get(llvm::Type::getVoidTy(context), false),
      llvm::Function::InternalLinkage, 0, "pappus.describe_slots", &module);
  constructor->setDoesNotThrow();
  llvm::IRBuilder<> code(llvm::BasicBlock::Create(context, "", constructor));
  for (const auto& slot : slots) {
    auto* text = llvm::ConstantDataArray::getString(context, slot.descriptor);
    auto* variable =
        new llvm::GlobalVariable(module, text->getType(), true, llvm::GlobalValue::PrivateLinkage,
                                 text, "pappus.descriptor");
    variable->setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::Global);
    variable->setAlignment(llvm::Align(1));
    code.CreateStore(variable, slot.variable);
  }
  code.CreateRetVoid();
  llvm::appendToGlobalCtors(module, constructor, before_others);
}

}  // namespace pappus::compiler
