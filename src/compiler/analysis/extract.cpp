#include "compiler/analysis/extract.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/DebugProgramInstruction.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

#include <set>

#include "compiler/analysis/accesses.h"
#include "compiler/analysis/cleanups.h"
#include "compiler/analysis/doomed.h"
#include "compiler/analysis/positions.h"

namespace pappus::compiler {
namespace {

/// A copy-by-need of functions and constants from one module into another.
class copier final : public llvm::ValueMaterializer {
 public:
  copier(llvm::Module& to, std::vector<const llvm::Function*>& copied) : to_(to), copied_(copied) {
    auto* nothing = llvm::Type::getVoidTy(to.getContext());
    trap_ = llvm::Function::Create(llvm::FunctionType::get(nothing, false),
                                   llvm::Function::ExternalLinkage, trap_name, to);
    trap_->setDoesNotReturn();
    values_[trap_] = trap_;  // It is of the new module already.
  }

  llvm::Function* copy(const llvm::Function& from) {
    auto* result = llvm::cast<llvm::Function>(
        llvm::MapValue(&from, values_, llvm::RF_NoModuleLevelChanges, nullptr, this));
    while (!pending_.empty()) {
      const auto* next = pending_.back();
      pending_.pop_back();
      copy_body(*next);
    }
    return result;
  }

  llvm::Value* materialize(llvm::Value* value) override {
    if (auto* function = llvm::dyn_cast<llvm::Function>(value)) return declare(*function);
    if (auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(value)) return declare(*variable);
    if (auto* alias = llvm::dyn_cast<llvm::GlobalAlias>(value)) return map(alias->getAliasee());
    return nullptr;
  }

 private:
  llvm::Value* map(llvm::Constant* value) {
    return llvm::MapValue(value, values_, llvm::RF_NoModuleLevelChanges, nullptr, this);
  }

  llvm::Function* declare(const llvm::Function& from);
  llvm::GlobalVariable* declare(const llvm::GlobalVariable& from);
  void copy_body(const llvm::Function& from);
  llvm::DISubprogram* scope_of(const llvm::Function& from) const;
  llvm::DILocation* moved(const llvm::DILocation* from) const;
  void copy_block(const llvm::BasicBlock& from, llvm::BasicBlock& to);
  void declare_variables(const llvm::Instruction& before);
  void remap(llvm::Function& to);
  llvm::AttributeList kept(const llvm::AttributeList& from) const;

