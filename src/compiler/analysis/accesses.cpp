#include "compiler/analysis/accesses.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include "compiler/analysis/ranges.h"
#include "pappus/detail/base/view.h"

namespace pappus::compiler {
namespace {

/// Arguments of the call: elements, what the view allows, indices, strides.
constexpr unsigned before_indices = 2;

detail::view_access allowed_by(const llvm::CallInst& call) {
  const auto* allowed = llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(1));
  return allowed != nullptr ? static_cast<detail::view_access>(allowed->getSExtValue())
                            : detail::view_access::readwrite;
}

/// Follows the address of an element.
class element_walk {
 public:
  element_walk(element_use& use, std::int64_t size, llvm::ScalarEvolution& values)
      : use_(use), size_(size), values_(values) {}

  void run() {
    follow(use_.call, use_.call);
    while (!pending_.empty() && !use_.lost) {
      const auto [pointer, base] = pending_.pop_back_val();
      for (const auto& u : pointer->uses()) visit(u, base);
    }
  }

 private:
  struct address {
    llvm::Value *pointer, *base;
  };

  void follow(llvm::Value* pointer, llvm::Value* base) {
    if (seen_.insert(pointer).second) pending_.push_back({pointer, base});
  }

  void visit(const llvm::Use& u, llvm::Value* base) {
    auto* user = u.getUser();
    auto* pointer = u.get();
    const auto& layout = use_.call->getModule()->getDataLayout();
    const auto size_of = [&](llvm::Type* type) {
      return static_cast<std::int64_t>(layout.getTypeStoreSize(type).getFixedValue());
    };
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(user)) {
      read(*load->getParent(), pointer, base, size_of(load->getType()));
    } else if (auto* store = llvm::dyn_cast<llvm::StoreInst>(user);
               store != nullptr && u.getOperandNo() == store->getPointerOperandIndex()) {
      write(*store, pointer, base, size_of(store->getValueOperand()->getType()));
    } else if (auto* block = llvm::dyn_cast<llvm::MemIntrinsic>(user)) {
      const auto* length = llvm::dyn_cast<llvm::ConstantInt>(block->getLength());
      const std::int64_t size = length != nullptr ? length->getSExtValue() : size_ + 1;
      if (u.getOperandNo() == 0)
        write(*block, pointer, base, size);
      else
        read(*block->getParent(), pointer, base, size);
    } else if (llvm::isa<llvm::GetElementPtrInst>(user)) {
      follow(user, base);
    } else if (llvm::isa<llvm::PHINode, llvm::SelectInst>(user) && pointer == base) {
      several_ = true;
      follow(user, user);
    } else if (!llvm::isa<llvm::ICmpInst>(user)) {
      use_.lost = true;
    }
  }

  /// The byte of the element at which the access begins; -1: it varies within the element. Leaving
  /// the element means to reach others.
  std::int64_t offset_of(llvm::Value* pointer, llvm::Value* base, std::int64_t size,
                         const llvm::BasicBlock& code) {
    const auto* distance = values_.getMinusSCEV(values_.getSCEV(pointer), values_.getSCEV(base));
    if (llvm::isa<llvm::SCEVCouldNotCompute>(distance)) return use_.lost = true, -1;
    const auto *low = extreme(distance, false, code, values_),
               *high = extreme(distance, true, code, values_);
    if (low == nullptr || high == nullptr || values_.getSignedRangeMin(low).slt(0) ||
        values_.getSignedRangeMax(high).sgt(size_ - size))
      return use_.lost = true, -1;
    const auto* exact = llvm::dyn_cast<llvm::SCEVConstant>(distance);
    return exact != nullptr ? exact->getAPInt().getSExtValue() : -1;
  }

  void read(const llvm::BasicBlock& code, llvm::Value* pointer, llvm::Value* base,
            std::int64_t size) {
    use_.reads = true;
    offset_of(pointer, base, size, code);
  }

