#include "compiler/loops/split_records.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/Local.h>

#include <optional>
#include <vector>

namespace pappus::compiler {
namespace {

/// A vector of whole bytes an element: two, three or four, as records in registers are.
const llvm::FixedVectorType* small_vector(const llvm::Type* type) {
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  if (vector == nullptr || vector->getNumElements() > 4) return nullptr;
  const auto* element = vector->getElementType();
  return element->isFloatTy() || element->isDoubleTy() ? vector : nullptr;
}

std::optional<unsigned> constant_index(const llvm::Value* index) {
  const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(index);
  if (constant == nullptr) return std::nullopt;
  return static_cast<unsigned>(constant->getZExtValue());
}

/// The scalars that a vector is put together from; empty: not all are known.
llvm::SmallVector<llvm::Value*> parts_of(llvm::Value* vector) {
  const auto* type = small_vector(vector->getType());
  llvm::SmallVector<llvm::Value*> parts(type->getNumElements(), nullptr);
  while (auto* insert = llvm::dyn_cast<llvm::InsertElementInst>(vector)) {
    const auto index = constant_index(insert->getOperand(2));
    if (!index || *index >= parts.size()) return {};
    if (parts[*index] == nullptr) parts[*index] = insert->getOperand(1);
    vector = insert->getOperand(0);
  }
  if (llvm::is_contained(parts, nullptr)) return {};
  return parts;
}

void split(llvm::StoreInst& store) {
  if (!store.isSimple() || small_vector(store.getValueOperand()->getType()) == nullptr) return;
  const auto parts = parts_of(store.getValueOperand());
  llvm::IRBuilder<> at(&store);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto bytes = i * parts[i]->getType()->getPrimitiveSizeInBits() / 8;
    auto* to = at.CreateConstInBoundsGEP1_64(at.getInt8Ty(), store.getPointerOperand(), bytes);
    auto* part =
        at.CreateAlignedStore(parts[i], to, llvm::commonAlignment(store.getAlign(), bytes));
    part->setAAMetadata(store.getAAMetadata());
  }
  if (parts.empty()) return;
  auto* vector = store.getValueOperand();
  store.eraseFromParent();
  llvm::RecursivelyDeleteTriviallyDeadInstructions(vector);
}

void split(llvm::LoadInst& load) {
  const auto* type = small_vector(load.getType());
  const auto takes_part = [&](const llvm::User* user) {
    const auto* extract = llvm::dyn_cast<llvm::ExtractElementInst>(user);
    const auto index = extract ? constant_index(extract->getIndexOperand()) : std::nullopt;
    return index && *index < type->getNumElements();
  };
  if (type == nullptr || !load.isSimple() || !llvm::all_of(load.users(), takes_part)) return;
  llvm::IRBuilder<> at(&load);
  llvm::SmallVector<llvm::Value*> parts(type->getNumElements(), nullptr);
  for (auto* user : llvm::make_early_inc_range(load.users())) {
    auto* extract = llvm::cast<llvm::ExtractElementInst>(user);
    const auto index = *constant_index(extract->getIndexOperand());
    if (parts[index] == nullptr) {
      const auto bytes = index * type->getElementType()->getPrimitiveSizeInBits() / 8;
      auto* from = at.CreateConstInBoundsGEP1_64(at.getInt8Ty(), load.getPointerOperand(), bytes);
      auto* part = at.CreateAlignedLoad(type->getElementType(), from,
                                        llvm::commonAlignment(load.getAlign(), bytes));
      part->setAAMetadata(load.getAAMetadata());
      parts[index] = part;
    }
    extract->replaceAllUsesWith(parts[index]);
    extract->eraseFromParent();
  }
  load.eraseFromParent();
}

}  // namespace

void split_records(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  const auto& loops = analyses.getResult<llvm::LoopAnalysis>(function);
  std::vector<llvm::LoadInst*> loads;
  std::vector<llvm::StoreInst*> stores;
  for (auto& block : function) {
    const auto* loop = loops.getLoopFor(&block);
    if (loop == nullptr || !loop->isInnermost()) continue;
    for (auto& i : block) {
      if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&i)) loads.push_back(load);
      if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&i)) stores.push_back(store);
    }
  }
  for (auto* load : loads) split(*load);
  for (auto* store : stores) split(*store);
}

}  // namespace pappus::compiler
