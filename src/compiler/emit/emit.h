// Emission: LLVM's code of a user's function becomes text that OpenCL C 1.2 and CUDA C++ compile.
//
// The text is C as both languages have it, given the preludes of src/devices/. Values become
// expressions where they are used once and nothing that lies between could change them (folding.h),
// control flow becomes loops and ifs where it is reducible, and gotos elsewhere (flow.h). OpenCL C
// 1.2 has no generic address space, so the space of each pointer follows from where it comes from
// (spaces.h). The runtime replaces `$f` by a name and `$0`, `$1`, .. and `$r` by address spaces.
//
// The text depends on the code alone: the same code gives the same bytes whatever else a
// translation unit holds, so that kernels are found again in a cache.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/kernel_function.h"

namespace pappus::compiler {

struct emitted {
  std::string text;
  bool floats = false;  ///< computes with floats of any width
  bool doubles = false;
  bool traps = false;              ///< the text has a last parameter `trap`
  std::vector<std::string> maths;  ///< functions of <cmath>, by their names in C, sorted
  std::vector<reference> references;
  std::vector<reason> reasons;  ///< not empty: text is empty
};

emitted emit(const kernel_function& kernel);

}  // namespace pappus::compiler
