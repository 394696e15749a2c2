#include "compiler/analysis/positions.h"

#include <llvm/Support/Path.h>

namespace pappus::compiler {
namespace {

bool is_users(const llvm::DILocation& at) {
  return at.getLine() != 0 && is_users_file(at.getFilename());
}

std::string location_text(const llvm::DILocation& at) {
  // What optimisation made of several expressions has no column.
  const auto column = at.getColumn() == 0 ? "" : ":" + std::to_string(at.getColumn());
  return llvm::sys::path::remove_leading_dotslash(at.getFilename()).str() + ":" +
         std::to_string(at.getLine()) + column;
}

}  // namespace

bool is_users_file(llvm::StringRef path) {
  return !path.empty() && !path.starts_with("/usr/") && !path.contains("include/pappus/");
}

const llvm::DILocation* users_location(const llvm::Instruction& code) {
  const llvm::DILocation* at = code.getDebugLoc();
  while (at != nullptr && !is_users(*at)) at = at->getInlinedAt();
  return at;
}

position position_of(const llvm::Instruction& code, const std::string& otherwise) {
  position result;
  for (const llvm::DILocation* at = code.getDebugLoc(); at != nullptr; at = at->getInlinedAt()) {
    result.functions.push_back(at->getScope()->getSubprogram()->getLinkageName());
    if (!is_users(*at)) continue;
    if (result.location == nullptr) {
      result.location = at;
      result.where = location_text(*at);
    } else {
      result.chain.push_back("called from " + location_text(*at));
    }
  }
  if (result.where.empty()) result.where = otherwise;
  return result;
}

}  // namespace pappus::compiler
