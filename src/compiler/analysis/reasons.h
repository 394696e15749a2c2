// Every reason why a function can't run on a device, and what to do instead.
#pragma once

#include <llvm/ADT/StringRef.h>

#include <string>
#include <vector>

#include "compiler/analysis/positions.h"
#include "compiler/kernel_function.h"

namespace pappus::compiler {

enum class cause {
  address_as_number,
  allocates,
  asks_processor,
  assembly,
  atomic,
  catches,
  category_text,
  computed_goto,
  coroutine,
  float_environment,
  frees,
  host_pointer,
  int128,
  keeps_address,
  locks,
  long_double,
  looks_up,
  mixed_memory,
  mutable_global,
  narrow_float,
  not_inlined,
  pointer_call,
  prints,
  recursion,
  reference_size,
  replaceable,
  run_time_type,
  setjmp,
  sorts,
  static_local,
  std_any,
  std_function,
  table_pointers,
  table_size,
  thread_local_,
  trapping,
  ubsan,
  unknown_call,
  unknown_code,
  unseen_body,
  unseen_library,
  unseen_value,
  variable_array,
  variadic,
  virtual_call,
  volatile_access,
  writes_argument,
  writes_captures,
  writes_global,
  writes_reference,
  writes_shared,
  writes_side,
};

/// "file.cpp:12", by which reasons are compared: the same is told once for a line.
llvm::StringRef line_of(const reason& r);
reason reason_for(cause why, const std::string& name, const position& at);

}  // namespace pappus::compiler