  llvm::Module& to_;
  std::vector<const llvm::Function*>& copied_;
  llvm::Function* trap_;
  llvm::DISubprogram* scope_ = nullptr;  ///< of the function that is being copied
  llvm::ValueToValueMapTy values_;
  std::vector<const llvm::Function*> pending_;
  std::set<std::pair<const llvm::Value*, const llvm::DILocalVariable*>> declared_;
  llvm::SmallVector<llvm::DbgVariableRecord*, 4> variables_;  ///< to stand before the next copy
};

/// Bodies that only optimised builds have (available_externally), or that another object may
/// replace, are none.
bool has_body(const llvm::Function& f) {
  return !f.isDeclaration() && !f.hasAvailableExternallyLinkage() && !f.isInterposable();
}

/// What a function or call means, and how large what a reference points to is; all else are hints,
/// which depend on the options.
llvm::AttributeList copier::kept(const llvm::AttributeList& from) const {
  constexpr llvm::Attribute::AttrKind of_functions[] = {
      llvm::Attribute::NoReturn,     llvm::Attribute::NoUnwind, llvm::Attribute::Memory,
      llvm::Attribute::ReturnsTwice, llvm::Attribute::Builtin,  llvm::Attribute::PresplitCoroutine};
  constexpr llvm::Attribute::AttrKind of_parameters[] = {
      llvm::Attribute::ByVal, llvm::Attribute::StructRet, llvm::Attribute::Dereferenceable};
  auto& context = to_.getContext();
  llvm::AttributeList result;
  for (const auto kind : of_functions)
    if (from.hasFnAttr(kind)) result = result.addFnAttribute(context, from.getFnAttr(kind));
  for (const auto index : from.indexes())
    if (index >= llvm::AttributeList::FirstArgIndex && index != llvm::AttributeList::FunctionIndex)
      for (const auto kind : of_parameters)
        if (from.hasAttributeAtIndex(index, kind))
          result =
              result.addAttributeAtIndex(context, index, from.getAttributeAtIndex(index, kind));
  return result;
}

llvm::Function* copier::declare(const llvm::Function& from) {
  const bool body = has_body(from);
  auto* to = llvm::Function::Create(
      from.getFunctionType(),
      body ? llvm::Function::InternalLinkage : llvm::Function::ExternalLinkage, from.getName(),
      to_);
  // An intrinsic that may not return is never dead: LLVM replaces it and finds it again, for ever.
  to->setAttributes(from.isIntrinsic()
                        ? llvm::Intrinsic::getAttributes(to_.getContext(), from.getIntrinsicID())
                        : kept(from.getAttributes()));
  if (is_access(from.getName())) mark_access(*to);
  if (body) pending_.push_back(&from);
  if (from.isInterposable() && !from.isDeclaration()) to->addFnAttr(replaceable_mark);
  return to;
}

/// Values that may change, or that another object knows, are left without.
llvm::GlobalVariable* copier::declare(const llvm::GlobalVariable& from) {
  const bool value =
      from.isConstant() && from.hasInitializer() && !from.isInterposable() && !from.isThreadLocal();
  auto* to = new llvm::GlobalVariable(
      to_, from.getValueType(), from.isConstant(),
      value ? llvm::GlobalValue::PrivateLinkage : llvm::GlobalValue::ExternalLinkage, nullptr,
      from.getName(), nullptr, from.getThreadLocalMode(), from.getAddressSpace());
  to->setAlignment(from.getAlign());
  if (value) {
    to->setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::Global);
    values_[&from] = to;  // A table may hold its own address.
    to->setInitializer(
        llvm::cast<llvm::Constant>(map(const_cast<llvm::Constant*>(from.getInitializer()))));
  }
  return to;
}

llvm::DISubprogram* copier::scope_of(const llvm::Function& from) const {
  auto& context = to_.getContext();
  const auto* known = from.getSubprogram();
  auto* file = known != nullptr ? known->getFile() : llvm::DIFile::get(context, "", "");
  return llvm::DISubprogram::getDistinct(
      context, file, known != nullptr ? known->getName() : "", from.getName(), file,
      known != nullptr ? known->getLine() : 0, nullptr, 0, nullptr, 0, 0, llvm::DINode::FlagZero,
      llvm::DISubprogram::SPFlagDefinition, nullptr);
}

llvm::DILocation* copier::moved(const llvm::DILocation* from) const {
  return llvm::DILocation::get(to_.getContext(), from != nullptr ? from->getLine() : 0,
                               from != nullptr ? from->getColumn() : 0, scope_);
}

bool is_hint(const llvm::Instruction& i) {
  const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&i);
  if (call == nullptr) return false;
  switch (call->getIntrinsicID()) {
    case llvm::Intrinsic::assume:
    case llvm::Intrinsic::donothing:
    case llvm::Intrinsic::experimental_noalias_scope_decl:
    case llvm::Intrinsic::instrprof_cover:
    case llvm::Intrinsic::instrprof_increment:
    case llvm::Intrinsic::instrprof_increment_step:
    case llvm::Intrinsic::instrprof_value_profile:
    case llvm::Intrinsic::invariant_end:
    case llvm::Intrinsic::invariant_start:
    case llvm::Intrinsic::lifetime_end:
    case llvm::Intrinsic::lifetime_start:
    case llvm::Intrinsic::prefetch:
    case llvm::Intrinsic::pseudoprobe:
    case llvm::Intrinsic::sideeffect:
    case llvm::Intrinsic::trap:  // Behind the end of a function that lacks a return (doomed.h).
    case llvm::Intrinsic::var_annotation:
      return true;
    default:
      return call->isAssumeLikeIntrinsic() && call->getType()->isVoidTy();
  }
}

/// What the call is worth where it only says how likely a value is, what it has been called, or
/// (only when optimising) whether it is known; null: it does more.
llvm::Value* plain_value(llvm::Instruction& i) {
  auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&i);
  if (call == nullptr) return nullptr;
  switch (call->getIntrinsicID()) {
    case llvm::Intrinsic::expect:
    case llvm::Intrinsic::expect_with_probability:
    case llvm::Intrinsic::launder_invariant_group:
    case llvm::Intrinsic::ptr_annotation:
    case llvm::Intrinsic::annotation:
    case llvm::Intrinsic::strip_invariant_group:
      return call->getArgOperand(0);
    case llvm::Intrinsic::is_constant:
      return llvm::ConstantInt::getFalse(i.getContext());
    default:
      return nullptr;
  }
}

