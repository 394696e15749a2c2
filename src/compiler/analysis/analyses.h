// LLVM's analyses, registered, so that its passes find what they ask for.
#pragma once

#include <llvm/Passes/PassBuilder.h>

namespace pappus::compiler {

struct analyses {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager groups;
  llvm::ModuleAnalysisManager modules;

  analyses() {
    llvm::PassBuilder builder;
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(groups);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, groups, modules);
  }
};

}  // namespace pappus::compiler
