#include "compiler/emit/repeats.h"

#include <llvm/IR/DataLayout.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <bit>

#include "compiler/emit/leaves.h"

namespace pappus::compiler {
namespace {

bool in_parts(const llvm::Instruction& access, llvm::Type* type, llvm::Align align) {
  if (leaf_count(type) != 1) return true;
  const auto bytes = access.getModule()->getDataLayout().getTypeStoreSize(type).getFixedValue();
  return parts_of(bytes, align.value()).size() != 1;
}

// Comparisons of floats that take two comparisons in C.
bool compares_twice(llvm::CmpInst::Predicate predicate) {
  return predicate == llvm::CmpInst::FCMP_ONE || predicate == llvm::CmpInst::FCMP_UEQ ||
         predicate == llvm::CmpInst::FCMP_ORD || predicate == llvm::CmpInst::FCMP_UNO;
}

}  // namespace

llvm::SmallVector<unsigned, 8> parts_of(std::uint64_t bytes, std::uint64_t align) {
  llvm::SmallVector<unsigned, 8> parts;
  const auto widest = std::min<std::uint64_t>(align, 8);
  while (bytes > 0) {
    const auto part = std::min(widest, std::bit_floor(bytes));
    parts.push_back(static_cast<unsigned>(part));
    bytes -= part;
  }
  return parts;
}

bool repeats(const llvm::Use& use) {
  const auto& user = *llvm::cast<llvm::Instruction>(use.getUser());
  if (leaf_count(user.getType()) > 1 && !llvm::isa<llvm::ShuffleVectorInst>(user)) return true;
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&user)) {
    return in_parts(user, load->getType(), load->getAlign());
  }
  if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&user)) {
    return in_parts(user, store->getValueOperand()->getType(), store->getAlign());
  }
  if (const auto* compare = llvm::dyn_cast<llvm::FCmpInst>(&user)) {
    return compares_twice(compare->getPredicate());
  }
  if (const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&user)) {
    switch (call->getIntrinsicID()) {
      case llvm::Intrinsic::abs:
      case llvm::Intrinsic::cttz:
      case llvm::Intrinsic::scmp:
      case llvm::Intrinsic::ucmp:
        return true;
      default:
        return llvm::isa<llvm::MemIntrinsic>(call);
    }
  }
  if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&user)) {
    // sincos(x, &sine, &cosine); abs(x)
    return call->getType()->isVoidTy() || use->getType()->isIntegerTy();
  }
  // The index of a vector's element, and bits that come from several elements.
  return llvm::isa<llvm::ExtractElementInst>(user) ||
         (llvm::isa<llvm::BitCastInst>(user) && leaf_count(use->getType()) > 1);
}

bool needs_statements(const llvm::Instruction& value) {
  const auto* load = llvm::dyn_cast<llvm::LoadInst>(&value);
  return load && in_parts(value, load->getType(), load->getAlign());
}

}  // namespace pappus::compiler
