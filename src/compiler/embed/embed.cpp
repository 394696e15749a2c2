#include "compiler/embed/embed.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

namespace pappus::compiler {

namespace {

/// A function that runs when the program or library starts or ends, and where to write it.
struct hook {
  llvm::Function* function;
  llvm::IRBuilder<> code;

  hook(llvm::Module& module, const char* name)
      : function(llvm::Function::createWithDefaultAttr(
            llvm::FunctionType::get(llvm::Type::getVoidTy(module.getContext()), false),
            llvm::Function::InternalLinkage, 0, name, &module)),
        code(llvm::BasicBlock::Create(module.getContext(), "", function)) {
    function->setDoesNotThrow();
  }

  /// variable = variable == from ? to : variable
  void replace(llvm::Value* variable, llvm::Constant* from, llvm::Constant* to) {
    auto* old = code.CreateLoad(from->getType(), variable);
    auto* is_from = code.CreateICmpEQ(old, from);
    code.CreateStore(code.CreateSelect(is_from, to, old), variable);
  }
};

}  // namespace

void embed(llvm::Module& module, const std::vector<described_slot>& slots) {
  constexpr int before_others = 101;  // The lowest number that isn't reserved.
  auto& context = module.getContext();
  hook begin(module, "pappus.describe_slots"), end(module, "pappus.forget_slots");
  auto* none = llvm::ConstantPointerNull::get(llvm::PointerType::getUnqual(context));
  for (const auto& slot : slots) {
    auto* text = llvm::ConstantDataArray::getString(context, slot.descriptor);
    auto* variable =
        new llvm::GlobalVariable(module, text->getType(), true, llvm::GlobalValue::PrivateLinkage,
                                 text, "pappus.descriptor");
    variable->setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::Global);
    variable->setAlignment(llvm::Align(1));
    begin.replace(slot.variable, none, variable);
    end.replace(slot.variable, variable, none);
  }
  begin.code.CreateRetVoid();
  end.code.CreateRetVoid();
  llvm::appendToGlobalCtors(module, begin.function, before_others);
  llvm::appendToGlobalDtors(module, end.function, before_others);
}

}  // namespace pappus::compiler