/// With -g: the user's variables in memory, which values are called after later on. Optimised
/// builds tell of every store to one instead.
void copier::declare_variables(const llvm::Instruction& before) {
  if (before.DebugMarker == nullptr) return;
  // Instructions' own function needs a variable that other versions of LLVM lack: these couldn't
  // load the plugin, which tells which version it is for.
  for (const llvm::DbgVariableRecord& known :
       llvm::filterDbgVars(before.DebugMarker->getDbgRecordRange())) {
    const auto* variable = known.getVariable();
    if (variable->isArtificial() || !is_users_file(variable->getFilename())) continue;
    using type = llvm::DbgVariableRecord::LocationType;
    const auto* memory = known.getType() == type::Declare  ? known.getVariableLocationOp(0)
                         : known.getType() == type::Assign ? known.getAddress()
                                                           : nullptr;
    if (memory == nullptr || !llvm::isa<llvm::AllocaInst, llvm::Argument>(memory)) continue;
    auto* copy = static_cast<llvm::Value*>(values_.lookup(memory));
    if (copy == nullptr || !declared_.insert({copy, variable}).second) continue;
    variables_.push_back(llvm::DbgVariableRecord::createDVRDeclare(
        copy, known.getVariable(), llvm::DIExpression::get(to_.getContext(), {}),
        moved(known.getDebugLoc())));
  }
}

void copier::copy_block(const llvm::BasicBlock& from, llvm::BasicBlock& to) {
  for (const auto& i : from) {
    if (to_.IsNewDbgInfoFormat) declare_variables(i);
    if (is_hint(i)) continue;
    const auto* invoke = llvm::dyn_cast<llvm::InvokeInst>(&i);
    const bool passes = invoke != nullptr && !catches(*invoke);
    auto* copy =
        passes ? llvm::createCallMatchingInvoke(const_cast<llvm::InvokeInst*>(invoke)) : i.clone();
    copy->dropUnknownNonDebugMetadata();
    // That leaves what ties a store to the variables in the user's module.
    copy->setMetadata(llvm::LLVMContext::MD_DIAssignID, nullptr);
    copy->setDebugLoc(moved(i.getDebugLoc()));
    if (auto* call = llvm::dyn_cast<llvm::CallBase>(copy))
      call->setAttributes(kept(call->getAttributes()));
    copy->insertInto(&to, to.end());
    for (auto* one : variables_) to.insertDbgRecordBefore(one, copy->getIterator());
    variables_.clear();
    values_[&i] = copy;
    if (passes) llvm::BranchInst::Create(invoke->getNormalDest(), &to);
  }
}

void copier::remap(llvm::Function& to) {
  const auto flags = llvm::RF_NoModuleLevelChanges | llvm::RF_IgnoreMissingLocals;
  std::vector<llvm::Instruction*> plain;
  for (auto& b : to) {
    for (auto& i : b) {
      // Blocks that are never entered weren't copied.
      if (auto* phi = llvm::dyn_cast<llvm::PHINode>(&i))
        phi->removeIncomingValueIf(
            [&](unsigned n) { return values_.lookup(phi->getIncomingBlock(n)) == nullptr; }, false);
      llvm::RemapInstruction(&i, values_, flags, nullptr, this);
      if (plain_value(i) != nullptr) plain.push_back(&i);
    }
  }
  for (auto* i : plain) {
    i->replaceAllUsesWith(plain_value(*i));
    i->eraseFromParent();
  }
}

void copier::copy_body(const llvm::Function& from) {
  copied_.push_back(&from);
  auto& to = *llvm::cast<llvm::Function>(values_.lookup(&from));
  scope_ = scope_of(from);
  to.setSubprogram(scope_);
  for (const auto& [a, b] : llvm::zip(from.args(), to.args())) values_[&a] = &b;
  if (from.hasPersonalityFn())
    to.setPersonalityFn(llvm::cast<llvm::Constant>(map(from.getPersonalityFn())));
  const auto fates = fates_of(from);
  for (const auto& b : from)
    if (fates.contains(&b)) values_[&b] = llvm::BasicBlock::Create(to.getContext(), "", &to);
  for (const auto& b : from) {
    const auto found = fates.find(&b);
    if (found == fates.end()) continue;
    auto& block = *llvm::cast<llvm::BasicBlock>(values_.lookup(&b));
    if (found->second == fate::traps) {
      llvm::IRBuilder<> at(&block);
      at.CreateCall(trap_)->setDebugLoc(moved(b.getFirstNonPHIOrDbg()->getDebugLoc()));
      at.CreateUnreachable();
      continue;
    }
    copy_block(b, block);
  }
  remap(to);
  skip_empty_cleanups(to);
}

}  // namespace

extracted extract(const llvm::Module& module, const std::vector<slot>& slots) {
  extracted result;
  result.module = std::make_unique<llvm::Module>("pappus", module.getContext());
  auto& to = *result.module;
  to.setDataLayout(module.getDataLayout());
  to.setTargetTriple(module.getTargetTriple());
  to.setIsNewDbgInfoFormat(module.IsNewDbgInfoFormat);
  copier copy(to, result.copied);
  for (const auto& s : slots) {
    auto* thunk = copy.copy(*s.thunk);
    thunk->setLinkage(llvm::Function::ExternalLinkage);  // Nothing here calls it, it stays.
    result.thunks.push_back(thunk);
  }
  return result;
}

}  // namespace pappus::compiler
