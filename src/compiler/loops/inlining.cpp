#include "compiler/loops/inlining.h"

#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/CFG.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include <utility>
#include <vector>

#include "compiler/emit/maths.h"

namespace pappus::compiler {
namespace {

// Of a function in several loops, as those of queries are, and of one in a single loop.
constexpr unsigned operations_max = 400, launched_operations_max = 1000;

/// Where loops call users' functions: detail::bound_function (fuse/function.h) in queries,
/// detail::launched_call (loops/launch.h) over arrays. 0: it isn't there.
unsigned operations_allowed(llvm::StringRef symbol) {
  if (symbol.starts_with("_ZNK6pappus6detail14bound_function")) return operations_max;
  if (symbol.starts_with("_ZN6pappus6detail13launched_call")) return launched_operations_max;
  return 0;
}

/// Loads, stores and branches of code that isn't optimised yet say nothing of its size.
bool is_operation(const llvm::Instruction& i) {
  return llvm::isa<llvm::BinaryOperator, llvm::UnaryOperator, llvm::CmpInst, llvm::CallBase>(i) &&
         !llvm::isa<llvm::DbgInfoIntrinsic, llvm::LifetimeIntrinsic>(i);
}

/// Whether both were compiled for the same processor: __attribute__((target)) makes functions that
/// only some can run, and always_inline doesn't look at that.
bool same_target(const llvm::Function& a, const llvm::Function& b) {
  for (const llvm::StringRef kind : {"target-cpu", "target-features"})
    if (a.getFnAttribute(kind) != b.getFnAttribute(kind)) return false;
  return true;
}

class call_tree {
 public:
  explicit call_tree(unsigned operations_max) : operations_max_(operations_max) {}
  /// False if something in the function can't be inlined, or it is too much.
  bool add(llvm::Function& function) {
    if (!open_.insert(&function).second) return false;  // it calls itself
    for (auto& instruction : llvm::instructions(function)) {
      operations_ += is_operation(instruction);
      auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      if (operations_ > operations_max_ || (call != nullptr && !add_call(*call))) return false;
    }
    open_.erase(&function);
    return true;
  }
  void always_inline() const {
    for (auto* call : calls_) call->addFnAttr(llvm::Attribute::AlwaysInline);
  }

 private:
  bool add_call(llvm::CallBase& call) {
    auto* callee = call.getCalledFunction();
    if (callee == nullptr) return false;
    if (callee->isIntrinsic() || find_maths(call) != nullptr) return true;
    if (callee->isDeclaration() || callee->isInterposable() ||
        callee->hasFnAttribute(llvm::Attribute::NoInline) ||
        !same_target(*callee, *call.getFunction()))
      return false;
    calls_.push_back(&call);
    return add(*callee);
  }

  unsigned operations_max_, operations_ = 0;
  llvm::SmallPtrSet<const llvm::Function*, 16> open_;
  std::vector<llvm::CallBase*> calls_;
};

bool has_loop(const llvm::Function& function) {
  llvm::SmallVector<std::pair<const llvm::BasicBlock*, const llvm::BasicBlock*>> edges;
  llvm::FindFunctionBackedges(function, edges);
  return !edges.empty();
}

/// Calls of the function from Pappus's templates, and of these, up to the one with the loop.
void inline_upward(llvm::Function& root) {
  llvm::SetVector<llvm::Function*> inlined;
  inlined.insert(&root);
  for (std::size_t n = 0; n < inlined.size(); ++n) {
    for (auto* user : inlined[n]->users()) {
      auto* call = llvm::dyn_cast<llvm::CallBase>(user);
      if (call == nullptr || call->getCalledFunction() != inlined[n]) continue;
      call->addFnAttr(llvm::Attribute::AlwaysInline);
      auto* caller = call->getFunction();
      if (caller->getName().contains("6pappus6detail") && !has_loop(*caller))
        inlined.insert(caller);
    }
  }
}

}  // namespace

void inline_into_loops(llvm::Module& module) {
  for (auto& function : module) {
    const auto allowed = operations_allowed(function.getName());
    if (function.isDeclaration() || allowed == 0) continue;
    call_tree tree(allowed);
    if (!tree.add(function)) continue;
    tree.always_inline();
    inline_upward(function);
  }
}

}  // namespace pappus::compiler
