#include "compiler/emit/sizes.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include <vector>

namespace pappus::compiler {
namespace {

// Assumptions hinder optimisation a little: of bytes, whose size each load tells, and of local
// variables there are none.
constexpr std::uint64_t least_bytes = 2;

bool is_local(const llvm::Value* pointer) {
  return llvm::isa<llvm::AllocaInst>(pointer->stripInBoundsConstantOffsets());
}

}  // namespace

void note_sizes(llvm::Module& module) {
  std::vector<llvm::CallBase*> calls;
  for (auto& function : module) {
    for (auto& instruction : llvm::instructions(function)) {
      if (auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction)) calls.push_back(call);
    }
  }
  for (auto* call : calls) {
    llvm::IRBuilder<> builder(call);
    for (unsigned i = 0; i < call->arg_size(); ++i) {
      const auto bytes = call->getParamDereferenceableBytes(i);
      if (bytes < least_bytes || is_local(call->getArgOperand(i))) continue;
      llvm::Value* facts[] = {call->getArgOperand(i), builder.getInt64(bytes)};
      builder.CreateAssumption(builder.getTrue(), llvm::OperandBundleDef("dereferenceable", facts));
    }
  }
}

}  // namespace pappus::compiler
