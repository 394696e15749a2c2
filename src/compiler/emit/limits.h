// What emission can't express, in the words of who wrote the function.
#pragma once

#include <llvm/IR/Instruction.h>

#include <vector>

#include "compiler/kernel_function.h"

namespace pappus::compiler {

enum class limit {
  address_as_number,
  host_pointer,
  keeps_address,
  long_double,
  mixed_memory,
  mutable_global,
  narrow_float,
  reference_size,
  table_pointers,
  table_size,
  unknown_call,
  unknown_code,
  wide_integer,
  writes_shared,
};

/// A row of the table from which the documentation is made, too.
struct limit_row {
  limit why;
  const char* id;
  const char* what;
  const char* remedy;
};

const std::vector<limit_row>& all_limits();

/// \param otherwise  where it is in code that was compiled without positions
reason reason_for(limit why, const llvm::Instruction* at, const std::string& otherwise);

}  // namespace pappus::compiler
