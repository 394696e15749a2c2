// Tells the user, as clang does of its own optimisations, what became of a function.
#pragma once

#include <llvm/IR/Module.h>

#include <set>
#include <string>
#include <vector>

#include "compiler/analysis/extract.h"
#include "compiler/emit/emit.h"

namespace pappus::compiler {

/// All reasons with their remedies, as text of several lines.
std::string explanation(const std::vector<reason>& reasons, const std::string& function);

/// Warns that a module was compiled with headers whose slots are of another version.
void warn_of_version(llvm::Module& module, std::int64_t version);

/// -Rpass=pappus reports functions with device code, -Rpass-missed=pappus those without, with all
/// reasons, at the place where the lambda is written. That a function follows a pointer in a
/// record, as all do that take strings, is said of the first one in a file alone. A rejected
/// function that the source says must run on a device is an error.
class reporter {
 public:
  /// \param copied  the functions that the thunks reach
  reporter(const llvm::Module& module, const std::vector<const llvm::Function*>& copied)
      : module_(module), copied_(copied) {}

  /// The same words are said once: a function may have several slots.
  void report(const slot& s, const kernel_function& function, const emitted& code);
  /// Reports, with -Rpass=pappus, which elements a function of views touches.
  void report_footprint(const slot& s, const kernel_function& function, const std::string& text);

 private:
  const llvm::Module& module_;
  const std::vector<const llvm::Function*>& copied_;
  std::set<std::string> said_;
  std::set<std::string> common_said_;  // files
};

}  // namespace pappus::compiler
