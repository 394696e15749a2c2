#include "compiler/emit/copyable.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include <cstdint>
#include <set>

#include "compiler/analysis/extract.h"
#include "compiler/emit/references.h"
#include "compiler/emit/spaces.h"

namespace pappus::compiler {
namespace {

class captured_uses {
 public:
  explicit captured_uses(const kernel_function& kernel)
      : code_(*kernel.code), layout_(code_.getParent()->getDataLayout()), where_(kernel) {}

  bool only_read(const std::vector<reference>& references) {
    for (const auto& one : references) moved_.insert(one.offset);
    for (const auto& i : llvm::instructions(code_))
      if (!is_known(i)) return false;
    bool all = true;
    for_uses_of_memory(code_.getArg(0), [&](const llvm::Use& use) { all &= reads_captures(use); });
    return all;
  }

 private:
  /// Whether all that the pointer may point to is arguments and variables of the function's own and
  /// the program's, or where allowed what captured pointers lead to.
  bool is_known_memory(const llvm::Value* pointer, bool may_be_captured = true) const {
    return llvm::all_of(roots_of(pointer), [&](const llvm::Value* root) {
      return llvm::isa<llvm::Argument, llvm::AllocaInst, llvm::GlobalVariable,
                       llvm::ConstantPointerNull, llvm::UndefValue>(root) ||
             (may_be_captured && where_.captured_at(root).has_value());
    });
  }

  /// Of an instruction, whether it accesses known memory alone. A call of a function may read more
  /// behind a captured pointer than its argument tells.
  bool is_known(const llvm::Instruction& i) const {
    if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&i))
      return is_known_memory(load->getPointerOperand());
    if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&i))
      return is_known_memory(store->getPointerOperand());
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&i);
    if (call == nullptr) return !i.mayReadOrWriteMemory();
    const auto* callee = call->getCalledFunction();
    if (callee == nullptr || callee->getName() == trap_name) return false;
    return llvm::all_of(call->args(), [&](const llvm::Use& argument) {
      return !argument->getType()->isPtrOrPtrVectorTy() ||
             is_known_memory(argument.get(), callee->isIntrinsic());
    });
  }

  /// Whether the use of a pointer to the captures reads them, and nothing but a pointer where one
  /// is that copies will replace.
  bool reads_captures(const llvm::Use& use) const {
    const auto* user = use.getUser();
    std::int64_t bytes = 0;
    const auto* load = llvm::dyn_cast<llvm::LoadInst>(user);
    if (load != nullptr) {
      if (!load->isSimple() || load->getType()->isAggregateType()) return false;
      bytes = static_cast<std::int64_t>(layout_.getTypeStoreSize(load->getType()));
    } else if (reads_by_copy(use)) {
      const auto* length =
          llvm::dyn_cast<llvm::ConstantInt>(llvm::cast<llvm::MemTransferInst>(user)->getLength());
      if (length == nullptr) return false;
      bytes = length->getSExtValue();
    } else {
      return llvm::isa<llvm::AssumeInst>(user);
    }
    llvm::APInt at(layout_.getIndexTypeSizeInBits(use->getType()), 0);
    const auto* base =
        use->stripAndAccumulateConstantOffsets(layout_, at, /*AllowNonInbounds=*/true);
    if (base != code_.getArg(0))  // an element of an array of numbers
      return load != nullptr && !load->getType()->isPtrOrPtrVectorTy();
    const auto begin = at.getSExtValue();
    const bool is_pointer = load != nullptr && load->getType()->isPointerTy();
    if (is_pointer && moved_.contains(begin)) return only_reads(*load, begin);
    constexpr std::int64_t pointer_bytes = sizeof(void*);
    return llvm::none_of(moved_, [&](std::int64_t pointer) {
      return pointer < begin + bytes && begin < pointer + pointer_bytes;
    });
  }

  /// As memcpy does.
  static bool reads_by_copy(const llvm::Use& use) {
    const auto* copy = llvm::dyn_cast<llvm::MemTransferInst>(use.getUser());
    return copy != nullptr && !copy->isVolatile() && &copy->getRawSourceUse() == &use;
  }

  /// Whether a captured pointer is used for nothing else.
  bool only_reads(const llvm::LoadInst& pointer, std::int64_t offset) const {
    bool all = true;
    for_uses_of_memory(&pointer, [&](const llvm::Use& use) {
      const auto* user = use.getUser();
      const auto* load = llvm::dyn_cast<llvm::LoadInst>(user);
      const auto* compared = llvm::dyn_cast<llvm::ICmpInst>(user);
      all &= (load != nullptr && load->isSimple()) || reads_by_copy(use) ||
             (compared != nullptr && stays_the_same(*compared, offset)) ||
             llvm::isa<llvm::AssumeInst>(user);
    });
    return all;
  }

  /// Whether a comparison is of pointers into one object, which is moved as a whole, or with null.
  bool stays_the_same(const llvm::ICmpInst& compared, std::int64_t offset) const {
    return llvm::all_of(compared.operands(), [&](const llvm::Use& operand) {
      return llvm::all_of(roots_of(operand.get()), [&](const llvm::Value* root) {
        return llvm::isa<llvm::ConstantPointerNull>(root) || captured_offset(root, code_) == offset;
      });
    });
  }

  const llvm::Function& code_;
  const llvm::DataLayout& layout_;
  const spaces where_;
  std::set<std::int64_t> moved_;  ///< offsets of pointers that are followed
};

}  // namespace

std::optional<std::vector<reference>> copyable_references(const kernel_function& kernel) {
  if (kernel.parameters.empty() || kernel.parameters.front().what != role::captures)
    return std::nullopt;
  auto references = captured_references(kernel);
  if (!references.unknown.empty()) return std::nullopt;
  if (!captured_uses(kernel).only_read(references.known)) return std::nullopt;
  return std::move(references.known);
}

}  // namespace pappus::compiler
