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

/// Without typedefs, const and the like; null: void, or not known.
const llvm::DIType* plain(const llvm::DIType* type);

/// What to write behind the name of a value of this type, to reach the part of it that has just
/// these bytes: ".at.x", "[1]"; none: there is no such part.
std::optional<std::string> part_of(const llvm::DIType* type, std::uint64_t offset,
                                   std::uint64_t size);

struct source_names {
  std::vector<std::string> parameters;              ///< of the user's function; empty: not known
  const llvm::DICompositeType* captures = nullptr;  ///< null: not known

  /// By the numbers of the slot's parameters; empty: not known, or none of the user's.
  std::vector<std::string> of_thunk(const slot& s) const;
  /// "w", "low[1]", "t.count" for the value at the end of the path (footprint.h); empty: not known.
  std::string captured(const std::vector<std::int64_t>& path) const;
};

/// The types of the records that the thunk's parameters point to; none: not known.
std::vector<const llvm::DIType*> records_of(const slot& s);

/// \param copied  functions that the slots' thunks reach
source_names names_of(const slot& s, const std::vector<const llvm::Function*>& copied);

}  // namespace pappus::compiler
