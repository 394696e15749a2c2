// Bit-fields that clang reads by way of integers wider than 64 bits, as it does where those of a
// packed struct follow each other across words.
#pragma once

#include <llvm/IR/Function.h>

namespace pappus::compiler {

/// Each such bit-field is read by itself, from the bytes in which it lies. Where a wide integer is
/// used in any other way it stays.
void narrow_bit_fields(llvm::Function& function);

}  // namespace pappus::compiler
