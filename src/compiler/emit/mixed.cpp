#include "compiler/emit/mixed.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Local.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "compiler/emit/spaces.h"
#include "compiler/emit/unwritten.h"

namespace pappus::compiler {
namespace {

class splitting {
 public:
  explicit splitting(const kernel_function& kernel) : code_(*kernel.code), spaces_(kernel) {}

  void run() {
    // A copy may have two such pointers: its parts are looked at again.
    for (auto open = mixed_accesses(); !open.empty(); open = mixed_accesses()) {
      for (const auto* use : open) {
        auto* access = llvm::cast<llvm::Instruction>(use->getUser());
        split(*access, use->getOperandNo(), spaces_in(use->get()));
      }
    }
    remove_unused();
  }

 private:
  // One use of each access.
  std::vector<const llvm::Use*> mixed_accesses() {
    std::vector<const llvm::Use*> uses;
    for (auto& instruction : llvm::instructions(code_)) {
      if (!llvm::isa<llvm::LoadInst, llvm::StoreInst, llvm::CallBase>(instruction)) continue;
      if (done_.contains(&instruction) || is_unwritten(instruction)) continue;
      for (const auto& operand : instruction.operands()) {
        if (operand->getType()->isPointerTy() && is_splittable(operand.get())) {
          uses.push_back(&operand);
          break;
        }
      }
    }
    return uses;
  }

  bool is_splittable(const llvm::Value* pointer) {
    return spaces_.of(pointer).what == space::kind::mixed &&
           llvm::all_of(roots_of(pointer), [&](const llvm::Value* root) {
             return spaces_.of(root).what != space::kind::number;
           });
  }

  // Numbers of the spaces that the pointer may point to, ascending.
  std::vector<unsigned> spaces_in(const llvm::Value* pointer) {
    std::vector<unsigned> numbers;
    for (const auto* root : roots_of(pointer)) {
      if (spaces_.of(root).what != space::kind::none) numbers.push_back(number_of(root));
    }
    std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    return numbers;
  }

  // By the space's nature, not by the order of its first use: sets of roots have none.
  unsigned number_of(const llvm::Value* pointer) {
    const auto where = spaces_.of(pointer);
    return static_cast<unsigned>(where.what) + 16 * where.parameter;
  }

  // The value in each of its spaces, and which it is.
  llvm::Value* part(llvm::Value* pointer, unsigned number);
  llvm::Value* which(llvm::Value* pointer);
  void split(llvm::Instruction& access, unsigned operand, std::vector<unsigned> numbers);
  void remove_unused();

  llvm::Function& code_;
  spaces spaces_;
  std::map<std::pair<llvm::Value*, unsigned>, llvm::Value*> parts_;
  std::map<llvm::Value*, llvm::Value*> which_;
  std::vector<llvm::WeakTrackingVH> replaced_;
  llvm::SetVector<llvm::Instruction*> done_;
};

llvm::Value* splitting::part(llvm::Value* pointer, unsigned number) {
  const auto where = spaces_.of(pointer);
  if (where.what != space::kind::mixed) {
    return number_of(pointer) == number
               ? pointer
               : llvm::ConstantPointerNull::get(llvm::cast<llvm::PointerType>(pointer->getType()));
  }
  const auto key = std::pair(pointer, number);
  if (const auto found = parts_.find(key); found != parts_.end()) return found->second;
  auto* original = llvm::cast<llvm::Instruction>(pointer);
  auto* copy = original->clone();
  copy->insertBefore(original);
  // Circles of phis end here.
  parts_[key] = copy;
  replaced_.emplace_back(original);
  for (auto& operand : copy->operands()) {
    if (operand->getType()->isPointerTy()) operand.set(part(operand.get(), number));
  }
  return copy;
}

llvm::Value* splitting::which(llvm::Value* pointer) {
  auto* type = llvm::Type::getInt32Ty(pointer->getContext());
  if (spaces_.of(pointer).what != space::kind::mixed) {
    return llvm::ConstantInt::get(type, number_of(pointer));
  }
  if (const auto found = which_.find(pointer); found != which_.end()) return found->second;
  auto* original = llvm::cast<llvm::Instruction>(pointer);
  llvm::IRBuilder<> builder(original);
  if (auto* phi = llvm::dyn_cast<llvm::PHINode>(original)) {
    auto* number = builder.CreatePHI(type, phi->getNumIncomingValues());
    which_[pointer] = number;
    for (unsigned i = 0; i < phi->getNumIncomingValues(); ++i) {
      number->addIncoming(which(phi->getIncomingValue(i)), phi->getIncomingBlock(i));
    }
    return number;
  }
  if (auto* select = llvm::dyn_cast<llvm::SelectInst>(original)) {
    auto* yes = which(select->getTrueValue());
    auto* no = which(select->getFalseValue());
    return which_[pointer] = builder.CreateSelect(select->getCondition(), yes, no);
  }
  // Offsets stay in the same memory.
  return which_[pointer] = which(original->getOperand(0));
}

void splitting::split(llvm::Instruction& access, unsigned operand, std::vector<unsigned> numbers) {
  auto* pointer = access.getOperand(operand);
  auto* number = which(pointer);
  // Of equal accesses in two spaces the last needs no question.
  std::vector<std::pair<llvm::Instruction*, llvm::BasicBlock*>> results;
  llvm::Instruction* at = &access;
  for (std::size_t i = 0; i + 1 < numbers.size(); ++i) {
    llvm::IRBuilder<> builder(at);
    auto* is_this =
        builder.CreateICmpEQ(number, llvm::ConstantInt::get(number->getType(), numbers[i]));
    llvm::Instruction *yes = nullptr, *no = nullptr;
    llvm::SplitBlockAndInsertIfThenElse(is_this, at, &yes, &no);
    for (const bool last : {false, true}) {
      if (last && i + 2 < numbers.size()) break;
      auto* before = last ? no : yes;
      auto* copy = access.clone();
      copy->insertBefore(before);
      copy->setOperand(operand, part(pointer, numbers[last ? i + 1 : i]));
      results.emplace_back(copy, copy->getParent());
    }
    at = no;
  }
  if (!access.getType()->isVoidTy()) {
    // Each branch joins the next outer one: one phi per join, from the innermost outward.
    llvm::Value* value = results.back().first;
    for (std::size_t i = numbers.size() - 1; i-- > 0;) {
      auto* yes = results[i].first;
      auto* join = yes->getParent()->getSingleSuccessor();
      auto* phi = llvm::PHINode::Create(access.getType(), 2);
      phi->insertBefore(join->begin());
      for (auto* from : llvm::predecessors(join)) {
        phi->addIncoming(from == yes->getParent() ? yes : value, from);
      }
      value = phi;
    }
    access.replaceAllUsesWith(value);
  }
  // Erased at the end only: what is known of values is kept by their addresses.
  done_.insert(&access);
}

void splitting::remove_unused() {
  for (auto* access : done_) access->eraseFromParent();
  for (auto& one : replaced_) {
    if (auto* phi = llvm::dyn_cast_or_null<llvm::PHINode>(one)) {
      llvm::RecursivelyDeleteDeadPHINode(phi);
    }
  }
  for (auto& one : replaced_) {
    if (auto* unused = llvm::dyn_cast_or_null<llvm::Instruction>(one)) {
      llvm::RecursivelyDeleteTriviallyDeadInstructions(unused);
    }
  }
}

}  // namespace

void split_mixed_pointers(const kernel_function& kernel) { splitting(kernel).run(); }

}  // namespace pappus::compiler
