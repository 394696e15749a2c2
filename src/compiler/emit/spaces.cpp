#include "compiler/emit/spaces.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>

#include <set>

namespace pappus::compiler {
namespace {

// memchr, whose result points into its argument.
bool finds_byte(const llvm::CallBase& call) {
  const auto* callee = call.getCalledFunction();
  return callee && callee->getName() == "memchr" && call.arg_size() == 3;
}

// The pointers that `value` passes on; false where it is a root.
bool passes_on(const llvm::Value* value, llvm::SmallVectorImpl<const llvm::Value*>& from) {
  if (const auto* gep = llvm::dyn_cast<llvm::GEPOperator>(value)) {
    from.push_back(gep->getPointerOperand());
  } else if (const auto* phi = llvm::dyn_cast<llvm::PHINode>(value)) {
    for (const auto& incoming : phi->incoming_values()) from.push_back(incoming);
  } else if (const auto* select = llvm::dyn_cast<llvm::SelectInst>(value)) {
    from.push_back(select->getTrueValue());
    from.push_back(select->getFalseValue());
  } else if (const auto* freeze = llvm::dyn_cast<llvm::FreezeInst>(value)) {
    from.push_back(freeze->getOperand(0));
  } else if (const auto* call = llvm::dyn_cast<llvm::CallBase>(value); call && finds_byte(*call)) {
    from.push_back(call->getArgOperand(0));
  } else {
    return false;
  }
  return true;
}

bool derives(const llvm::User* user) {
  if (const auto* call = llvm::dyn_cast<llvm::CallBase>(user)) return finds_byte(*call);
  return user->getType()->isPointerTy() &&
         llvm::isa<llvm::GEPOperator, llvm::PHINode, llvm::SelectInst, llvm::FreezeInst>(user);
}

bool follows(const llvm::Use& use) {
  const auto* user = use.getUser();
  if (llvm::isa<llvm::LoadInst>(user)) return true;
  if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(user)) {
    return use.getOperandNo() == store->getPointerOperandIndex();
  }
  return llvm::isa<llvm::CallBase, llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst>(user);
}

}  // namespace

std::string space::qualifiers() const {
  switch (what) {
    case kind::global:
      return "GLOBAL const ";
    case kind::constant:
      return "IN_CONSTANT const ";
    case kind::parameter:
      return "$" + std::to_string(parameter) + " const ";
    case kind::referenced:
      return "$r const ";
    default:
      return "";
  }
}

llvm::SmallPtrSet<const llvm::Value*, 8> origins_of(const llvm::Value* pointer) {
  llvm::SmallPtrSet<const llvm::Value*, 8> seen;
  llvm::SmallVector<const llvm::Value*, 8> open{pointer};
  while (!open.empty()) {
    const auto* value = open.pop_back_val();
    if (seen.insert(value).second) passes_on(value, open);
  }
  return seen;
}

llvm::SmallPtrSet<const llvm::Value*, 8> roots_of(const llvm::Value* pointer) {
  llvm::SmallPtrSet<const llvm::Value*, 8> roots;
  llvm::SmallVector<const llvm::Value*, 8> passed;
  for (const auto* value : origins_of(pointer))
    if (!passes_on(value, passed)) roots.insert(value);
  return roots;
}

void for_uses_of_memory(const llvm::Value* pointer,
                        llvm::function_ref<void(const llvm::Use& use)> visit) {
  llvm::SmallPtrSet<const llvm::Value*, 8> seen;
  llvm::SmallVector<const llvm::Value*, 8> open{pointer};
  while (!open.empty()) {
    const auto* value = open.pop_back_val();
    if (!seen.insert(value).second) continue;
    for (const auto& use : value->uses()) {
      const bool passed_on = derives(use.getUser());
      if (passed_on) open.push_back(use.getUser());
      if (!passed_on || llvm::isa<llvm::CallBase>(use.getUser())) visit(use);
    }
  }
}

