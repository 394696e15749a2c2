#include "compiler/analysis/barriers.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>

#include <optional>
#include <vector>

namespace pappus::compiler {
namespace {

/// For each value that comes out, the one that goes in at the same place; none: there is one that
/// has no such place, or another type.
std::optional<std::vector<llvm::Value*>> values_through(const llvm::CallInst& call) {
  const auto constraints = llvm::cast<llvm::InlineAsm>(call.getCalledOperand())->ParseConstraints();
  std::vector<llvm::Value*> operands(constraints.size(), nullptr), through;
  unsigned next = 0;
  for (std::size_t i = 0; i < constraints.size(); ++i)
    if (constraints[i].hasArg()) operands[i] = call.getArgOperand(next++);
  for (const auto& c : constraints) {
    if (c.Type != llvm::InlineAsm::isOutput || c.isIndirect) continue;
    if (!c.hasMatchingInput()) return std::nullopt;
    through.push_back(operands[static_cast<std::size_t>(c.MatchingInput)]);
  }
  const auto* result = call.getType();
  const auto type_of = [&](std::size_t i) {
    const auto* several = llvm::dyn_cast<llvm::StructType>(result);
    return several != nullptr ? several->getElementType(static_cast<unsigned>(i)) : result;
  };
  for (std::size_t i = 0; i < through.size(); ++i)
    if (through[i]->getType() != type_of(i)) return std::nullopt;
  return through;
}

void drop(llvm::CallInst& call) {
  const auto* code = llvm::dyn_cast<llvm::InlineAsm>(call.getCalledOperand());
  if (code == nullptr || !llvm::StringRef(code->getAsmString()).trim().empty()) return;
  const auto through = values_through(call);
  if (!through) return;
  if (call.getType()->isStructTy()) {
    llvm::IRBuilder<> before(&call);
    llvm::Value* all = llvm::PoisonValue::get(call.getType());
    for (unsigned i = 0; i < through->size(); ++i)
      all = before.CreateInsertValue(all, (*through)[i], i);
    call.replaceAllUsesWith(all);
  } else if (!through->empty()) {
    call.replaceAllUsesWith(through->front());
  }
  call.eraseFromParent();
}

}  // namespace

void drop_barriers(llvm::Function& function) {
  for (auto& i : llvm::make_early_inc_range(llvm::instructions(function)))
    if (auto* call = llvm::dyn_cast<llvm::CallInst>(&i)) drop(*call);
}

}  // namespace pappus::compiler
