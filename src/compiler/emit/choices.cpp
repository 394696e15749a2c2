#include "compiler/emit/choices.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include <cstdint>
#include <vector>

namespace pappus::compiler {
namespace {

class reading {
 public:
  explicit reading(const kernel_function& kernel)
      : code_(*kernel.code), layout_(kernel.code->getParent()->getDataLayout()) {}

  void run() {
    std::vector<llvm::LoadInst*> chosen;
    for (auto& instruction : llvm::instructions(code_)) {
      auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
      if (!load || !load->getType()->isPointerTy()) continue;
      const auto place = place_of(load->getPointerOperand());
      llvm::SmallPtrSet<const llvm::Value*, 8> open;
      if (place.base != captures() && leads_to_captures(place.base, open)) chosen.push_back(load);
    }
    for (auto* load : chosen) {
      load->replaceAllUsesWith(read(load->getPointerOperand(), 0, *load, *load));
      load->eraseFromParent();
    }
  }

 private:
  struct place {
    llvm::Value* base;
    std::int64_t offset;
  };

  const llvm::Value* captures() const { return code_.getArg(0); }

  place place_of(llvm::Value* address) const {
    llvm::APInt offset(layout_.getIndexTypeSizeInBits(address->getType()), 0);
    auto* base = address->stripAndAccumulateConstantOffsets(layout_, offset,
                                                            /*AllowNonInbounds=*/true);
    return {base, offset.getSExtValue()};
  }

  /// Whether all choices lead to places of the captures, none by way of itself.
  bool leads_to_captures(llvm::Value* base, llvm::SmallPtrSet<const llvm::Value*, 8>& open) const {
    if (base == captures()) return true;
    if (!open.insert(base).second) return false;
    const auto goes_on = [&](llvm::Value* from) {
      return leads_to_captures(place_of(from).base, open);
    };
    bool all = false;
    if (auto* phi = llvm::dyn_cast<llvm::PHINode>(base))
      all = llvm::all_of(phi->incoming_values(), goes_on);
    else if (auto* select = llvm::dyn_cast<llvm::SelectInst>(base))
      all = goes_on(select->getTrueValue()) && goes_on(select->getFalseValue());
    open.erase(base);
    return all;
  }

  /// What `load` would read at this address, before `at`.
  llvm::Value* read(llvm::Value* address, std::int64_t offset, llvm::LoadInst& load,
                    llvm::Instruction& at) const {
    const auto [base, more] = place_of(address);
    offset += more;
    llvm::IRBuilder<> builder(&at);
    if (auto* select = llvm::dyn_cast<llvm::SelectInst>(base)) {
      auto* yes = read(select->getTrueValue(), offset, load, at);
      auto* no = read(select->getFalseValue(), offset, load, at);
      return builder.CreateSelect(select->getCondition(), yes, no);
    }
    if (auto* phi = llvm::dyn_cast<llvm::PHINode>(base)) {
      builder.SetInsertPoint(phi);
      auto* result = builder.CreatePHI(load.getType(), phi->getNumIncomingValues());
      for (const auto& [value, block] : llvm::zip(phi->incoming_values(), phi->blocks())) {
        // A switch may come from one block several times, of which phis want one value.
        const int known = result->getBasicBlockIndex(block);
        result->addIncoming(known >= 0 ? result->getIncomingValue(static_cast<unsigned>(known))
                                       : read(value, offset, load, *block->getTerminator()),
                            block);
      }
      return result;
    }
    auto* from = builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), base,
                                                    static_cast<std::uint64_t>(offset));
    return builder.CreateAlignedLoad(load.getType(), from, load.getAlign());
  }

  llvm::Function& code_;
  const llvm::DataLayout& layout_;
};

}  // namespace

void choose_after_reading(const kernel_function& kernel) {
  if (kernel.parameters.empty() || kernel.parameters.front().what != role::captures) return;
  reading(kernel).run();
}

}  // namespace pappus::compiler
