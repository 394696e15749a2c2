#include "compiler/analysis/chosen_calls.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <map>
#include <vector>

namespace pappus::compiler {
namespace {

// Text grows with each.
constexpr std::size_t functions_max = 256;

/// The constant table that a pointer leads into; null: none.
llvm::GlobalVariable* table_of(llvm::Value* pointer) {
  while (auto* step = llvm::dyn_cast<llvm::GEPOperator>(pointer))
    pointer = step->getPointerOperand();
  auto* table = llvm::dyn_cast<llvm::GlobalVariable>(pointer);
  return table != nullptr && table->isConstant() && table->hasInitializer() ? table : nullptr;
}

/// One call, through a pointer to one of several functions: which one becomes a number.
class chosen_call {
 public:
  explicit chosen_call(llvm::CallInst& call)
      : call_(call), number_type_(llvm::Type::getInt64Ty(call.getContext())) {}

  /// False where the functions aren't known.
  bool make_direct() {
    if (!collect(call_.getCalledOperand()) || functions_.empty()) return false;
    write(number_of(call_.getCalledOperand()));
    return true;
  }

 private:
  bool collect(llvm::Value* pointer);
  bool collect_from(const llvm::Constant& table);
  bool add(llvm::Function& function);
  llvm::Value* number_of(llvm::Value* pointer);
  llvm::Value* moved(llvm::Value* place, llvm::IRBuilder<>& builder);
  llvm::Constant* numbered(llvm::Constant& value);
  void write(llvm::Value* number);

