// What the source calls a function's parameters and captures, as far as the compiler was asked to
// keep that (-g).
#pragma once

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Function.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/analysis/slots.h"

namespace pappus::compiler {

/// What to write behind the name of a value of this type, to reach the part of it that has just
/// these bytes: ".at.x", "[1]"; none: there is no such part.
std::optional<std::string> part_of(const llvm::DIType* type, std::uint64_t offset,
                                   std::uint64_t size);

struct source_names {
  std::vector<std::string> parameters;              ///< of the user's function; empty: not known
  const llvm::DICompositeType* captures = nullptr;  ///< null: not known

  /// "w", "low[1]", "t.count" for the value at the end of the path (footprint.h); empty: not known.
  std::string captured(const std::vector<std::int64_t>& path) const;
};

/// \param copied  functions that the slots' thunks reach
source_names names_of(const slot& s, const std::vector<const llvm::Function*>& copied);

}  // namespace pappus::compiler
