// Where in the user's own files an instruction comes from.
#pragma once

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Instruction.h>

#include <string>
#include <vector>

namespace pappus::compiler {

/// `where` and `chain` are those of a reason. Files of the system and of Pappus are left out as
/// long as a file of the user's is involved.
struct position {
  std::string where;
  std::vector<std::string> chain;              ///< "called from k.cpp:12:5"
  const llvm::DILocation* location = nullptr;  ///< of `where`; null: unknown
  std::vector<llvm::StringRef> functions;      ///< symbols of its function and of the callers
};

/// Whether this is neither a file of the system's nor of Pappus'.
bool is_users_file(llvm::StringRef path);

/// The innermost in the user's own files; null: unknown.
const llvm::DILocation* users_location(const llvm::Instruction& code);

/// \param otherwise  `where` of code that was compiled without positions
position position_of(const llvm::Instruction& code, const std::string& otherwise);

}  // namespace pappus::compiler