  void write(const llvm::Instruction& code, llvm::Value* pointer, llvm::Value* base,
             std::int64_t size) {
    const auto offset = offset_of(pointer, base, size, *code.getParent());
    const bool known = offset >= 0 && !several_;
    use_.stores.push_back({&code, known ? offset : 0, known ? size : 0});
  }

  element_use& use_;
  std::int64_t size_;
  llvm::ScalarEvolution& values_;
  bool several_ = false;  ///< the address may also be that of another element
  llvm::SmallVector<address> pending_;
  llvm::SmallPtrSet<llvm::Value*, 8> seen_;
};

/// Whether the elements are reached by views' calls alone.
bool is_private(llvm::Argument* view) {
  llvm::SmallVector<llvm::Value*> pending{view};
  llvm::SmallPtrSet<llvm::Value*, 8> seen;
  while (!pending.empty()) {
    auto* pointer = pending.pop_back_val();
    if (!seen.insert(pointer).second) continue;
    for (const auto& use : pointer->uses()) {
      auto* user = use.getUser();
      if (llvm::isa<llvm::PHINode, llvm::SelectInst>(user))
        pending.push_back(user);
      else if (!is_access(*llvm::cast<llvm::Instruction>(user)) || use.getOperandNo() != 0)
        return false;
    }
  }
  return true;
}

}  // namespace

bool is_access(llvm::StringRef symbol) {
  return symbol.starts_with("_ZN6pappus6detail13view_elementsI");
}

bool is_access(const llvm::Instruction& i) {
  const auto* call = llvm::dyn_cast<llvm::CallInst>(&i);
  const auto* callee = call != nullptr ? call->getCalledFunction() : nullptr;
  return callee != nullptr && callee->hasFnAttribute(access_mark);
}

void mark_access(llvm::Function& function) {
  function.addFnAttr(access_mark);
  function.addFnAttr(llvm::Attribute::WillReturn);
  function.setDoesNotThrow();
  function.setDoesNotAccessMemory();
}

bool element_use::may_write() const {
  return !stores.empty() ||
         (lost && (call == nullptr || allowed_by(*call) != detail::view_access::read));
}

bool element_use::reduces() const {
  return call != nullptr && allowed_by(*call) == detail::view_access::reduce;
}

std::vector<llvm::Value*> element_use::indices() const {
  const auto end = before_indices + (call->arg_size() - before_indices) / 2;
  std::vector<llvm::Value*> result;
  for (auto n = before_indices; n < end; ++n) result.push_back(call->getArgOperand(n));
  return result;
}

std::vector<element_use> element_uses(const kernel_function& function, llvm::Function& code,
                                      llvm::ScalarEvolution& values) {
  std::vector<element_use> result;
  const auto is_view = [&](unsigned n) { return function.parameters[n].what == role::view; };
  std::vector<bool> lost(function.parameters.size());
  for (auto& argument : code.args())
    lost[argument.getArgNo()] = is_view(argument.getArgNo()) && !is_private(&argument);
  for (auto& i : llvm::instructions(code)) {
    if (!is_access(i)) continue;
    auto& call = llvm::cast<llvm::CallInst>(i);
    llvm::SmallVector<const llvm::Value*> roots;
    llvm::getUnderlyingObjects(call.getArgOperand(0), roots, nullptr, 0);
    for (const auto* root : roots) {
      const auto* argument = llvm::dyn_cast<llvm::Argument>(root);
      if (argument == nullptr || !is_view(argument->getArgNo())) {
        // Views of who knows what: of any of the arrays, perhaps.
        for (unsigned n = 0; n < lost.size(); ++n) lost[n] = lost[n] || is_view(n);
        continue;
      }
      const auto view = argument->getArgNo();
      element_use use{&call, view, function.parameters[view].size, roots.size() == 1, false,
                      false, {}};
      element_walk(use, use.element_size, values).run();
      result.push_back(std::move(use));
    }
  }
  for (unsigned n = 0; n < lost.size(); ++n)
    if (lost[n]) result.push_back({nullptr, n, 0, false, true, true, {}});
  return result;
}

}  // namespace pappus::compiler