  llvm::CallInst& call_;
  llvm::Type* number_type_;
  std::map<const llvm::Function*, std::uint64_t> numbers_;
  std::vector<llvm::Function*> functions_;
  std::map<llvm::Value*, llvm::Value*> known_;
};

bool chosen_call::add(llvm::Function& function) {
  if (function.getFunctionType() != call_.getFunctionType()) return false;
  if (numbers_.try_emplace(&function, functions_.size()).second) functions_.push_back(&function);
  return functions_.size() <= functions_max;
}

/// All functions that the pointer may lead to.
bool chosen_call::collect(llvm::Value* pointer) {
  if (!known_.try_emplace(pointer, nullptr).second) return true;
  if (auto* function = llvm::dyn_cast<llvm::Function>(pointer)) return add(*function);
  // Calls through these pointers don't happen.
  if (llvm::isa<llvm::ConstantPointerNull, llvm::UndefValue>(pointer)) return true;
  if (auto* choice = llvm::dyn_cast<llvm::SelectInst>(pointer))
    return collect(choice->getTrueValue()) && collect(choice->getFalseValue());
  if (auto* phi = llvm::dyn_cast<llvm::PHINode>(pointer))
    return llvm::all_of(phi->incoming_values(), [&](llvm::Use& from) { return collect(from); });
  auto* load = llvm::dyn_cast<llvm::LoadInst>(pointer);
  if (load == nullptr || !load->isSimple()) return false;
  const auto* table = table_of(load->getPointerOperand());
  return table != nullptr && collect_from(*table->getInitializer());
}

bool chosen_call::collect_from(const llvm::Constant& table) {
  for (const auto& part : table.operands()) {
    auto* function = llvm::dyn_cast<llvm::Function>(part.get());
    if (function != nullptr && function->getFunctionType() != call_.getFunctionType()) continue;
    if (function != nullptr && !add(*function)) return false;
    const auto& constant = *llvm::cast<llvm::Constant>(part.get());
    if (constant.getType()->isAggregateType() && !collect_from(constant)) return false;
  }
  return true;
}

/// A table of the same layout, with numbers for functions; null for other pointers, which nobody
/// looks at through this table.
llvm::Constant* chosen_call::numbered(llvm::Constant& value) {
  if (value.getType()->isPointerTy()) {
    const auto found = numbers_.find(llvm::dyn_cast<llvm::Function>(&value));
    return llvm::ConstantInt::get(number_type_, found == numbers_.end() ? 0 : found->second);
  }
  if (!value.getType()->isAggregateType() || value.isNullValue() || value.getNumOperands() == 0)
    return &value;
  std::vector<llvm::Constant*> parts;
  for (auto& part : value.operands())
    parts.push_back(numbered(*llvm::cast<llvm::Constant>(part.get())));
  const auto* record = llvm::dyn_cast<llvm::StructType>(value.getType());
  const bool packed = record != nullptr && record->isPacked();
  const bool same = llvm::all_equal(
      llvm::map_range(parts, [](const llvm::Constant* part) { return part->getType(); }));
  if (record == nullptr && same)
    return llvm::ConstantArray::get(llvm::ArrayType::get(parts.front()->getType(), parts.size()),
                                    parts);
  return llvm::ConstantStruct::getAnon(parts, packed);
}

/// The same place in the table of numbers.
llvm::Value* chosen_call::moved(llvm::Value* place, llvm::IRBuilder<>& builder) {
  if (auto* step = llvm::dyn_cast<llvm::GEPOperator>(place)) {
    auto* from = moved(step->getPointerOperand(), builder);
    const std::vector<llvm::Value*> indices(step->idx_begin(), step->idx_end());
    return builder.CreateGEP(step->getSourceElementType(), from, indices, "", step->isInBounds());
  }
  auto& numbers = known_[place];
  if (numbers == nullptr) {
    auto& table = *llvm::cast<llvm::GlobalVariable>(place);
    auto* values = numbered(*table.getInitializer());
    auto* made = new llvm::GlobalVariable(*table.getParent(), values->getType(), true,
                                          llvm::GlobalValue::PrivateLinkage, values,
                                          table.getName() + ".numbers");
    made->setAlignment(table.getAlign());
    made->setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::Global);
    numbers = made;
  }
  return numbers;
}

llvm::Value* chosen_call::number_of(llvm::Value* pointer) {
  auto& known = known_[pointer];
  if (known != nullptr) return known;
  if (auto* function = llvm::dyn_cast<llvm::Function>(pointer))
    return known = llvm::ConstantInt::get(number_type_, numbers_.at(function));
  if (llvm::isa<llvm::Constant>(pointer)) return known = llvm::ConstantInt::get(number_type_, 0);
  llvm::IRBuilder<> builder(llvm::cast<llvm::Instruction>(pointer));
  if (auto* phi = llvm::dyn_cast<llvm::PHINode>(pointer)) {
    auto* numbers = builder.CreatePHI(number_type_, phi->getNumIncomingValues());
    known = numbers;  // A phi may lead to itself.
    for (unsigned i = 0; i < phi->getNumIncomingValues(); ++i)
      numbers->addIncoming(number_of(phi->getIncomingValue(i)), phi->getIncomingBlock(i));
    return numbers;
  }
  if (auto* choice = llvm::dyn_cast<llvm::SelectInst>(pointer)) {
    auto* first = number_of(choice->getTrueValue());
    auto* second = number_of(choice->getFalseValue());
    return known_[pointer] = builder.CreateSelect(choice->getCondition(), first, second);
  }
  auto* load = llvm::cast<llvm::LoadInst>(pointer);
  auto* place = moved(load->getPointerOperand(), builder);
  return known_[pointer] = builder.CreateAlignedLoad(number_type_, place, load->getAlign());
}

/// switch (number) { case 0: result = f(..); .. }
void chosen_call::write(llvm::Value* number) {
  auto& context = call_.getContext();
  auto* before = call_.getParent();
  auto* after = llvm::SplitBlock(before, &call_);
  auto* code = before->getParent();
  before->getTerminator()->eraseFromParent();
  const auto count = static_cast<unsigned>(functions_.size());
  llvm::PHINode* result = nullptr;
  if (!call_.getType()->isVoidTy())
    result = llvm::PHINode::Create(call_.getType(), count, "", after->begin());
  std::vector<llvm::BasicBlock*> cases;
  for (auto* function : functions_) {
    auto* block = cases.emplace_back(llvm::BasicBlock::Create(context, "", code, after));
    auto* direct = llvm::cast<llvm::CallInst>(call_.clone());
    direct->setCalledFunction(function);
    direct->insertInto(block, block->end());
    llvm::BranchInst::Create(after, block);
    if (result != nullptr) result->addIncoming(direct, block);
  }
  llvm::IRBuilder<> builder(before);
  builder.SetCurrentDebugLocation(call_.getDebugLoc());
  if (count == 1) {
    builder.CreateBr(cases[0]);
  } else if (count == 2) {
    builder.CreateCondBr(builder.CreateIsNull(number), cases[0], cases[1]);
  } else {
    auto* never = llvm::BasicBlock::Create(context, "", code, after);
    new llvm::UnreachableInst(context, never);
    auto* choice = builder.CreateSwitch(number, never, count);
    for (unsigned i = 0; i < count; ++i) choice->addCase(builder.getInt64(i), cases[i]);
  }
  if (result != nullptr) call_.replaceAllUsesWith(result);
  call_.eraseFromParent();
}

}  // namespace

void call_directly(llvm::Function& code) {
  std::vector<llvm::CallInst*> calls;
  for (auto& i : llvm::instructions(code))
    if (auto* call = llvm::dyn_cast<llvm::CallInst>(&i); call != nullptr && call->isIndirectCall())
      calls.push_back(call);
  for (auto* call : calls) chosen_call(*call).make_direct();
}

}  // namespace pappus::compiler
