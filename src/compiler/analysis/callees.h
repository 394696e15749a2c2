// What a function that is called, but can't be copied into its caller, does: by its name, and by
// the functions of the standard library on the way to it.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/InstrTypes.h>

#include <optional>
#include <string>
#include <vector>

#include "compiler/analysis/reasons.h"

namespace pappus::compiler {

struct objection {
  cause why;
  std::string name;  ///< of what is used, in the user's terms
};

/// "a::b<int>::c(double) const" as a::b::c; of a lambda "a lambda".
std::string short_name(llvm::StringRef symbol);

/// The class of the standard library that one of these functions belongs to, if it's one that can't
/// be used on a device whatever it is used for: all that own memory, locks, and std::function.
std::optional<objection> objection_to_owner(const std::vector<llvm::StringRef>& functions);

/// Whether one of these functions is a destructor.
bool destroys(const std::vector<llvm::StringRef>& functions);

/// None: it is a function of <cmath>, or of <cstring> that reads memory, and emission knows it.
std::optional<objection> objection_to(const llvm::CallBase& call);

/// Why a function that isn't recursive could nevertheless not be copied into its caller, and what
/// in it is in the way.
struct obstacle {
  cause why;
  const llvm::Instruction* at;
};
obstacle obstacle_in(const llvm::Function& function);

}  // namespace pappus::compiler
