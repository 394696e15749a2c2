#include "compiler/analysis/clean.h"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/ADT/SCCIterator.h>
#include <llvm/Analysis/CFG.h>
#include <llvm/Analysis/CallGraph.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/IPO/AlwaysInliner.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/DCE.h>
#include <llvm/Transforms/Scalar/DeadStoreElimination.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/GVN.h>
#include <llvm/Transforms/Scalar/LICM.h>
#include <llvm/Transforms/Scalar/LoopDeletion.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/LowerConstantIntrinsics.h>
#include <llvm/Transforms/Scalar/MemCpyOptimizer.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/Scalarizer.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Scalar/TailRecursionElimination.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/FixIrreducible.h>
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/LoopUtils.h>
#include <llvm/Transforms/Utils/LowerSwitch.h>
#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>

#include "compiler/analysis/accesses.h"
#include "compiler/analysis/barriers.h"
#include "compiler/analysis/bit_fields.h"
#include "compiler/analysis/chosen_calls.h"
#include "compiler/analysis/long_doubles.h"
#include "compiler/analysis/wide_integers.h"

namespace pappus::compiler {
namespace {

/// Recursive functions stay functions, all others are inlined.
void choose_what_to_inline(llvm::Module& module) {
  llvm::CallGraph calls(module);
  for (auto group = llvm::scc_begin(&calls); !group.isAtEnd(); ++group) {
    for (const auto* node : *group) {
      auto* function = node->getFunction();
      if (function == nullptr || function->isDeclaration()) continue;
      function->removeFnAttr(llvm::Attribute::AlwaysInline);
      if (group.hasCycle())
        function->addFnAttr(recursive_mark);
      else if (!function->hasExternalLinkage() && !function->hasFnAttribute(access_mark))
        function->addFnAttr(llvm::Attribute::AlwaysInline);
    }
  }
}

/// Before anything is copied. Optimised builds have blocks and variables for the ends of lifetimes.
llvm::FunctionPassManager preparation() {
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::LowerConstantIntrinsicsPass());
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::PreserveCFG));
  passes.addPass(llvm::SimplifyCFGPass());
  return passes;
}

bool calls_itself(const llvm::Function& function) {
  return llvm::any_of(function.uses(), [&](const llvm::Use& use) {
    const auto* call = llvm::dyn_cast<llvm::CallBase>(use.getUser());
    return call != nullptr && call->isCallee(&use) && call->getFunction() == &function;
  });
}

/// A call of the function itself that is the last it does becomes a jump.
llvm::FunctionPassManager loops_from_recursion() {
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::TailCallElimPass());
  passes.addPass(llvm::SimplifyCFGPass());
  return passes;
}

/// std::uniform_int_distribution calls itself with the quotient of two ranges where the generator's
/// is the smaller. With generators of 31 bits that is twice at most; a third call would stop the
/// row, which the CPU computes then.
void unroll_distribution(llvm::Function& function) {
  constexpr int calls_max = 2;
  if (!function.getName().starts_with("_ZNSt24uniform_int_distributionI") ||
      !calls_itself(function))
    return;
  auto& module = *function.getParent();
  const auto calls_of = [&](llvm::Function& in) {
    std::vector<llvm::CallBase*> calls;
    for (auto& i : llvm::instructions(in))
      if (auto* call = llvm::dyn_cast<llvm::CallBase>(&i);
          call != nullptr && call->getCalledFunction() == &function)
        calls.push_back(call);
    return calls;
  };
  llvm::Function* inner = nullptr;
  for (int depth = 0; depth <= calls_max; ++depth) {
    auto* outer = &function;
    if (depth < calls_max) {
      llvm::ValueToValueMapTy values;
      outer = llvm::CloneFunction(&function, values);
    }
    for (auto* call : calls_of(*outer)) {
      if (inner != nullptr) {
        call->setCalledFunction(inner);
        continue;
      }
      llvm::CallInst::Create(module.getFunction(trap_name), "", call->getIterator());
      call->replaceAllUsesWith(llvm::PoisonValue::get(call->getType()));
      call->eraseFromParent();
    }
    inner = outer;
  }
}

/// Variables become values.
llvm::FunctionPassManager promotion() {
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  passes.addPass(llvm::EarlyCSEPass(true));
  return passes;
}

llvm::FunctionPassManager simplification() {
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::InstCombinePass(llvm::InstCombineOptions().setVerifyFixpoint(false)));
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(llvm::GVNPass());
  passes.addPass(llvm::MemCpyOptPass());
  passes.addPass(llvm::DSEPass());
  passes.addPass(llvm::InstCombinePass(llvm::InstCombineOptions().setVerifyFixpoint(false)));
  passes.addPass(llvm::SimplifyCFGPass());
  return passes;
}

/// Gives loops one place to enter them; LLVM's pass for that takes no switch there.
struct one_entry_for_loops : llvm::PassInfoMixin<one_entry_for_loops> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
    const auto& loops = analyses.getResult<llvm::LoopAnalysis>(function);
    using order = llvm::ReversePostOrderTraversal<const llvm::Function*>;
    order blocks(&function);
    if (!llvm::containsIrreducibleCFG<const llvm::BasicBlock*>(blocks, loops))
      return llvm::PreservedAnalyses::all();
    llvm::FunctionPassManager passes;
    passes.addPass(llvm::LowerSwitchPass());
    passes.addPass(llvm::FixIrreduciblePass());
    return passes.run(function, analyses);
  }
};

