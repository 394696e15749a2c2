#include "compiler/loops/gathering.h"

#include <llvm/IR/Module.h>

#include <string>

#include "compiler/loops/launch_loops.h"

namespace pappus::compiler {

void let_launches_gather(llvm::Module& module, llvm::ModuleAnalysisManager& analyses) {
  constexpr const char* kind = "target-features";
  constexpr llvm::StringRef without = "+prefer-no-gather", with = "-prefer-no-gather";
  auto& of_functions =
      analyses.getResult<llvm::FunctionAnalysisManagerModuleProxy>(module).getManager();
  for (auto& function : module) {
    if (function.isDeclaration() || !is_launch_loop(function)) continue;
    auto features = function.getFnAttribute(kind).getValueAsString().str();
    const auto at = features.find(without);
    if (at == std::string::npos) continue;
    features.replace(at, without.size(), with.str());
    function.addFnAttr(kind, features);
    of_functions.clear(function, function.getName());  // they know the processor of before
  }
}

}  // namespace pappus::compiler
