#include "compiler/emit/references.h"

#include <llvm/IR/DataLayout.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>

#include <algorithm>
#include <map>
#include <optional>

#include "compiler/emit/spaces.h"

namespace pappus::compiler {
namespace {

// The bytes behind the root of `pointer` up to the end of what an access of `size` bytes through
// it may touch.
std::optional<std::int64_t> extent(const llvm::Value* pointer, std::int64_t size,
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
  return end;
}

// What an assumption says of a pointer: as many bytes are there.
std::int64_t assumed_size(const llvm::Use& use) {
  const auto* assumption = llvm::dyn_cast<llvm::AssumeInst>(use.getUser());
  if (!assumption) return 0;
  for (unsigned i = 0; i < assumption->getNumOperandBundles(); ++i) {
    const auto bundle = assumption->getOperandBundleAt(i);
    if (bundle.getTagName() != "dereferenceable" || bundle.Inputs.size() != 2 ||
        &bundle.Inputs[0] != &use) {
      continue;
    }
    if (const auto* size = llvm::dyn_cast<llvm::ConstantInt>(bundle.Inputs[1])) {
      return size->getSExtValue();
    }
  }
  return 0;
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

// Of the object behind a captured reference; 0: unknown.
std::int64_t object_size(const llvm::LoadInst& captured, const llvm::DataLayout& layout) {
  std::int64_t size = 0;
  for_uses_of_memory(&captured, [&](const llvm::Use& use) {
    const auto assumed = assumed_size(use);
    if (assumed == 0) return;
    // Of a part of the object, at a constant offset.
    const auto end = extent(use.get(), assumed, layout);
    if (end) size = std::max(size, *end);
  });
  return size;
}

}  // namespace

reference_sizes captured_references(const kernel_function& kernel) {
  const spaces where(kernel);
  const auto& layout = kernel.code->getParent()->getDataLayout();
  reference_sizes sizes;
  std::map<std::int64_t, reference> found;
  for (const auto* load : where.captured()) {
    const auto offset = *where.captured_at(load);
    auto& one = found.try_emplace(offset, reference{offset, 0, 1}).first->second;
    const auto whole = object_size(*load, layout);
    one.size = std::max(one.size, whole);
    for_uses_of_memory(load, [&](const llvm::Use& use) {
      const auto* user = llvm::cast<llvm::Instruction>(use.getUser());
      const auto bytes = bytes_read(use, layout);
      const auto end = bytes ? extent(use.get(), *bytes, layout) : std::nullopt;
      if (bytes == 0) return;
      if (end && *end >= 0) {
        one.size = std::max(one.size, *end);
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
