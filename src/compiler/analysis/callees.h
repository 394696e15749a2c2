// Why a call that can't be inlined can't run on a device: judged by the called function's name, and
// by the functions of the standard library that lead to the call.
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
  std::string name;  ///< what the user's code uses: "std::ostream"
};

/// "a::b<int>::c(double) const" as a::b::c; of a lambda "a lambda".
std::string short_name(llvm::StringRef symbol);

/// An objection if one of these functions belongs to a class of the standard library that can't be
/// used on a device at all: those that own memory, locks, and std::function.
std::optional<objection> objection_to_owner(const std::vector<llvm::StringRef>& functions);

/// Whether one of these functions is a destructor.
bool destroys(const std::vector<llvm::StringRef>& functions);

/// Why a call can't run on a device. None: it calls a function of <cmath>, or one of <cstring> that
/// reads memory, which emission knows.
std::optional<objection> objection_to(const llvm::CallBase& call);

/// Why a function could not be inlined although it isn't recursive, and the instruction that is in
/// the way.
struct obstacle {
  cause why;
  const llvm::Instruction* at;
};
obstacle obstacle_in(const llvm::Function& function);

}  // namespace pappus::compiler
