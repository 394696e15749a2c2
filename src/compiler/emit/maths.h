// The functions of <cmath> that devices have, in float and double.
//
// clang calls them or uses an intrinsic, depending on -fno-math-errno; both forms are found here.
// OpenCL C and CUDA overload them by argument type, so the text has one name for both.
#pragma once

#include <llvm/IR/InstrTypes.h>

namespace pappus::compiler {

struct maths_function {
  enum class shape {
    floats,       ///< all arguments and the result have one type
    float_int,    ///< a float and an int give a float
    to_int,       ///< a float gives an int
    to_long,      ///< a float, rounded as by `spelled`, gives a long
    to_pointers,  ///< results go through pointers, too: frexp, modf, remquo, sincos
    complex,      ///< of std::complex: products, quotients, exp and sqrt
    of_complex,   ///< a std::complex gives a float: abs and arg
  };
  const char* name;     ///< as in C, without the f of floats
  const char* spelled;  ///< on devices
  shape what;
};

/// Null: it isn't one.
const maths_function* find_maths(const llvm::CallBase& call);
/// By its name in C.
const maths_function* find_maths(llvm::StringRef name);

}  // namespace pappus::compiler
