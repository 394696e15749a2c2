// Loads of what a function's parameters point to: fields of records, captured values.
#pragma once

#include <cstdint>
#include <optional>

#include "compiler/kernel_function.h"

namespace llvm {
class Value;
}

namespace pappus::compiler {

/// Bytes of a parameter that are loaded.
struct loaded {
  unsigned parameter;
  std::int64_t offset, bytes;
};

/// The value as a load of bytes behind a parameter of this role; none: it is something else.
std::optional<loaded> load_of(const kernel_function& function, const llvm::Value* value, role from);

}  // namespace pappus::compiler
