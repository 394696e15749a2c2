// Long doubles that come from the standard library, in code whose author uses none.
//
// std::generate_canonical, of which std::uniform_real_distribution and std::normal_distribution are
// made, divides logarithms of its generator's range, a constant, to find how often it is to be
// called, and multiplies a power of that range by the range. The logarithms are computed here, as
// the CPU would. A product becomes one of doubles where a long double holds all of its bits, as it
// does for every generator of the standard library: it is rounded once either way.
#pragma once

#include <llvm/IR/Function.h>

namespace pappus::compiler {

void replace_long_doubles(llvm::Function& function);

}  // namespace pappus::compiler
