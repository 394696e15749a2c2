#include "compiler/analysis/reads.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>

#include <algorithm>

#include "compiler/analysis/extract.h"

namespace pappus::compiler {
namespace {

struct address {
  const llvm::Value* pointer;
  std::int64_t offset;
};

byte_ranges merged(byte_ranges ranges) {
  std::sort(ranges.begin(), ranges.end());
  byte_ranges result;
  for (const auto& [offset, size] : ranges) {
    if (!result.empty() && offset <= result.back().first + result.back().second) {
      auto& last = result.back();
      last.second = std::max(last.first + last.second, offset + size) - last.first;
    } else {
      result.emplace_back(offset, size);
    }
  }
  return result;
}

/// The bytes that this use of the address reads, or the address it makes of it; false: unknown.
bool follow(const llvm::Use& use, std::int64_t offset, const llvm::DataLayout& layout,
            std::vector<address>& pending, byte_ranges& reads) {
  const auto* user = use.getUser();
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(user)) {
    reads.emplace_back(offset, layout.getTypeStoreSize(load->getType()).getFixedValue());
    return true;
  }
  if (const auto* step = llvm::dyn_cast<llvm::GEPOperator>(user)) {
    llvm::APInt distance(64, static_cast<std::uint64_t>(offset), true);
    if (!step->accumulateConstantOffset(layout, distance)) return false;
    pending.push_back({step, distance.getSExtValue()});
    return true;
  }
  if (const auto* copy = llvm::dyn_cast<llvm::MemTransferInst>(user)) {
    const auto* length = llvm::dyn_cast<llvm::ConstantInt>(copy->getLength());
    if (length == nullptr || use.getOperandNo() != 1) return false;
    reads.emplace_back(offset, length->getSExtValue());
    return true;
  }
  return llvm::isa<llvm::ICmpInst>(user);
}

}  // namespace

bool may_trap(const kernel_function& function) {
  return llvm::any_of(llvm::instructions(*function.code), [](const llvm::Instruction& one) {
    const auto* const call = llvm::dyn_cast<llvm::CallBase>(&one);
    const auto* const callee = call != nullptr ? call->getCalledFunction() : nullptr;
    return callee != nullptr && callee->getName() == trap_name;
  });
}

std::optional<byte_ranges> reads_of(const kernel_function& function, unsigned parameter) {
  if (function.code->isDeclaration()) return std::nullopt;
  const auto& layout = function.code->getParent()->getDataLayout();
  std::vector<address> pending{{function.code->getArg(parameter), 0}};
  byte_ranges reads;
  while (!pending.empty()) {
    const auto at = pending.back();
    pending.pop_back();
    for (const auto& use : at.pointer->uses())
      if (!follow(use, at.offset, layout, pending, reads)) return std::nullopt;
  }
  return merged(std::move(reads));
}

}  // namespace pappus::compiler
