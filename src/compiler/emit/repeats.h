// Which operands an instruction's text has more than once, so that they need a name.
#pragma once

#include <llvm/IR/Instructions.h>

namespace pappus::compiler {

bool repeats(const llvm::Use& use);
/// Its text is more than an expression: a load in parts from an aggregate or odd place.
bool needs_statements(const llvm::Instruction& value);

/// The sizes of the accesses that read or write `bytes` at an address of this alignment: powers of
/// two, 8 at most, each aligned.
llvm::SmallVector<unsigned, 8> parts_of(std::uint64_t bytes, std::uint64_t align);

}  // namespace pappus::compiler
