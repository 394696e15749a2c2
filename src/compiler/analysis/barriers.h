// Assembly without instructions: barriers for the compiler, as in benchmarks and in Eigen.
#pragma once

#include <llvm/IR/Function.h>

namespace pappus::compiler {

/// Removes `asm volatile("" ::: "memory")` and `asm("" : "+r"(x))`, which do nothing when they run:
/// what comes out of them is what went in. Assembly that has an output without an input stays.
void drop_barriers(llvm::Function& function);

}  // namespace pappus::compiler