/// Whether all numbers that are used behind a loop change by the same amount in each round.
bool counts_evenly(const llvm::Loop& loop, llvm::ScalarEvolution& values) {
  llvm::SmallVector<llvm::BasicBlock*, 4> exits;
  loop.getUniqueExitBlocks(exits);
  const auto bends = [](const llvm::SCEV* value) {
    const auto* series = llvm::dyn_cast<llvm::SCEVAddRecExpr>(value);
    return series != nullptr && !series->isAffine();
  };
  for (auto* exit : exits)
    for (auto& phi : exit->phis())
      for (auto& value : phi.incoming_values())
        if (values.isSCEVable(value->getType()) &&
            llvm::SCEVExprContains(values.getSCEV(value), bends))
          return false;
  return true;
}

/// What a loop has counted when it ends is computed from how often it runs. The standard library
/// advances iterators of views one by one, and counts them so; NVIDIA's compiler leaves such loops
/// as they are, and a flat_map of a view of n numbers took n^2 steps.
/// Sums of what changes stay loops: their formulas need products of twice as many bits.
struct closed_forms : llvm::PassInfoMixin<closed_forms> {
  llvm::PreservedAnalyses run(llvm::Loop& loop, llvm::LoopAnalysisManager&,
                              llvm::LoopStandardAnalysisResults& known, llvm::LPMUpdater&) {
    if (!counts_evenly(loop, known.SE)) return llvm::PreservedAnalyses::all();
    llvm::SCEVExpander expander(known.SE, loop.getHeader()->getDataLayout(), "counted");
    llvm::SmallVector<llvm::WeakTrackingVH, 16> dead;
    const int replaced =
        llvm::rewriteLoopExitValues(&loop, &known.LI, &known.TLI, &known.SE, &known.TTI, expander,
                                    &known.DT, llvm::OnlyCheapRepl, dead);
    expander.clear();
    for (const auto& value : dead)
      if (auto* i = llvm::dyn_cast_or_null<llvm::Instruction>(static_cast<llvm::Value*>(value)))
        llvm::RecursivelyDeleteTriviallyDeadInstructions(i, &known.TLI);
    if (replaced == 0 && dead.empty()) return llvm::PreservedAnalyses::all();
    auto preserved = llvm::getLoopPassPreservedAnalyses();
    preserved.preserveSet<llvm::CFGAnalyses>();
    return preserved;
  }
};

llvm::FunctionPassManager completion() {
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::ScalarizerPass());
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LICMPass(llvm::LICMOptions()),
                                                       /*UseMemorySSA=*/true));
  llvm::LoopPassManager counted;
  counted.addPass(closed_forms());
  counted.addPass(llvm::LoopDeletionPass());
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(std::move(counted)));
  passes.addPass(llvm::InstCombinePass(llvm::InstCombineOptions().setVerifyFixpoint(false)));
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(one_entry_for_loops());
  passes.addPass(llvm::DCEPass());
  return passes;
}

/// Whether a thunk calls a function that could be inlined now.
bool calls_are_left(const extracted& code) {
  for (const auto* thunk : code.thunks)
    for (const auto& b : *thunk)
      for (const auto& i : b)
        if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&i))
          if (const auto* callee = call->getCalledFunction())
            if (!callee->isDeclaration() && !callee->hasFnAttribute(recursive_mark) &&
                !callee->hasFnAttribute(access_mark))
              return true;
  return false;
}

/// Sanitizers make clang keep names; the same text should come without.
void drop_names(llvm::Function& function) {
  for (auto& argument : function.args()) argument.setName("");
  for (auto& block : function) {
    block.setName("");
    for (auto& i : block) i.setName("");
  }
}

}  // namespace

cleaner::cleaner(extracted& code) : code_(code) {}

void cleaner::inline_all(inlining_visitor inlined) {
  auto first = preparation(), recursion = loops_from_recursion();
  for (auto& function : llvm::make_early_inc_range(*code_.module)) {
    if (function.isDeclaration()) continue;
    drop_barriers(function);
    narrow_bit_fields(function);
    first.run(function, analyses_.functions);
    call_directly(function);
    if (calls_itself(function)) recursion.run(function, analyses_.functions);
    unroll_distribution(function);
  }
  analyses_.functions.clear();
  // A function object may be handed on a few times before its call becomes a direct one.
  constexpr int rounds_max = 5;
  for (int round = 0; round < rounds_max && (round < 2 || calls_are_left(code_)); ++round) {
    inline_and_simplify(inlined);
    for (auto* thunk : code_.thunks) call_directly(*thunk);
  }
}

void cleaner::inline_accesses() {
  bool any = false;
  for (auto& function : *code_.module) {
    any |= function.hasFnAttribute(access_mark);
    function.removeFnAttr(access_mark);
  }
  if (any) inline_and_simplify([](std::size_t) {});
}

void cleaner::inline_and_simplify(inlining_visitor inlined) {
  auto promote = promotion();
  auto simplify = simplification();
  choose_what_to_inline(*code_.module);
  llvm::AlwaysInlinerPass(/*InsertLifetime=*/false).run(*code_.module, analyses_.modules);
  analyses_.functions.clear();
  for (std::size_t i = 0; i < code_.thunks.size(); ++i) {
    inlined(i);
    promote.run(*code_.thunks[i], analyses_.functions);
    inlined(i);
    simplify.run(*code_.thunks[i], analyses_.functions);
    replace_long_doubles(*code_.thunks[i]);
    split_wide_integers(*code_.thunks[i]);
  }
}

void cleaner::finish() {
  auto passes = completion();
  for (auto* thunk : code_.thunks) {
    passes.run(*thunk, analyses_.functions);
    drop_names(*thunk);
  }
}

}  // namespace pappus::compiler
