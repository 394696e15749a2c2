#include "compiler/emit/references.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>
#include <llvm/IR/PatternMatch.h>

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

// Up to where an access of `size` bytes through `pointer` may touch the object that it is an offset
// into; that may be a choice between several.
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
  return reach{pointer, end};
}

// The same of one of several objects it may be; none: it isn't, or may be anywhere in a loop.
std::optional<std::int64_t> end_in(const llvm::Value* object, const llvm::Value* pointer,
                                   std::int64_t size, const llvm::DataLayout& layout,
                                   llvm::SmallPtrSetImpl<const llvm::Value*>& open) {
  const auto found = reach_of(pointer, size, layout);
  if (!found) return std::nullopt;
  if (found->root == object) return found->end;
  llvm::SmallVector<const llvm::Value*, 4> choices;
  if (const auto* phi = llvm::dyn_cast<llvm::PHINode>(found->root))
    choices.append(phi->value_op_begin(), phi->value_op_end());
  else if (const auto* select = llvm::dyn_cast<llvm::SelectInst>(found->root))
    choices = {select->getTrueValue(), select->getFalseValue()};
  if (!open.insert(found->root).second) return std::nullopt;
  std::optional<std::int64_t> end;
  for (const auto* choice : choices) {
    if (!roots_of(choice).contains(object)) continue;
    const auto one = end_in(object, choice, found->end, layout, open);
    if (!one) return std::nullopt;
    end = std::max(end.value_or(*one), *one);
  }
  open.erase(found->root);
  return end;
}

// Whether no captured pointer is behind it: there is nothing to learn.
bool is_of_known_size(const llvm::Value* pointer) {
  return llvm::all_of(roots_of(pointer), [](const llvm::Value* root) {
    return llvm::isa<llvm::AllocaInst, llvm::Argument, llvm::Constant>(root);
  });
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

void take_sizes(kernel_function& kernel) {
  const bool captures =
      !kernel.parameters.empty() && kernel.parameters.front().what == role::captures;
  const auto& layout = kernel.code->getParent()->getDataLayout();
  for (auto& instruction : llvm::make_early_inc_range(llvm::instructions(*kernel.code))) {
    auto* assumption = llvm::dyn_cast<llvm::AssumeInst>(&instruction);
    if (!assumption ||
        !llvm::PatternMatch::match(assumption->getArgOperand(0), llvm::PatternMatch::m_One()))
      continue;
    bool taken = true;
    for (unsigned i = 0; i < assumption->getNumOperandBundles(); ++i) {
      const auto bundle = assumption->getOperandBundleAt(i);
      const auto* size = bundle.getTagName() == "dereferenceable" && bundle.Inputs.size() == 2
                             ? llvm::dyn_cast<llvm::ConstantInt>(bundle.Inputs[1])
                             : nullptr;
      if (!size) continue;
      // Of a part of the object, maybe, at an offset.
      const auto found = reach_of(bundle.Inputs[0], size->getSExtValue(), layout);
      const auto offset =
          found && captures ? captured_offset(found->root, *kernel.code) : std::nullopt;
      if (offset) {
        auto& known = kernel.captured_sizes[*offset];
        known = std::max(known, found->end);
      } else {
        taken &= is_of_known_size(bundle.Inputs[0]);
      }
    }
    if (taken) assumption->eraseFromParent();
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
      llvm::SmallPtrSet<const llvm::Value*, 8> open;
      const auto end = bytes ? end_in(load, use.get(), *bytes, layout, open) : std::nullopt;
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
