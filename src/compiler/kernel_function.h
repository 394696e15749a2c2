// What analysis hands to emission: the user's functions as single LLVM functions, and the reasons
// why some of them have no device code.
#pragma once

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Function.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "pappus/detail/base/compiled.h"

namespace pappus::compiler {

using role = detail::thunk_parameter::role;

struct parameter {
  role what;
  std::int32_t align;
  std::int64_t size;
};

/// A thunk with everything it calls inlined: internal to a module of its own, returns void; its
/// LLVM arguments are `parameters` in order.
struct kernel_function {
  llvm::Function* code = nullptr;
  std::vector<parameter> parameters;
  std::string name;      ///< a C identifier made of the source: "kmeans_cpp_12" for a lambda,
                         ///< "nearest" for fn<nearest>
  std::string function;  ///< its type: slot::function
  bool fast_floats = false;
  /// By offset in the captures: the size of the object behind the pointer there, where types told
  /// it before functions were inlined.
  std::map<std::int64_t, std::int64_t> captured_sizes = {};
  /// Of the parameters' records, with -g: type and, of the user's parameters, name. Without: none.
  std::vector<const llvm::DIType*> records = {};
  std::vector<std::string> names = {};
};

/// Memory behind a pointer that lies at byte `offset` of the captures; a kernel's text has a
/// parameter captured_<offset> for it.
struct reference {
  std::int64_t offset = 0;
  std::int64_t size = 0;  ///< bytes the function may read
  std::int32_t align = 1;
};

/// Why a function can't run on a device, in the words of who wrote it.
struct reason {
  std::string what, remedy;
  std::string where;               ///< "file.cpp:12:5"; empty: unknown
  std::vector<std::string> chain;  ///< the calls that lead to `where`, the innermost first
  std::string id = {};             ///< its row in the table of reasons; empty: in none
};

}  // namespace pappus::compiler
