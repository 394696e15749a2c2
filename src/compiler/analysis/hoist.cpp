#include "compiler/analysis/hoist.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>

namespace pappus::compiler {
namespace {

/// The place a load reads, if it is known before the function runs; no path: it isn't.
constant_load constant_place(const kernel_function& function, const llvm::LoadInst& load,
                             const std::vector<constant_load>& known) {
  const auto& layout = load.getModule()->getDataLayout();
  llvm::APInt offset(64, 0);
  const auto* root = load.getPointerOperand()->stripAndAccumulateConstantOffsets(
      layout, offset, /*AllowNonInbounds=*/true);
  constant_load result{nullptr, 0, {}};
  if (const auto* argument = llvm::dyn_cast<llvm::Argument>(root)) {
    const auto what = function.parameters[argument->getArgNo()].what;
    if (what != role::captures && what != role::shape) return result;
    result.parameter = argument->getArgNo();
  } else {
    const auto by = llvm::find_if(known, [&](const constant_load& k) { return k.value == root; });
    if (by == known.end()) return result;
    result.parameter = by->parameter;
    result.path = by->path;
  }
  result.path.push_back(offset.getSExtValue());
  return result;
}

}  // namespace

std::vector<constant_load> hoist_constants(const kernel_function& function, llvm::Function& code) {
  std::vector<constant_load> known;
  auto& entry = code.getEntryBlock();
  llvm::IRBuilder<> at(&entry, entry.getFirstInsertionPt());
  llvm::Instruction* last = nullptr;
  // A pointer that was found leads to more.
  for (bool changed = true; changed;) {
    changed = false;
    for (auto& i : llvm::make_early_inc_range(llvm::instructions(code))) {
      auto* load = llvm::dyn_cast<llvm::LoadInst>(&i);
      if (load == nullptr || !load->isSimple()) continue;
      if (llvm::any_of(known, [&](const constant_load& k) { return k.value == load; })) continue;
      auto place = constant_place(function, *load, known);
      if (place.path.empty()) continue;
      const auto same = llvm::find_if(known, [&](const constant_load& k) {
        return k.parameter == place.parameter && k.path == place.path &&
               k.value->getType() == load->getType();
      });
      if (same == known.end()) {
        if (last != nullptr) at.SetInsertPoint(last->getNextNode());
        llvm::APInt offset(64, 0);
        auto* root = load->getPointerOperand()->stripAndAccumulateConstantOffsets(
            code.getParent()->getDataLayout(), offset, true);
        auto* pointer = at.CreatePtrAdd(root, at.getInt(offset));
        place.value = at.CreateAlignedLoad(load->getType(), pointer, load->getAlign());
        last = place.value;
        load->replaceAllUsesWith(place.value);
        known.push_back(std::move(place));
      } else {
        load->replaceAllUsesWith(same->value);
      }
      load->eraseFromParent();
      changed = true;
    }
  }
  return known;
}

}  // namespace pappus::compiler
