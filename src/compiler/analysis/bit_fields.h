// Bit-fields that clang reads by way of integers wider than 64 bits, as it does where those of a
// packed struct follow each other across words.
#pragma once

#include <llvm/IR/Function.h>

namespace pappus::compiler {

/// Reads each such bit-field by itself, from the bytes in which it lies. A wide integer that is
/// used in any other way stays.
void narrow_bit_fields(llvm::Function& function);

}  // namespace pappus::compiler
