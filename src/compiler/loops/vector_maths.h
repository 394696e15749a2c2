// Vector versions of <cmath> for the CPU's loops: glibc's libmvec.
//
// clang has -fveclib=libmvec, but knows only five of its functions, for vectors of 128 and 256
// bits: a loop that calls any other stays scalar. Here calls are marked with all vector versions
// that glibc has, in all widths that the processor has. Only calls that may be approximate (afn)
// are: a vector version's last digits differ from the scalar function's, and rows at the end of a
// block take the latter.
#pragma once

#include <llvm/ADT/StringRef.h>
#include <llvm/IR/PassManager.h>

namespace pappus::compiler {

/// Does nothing but on x86-64 with glibc.
/// \param glibc_minor  of glibc 2.x, as the user's headers say; 0: another C library
void offer_vector_maths(llvm::Function& function, llvm::FunctionAnalysisManager& analyses,
                        unsigned glibc_minor);

/// Whether some glibc has vector versions of this function of <cmath>, by its name in C.
bool has_vector_version(llvm::StringRef name);

}  // namespace pappus::compiler
