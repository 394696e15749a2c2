#include "compiler/emit/references.h"

#include <llvm/IR/DataLayout.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>

#include <algorithm>
#include <map>
#include <optional>

#include "compiler/emit/spaces.h"

namespace pappus::compiler {
namespace {

struct reach {
  const llvm::Value* root;
  std::int64_t end;  // bytes behind it
};

// Up to where an access of `size` bytes through `pointer` may touch the object it is computed from.
std::optional<reach> reach_of(const llvm::Value* pointer, std::int64_t size,
                              const llvm::DataLayout& layout) {
  std::int64_t end = size;
  while (const auto* gep = llvm::dyn_cast<llvm::GEPOperator>(pointer)) {
    pointer = gep->getPointerOperand();
    llvm::APInt offset(64, 0);
    if (gep->accumulateConstantOffset(layout, offset)) {
      end += offset.getSExtValue();
      continue;
    }
    const auto* first = llvm::dyn_cast<llvm::ConstantInt>(gep->idx_begin()->get());
    if (!first || !first->isZero()) return std::nullopt;
    // Whatever comes after the first index stays within the object, and so does the access.
    end = static_cast<std::int64_t>(layout.getTypeAllocSize(gep->getSourceElementType()));
  }
  if (llvm::isa<llvm::PHINode, llvm::SelectInst>(pointer)) return std::nullopt;
  return reach{pointer, end};
}

// What a use reads, in bytes.
std::optional<std::int64_t> bytes_read(const llvm::Use& use, const llvm::DataLayout& layout) {
  const auto* user = use.getUser();
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(user)) {
    return static_cast<std::int64_t>(layout.getTypeStoreSize(load->getType()));
  }
  if (const auto* copy = llvm::dyn_cast<llvm::MemTransferInst>(user)) {
    const auto* length = llvm::dyn_cast<llvm::ConstantInt>(copy->getLength());
    if (!length) return std::nullopt;
    return length->getSExtValue();
  }
  if (llvm::isa<llvm::ICmpInst, llvm::PtrToIntInst, llvm::StoreInst, llvm::IntrinsicInst>(user)) {
    return 0;
  }
  return std::nullopt;
}

}  // namespace

void collect_sizes(kernel_function& kernel) {
  if (kernel.parameters.empty() || kernel.parameters.front().what != role::captures) return;
  const auto& layout = kernel.code->getParent()->getDataLayout();
  for (const auto& instruction : llvm::instructions(*kernel.code)) {
    const auto* assumption = llvm::dyn_cast<llvm::AssumeInst>(&instruction);
    if (!assumption) continue;
    for (unsigned i = 0; i < assumption->getNumOperandBundles(); ++i) {
      const auto bundle = assumption->getOperandBundleAt(i);
      if (bundle.getTagName() != "dereferenceable" || bundle.Inputs.size() != 2) continue;
      const auto* size = llvm::dyn_cast<llvm::ConstantInt>(bundle.Inputs[1]);
      if (!size) continue;
      // Of a part of the object, maybe, at an offset.
      const auto found = reach_of(bundle.Inputs[0], size->getSExtValue(), layout);
      const auto offset = found ? captured_offset(found->root, *kernel.code) : std::nullopt;
      if (!offset) continue;
      auto& known = kernel.captured_sizes[*offset];
      known = std::max(known, found->end);
    }
  }
}

reference_sizes captured_references(const kernel_function& kernel) {
  const spaces where(kernel);
  const auto& layout = kernel.code->getParent()->getDataLayout();
  reference_sizes sizes;
  std::map<std::int64_t, reference> found;
  const auto& noted = kernel.captured_sizes;
  for (const auto* load : where.captured()) {
    const auto offset = *where.captured_at(load);
    auto& one = found.try_emplace(offset, reference{offset, 0, 1}).first->second;
    const auto known = noted.find(offset);
    const std::int64_t whole = known == noted.end() ? 0 : known->second;
    one.size = std::max(one.size, whole);
    for_uses_of_memory(load, [&](const llvm::Use& use) {
      const auto* user = llvm::cast<llvm::Instruction>(use.getUser());
      const auto bytes = bytes_read(use, layout);
      const auto end = bytes ? reach_of(use.get(), *bytes, layout) : std::nullopt;
      if (bytes == 0) return;
      if (end && end->end >= 0) {
        one.size = std::max(one.size, end->end);
      } else if (whole == 0) {
        sizes.unknown.push_back(user);
      }
      if (const auto* access = llvm::dyn_cast<llvm::LoadInst>(user)) {
        one.align = std::max(one.align, static_cast<std::int32_t>(access->getAlign().value()));
      }
    });
  }
  for (const auto& [offset, one] : found) sizes.known.push_back(one);
  return sizes;
}

}  // namespace pappus::compiler