std::optional<std::int64_t> captured_offset(const llvm::Value* value, const llvm::Function& code) {
  const auto* load = llvm::dyn_cast<llvm::LoadInst>(value);
  if (!load || !load->getType()->isPointerTy()) return std::nullopt;
  const auto& layout = code.getParent()->getDataLayout();
  llvm::APInt offset(layout.getIndexTypeSizeInBits(load->getType()), 0);
  const auto* base = load->getPointerOperand()->stripAndAccumulateConstantOffsets(
      layout, offset, /*AllowNonInbounds=*/true);
  if (base != code.getArg(0)) return std::nullopt;
  return offset.getSExtValue();
}

spaces::spaces(const kernel_function& kernel) : kernel_(kernel) {
  if (kernel.parameters.empty() || kernel.parameters.front().what != role::captures) return;
  for (const auto& instruction : llvm::instructions(*kernel.code)) {
    const auto offset = captured_offset(&instruction, *kernel.code);
    if (!offset) continue;
    const auto* load = llvm::cast<llvm::LoadInst>(&instruction);
    bool followed = false;
    for_uses_of_memory(load, [&](const llvm::Use& use) { followed |= follows(use); });
    if (!followed) continue;
    captured_at_[load] = *offset;
    captured_.push_back(load);
  }
}

std::optional<std::int64_t> spaces::captured_at(const llvm::Value* value) const {
  const auto found = captured_at_.find(value);
  if (found == captured_at_.end()) return std::nullopt;
  return found->second;
}

space spaces::of_root(const llvm::Value* root) const {
  using kind = space::kind;
  if (const auto* argument = llvm::dyn_cast<llvm::Argument>(root)) {
    const auto number = argument->getArgNo();
    switch (kernel_.parameters[number].what) {
      case role::side:
        return {kind::global};
      case role::state:
      case role::output:
        return {kind::local};
      default:
        return {kind::parameter, number};
    }
  }
  if (llvm::isa<llvm::AllocaInst>(root)) return {kind::local};
  if (llvm::isa<llvm::GlobalVariable>(root)) return {kind::constant};
  if (llvm::isa<llvm::ConstantPointerNull, llvm::UndefValue>(root)) return {kind::none};
  if (captured_at_.contains(root)) return {kind::referenced};
  return {kind::number};
}

space spaces::of(const llvm::Value* pointer) const {
  const auto found = known_.find(pointer);
  if (found != known_.end()) return found->second;
  space all;
  for (const auto* root : roots_of(pointer)) {
    const auto one = of_root(root);
    if (one.what == space::kind::none || one == all) continue;
    all = all.what == space::kind::none ? one : space{space::kind::mixed};
  }
  return known_[pointer] = all;
}

bool spaces::is_of_this_call(const space& s) const {
  return s.what == space::kind::local || (s.what == space::kind::parameter &&
                                          kernel_.parameters[s.parameter].what == role::captures);
}

bool spaces::are_apart(const llvm::Value* p, const llvm::Value* q) const {
  using kind = space::kind;
  const auto a = of(p), b = of(q);
  for (const auto one : {a.what, b.what})
    if (one == kind::none || one == kind::mixed) return false;
  return a != b && (is_of_this_call(a) || is_of_this_call(b));
}

bool spaces::keep_distance(const llvm::Value* p, const llvm::Value* q) const {
  using kind = space::kind;
  const auto a = of(p), b = of(q);
  if (a.what == kind::none || b.what == kind::none) return true;
  if (a != b || a.what == kind::mixed) return false;
  if (a.what != kind::referenced) return true;
  std::set<std::int64_t> objects;
  for (const auto* pointer : {p, q})
    for (const auto* root : roots_of(pointer))
      if (const auto at = captured_at(root)) objects.insert(*at);
  return objects.size() == 1;
}

bool spaces::is_unchanging(const llvm::Value* pointer) const {
  const auto where = of(pointer);
  switch (where.what) {
    case space::kind::global:
    case space::kind::constant:
    case space::kind::referenced:
      return true;
    case space::kind::parameter:
      return kernel_.parameters[where.parameter].what == role::captures;
    default:
      return false;
  }
}

}  // namespace pappus::compiler
