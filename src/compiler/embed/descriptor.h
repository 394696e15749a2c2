// What a slot is told of its function: JSON, which the runtime reads (device_ops/descriptor.h).
//
//   {"version":1, "name":"k_cpp_12", "function":"(lambda at k.cpp:12:5)", "source":"k.cpp:12:5",
//    "text":"DEVICE void $f(..", "doubles":false, "traps":false, "maths":["exp"],
//    "references":[{"offset":8,"bytes":64,"align":4}],
//    "reads":[{"parameter":1,"bytes":[[0,8],[16,4]]}],        bytes null: not known
//    "reasons":[{"id":"recursion","what":"calls f, which calls itself","remedy":"write it as a
//    loop",
//                "where":"k.cpp:13:9","chain":["called from k.cpp:12:20"]}]}
//
// With reasons there is no text, and what describes it is left out.
#pragma once

#include <string>

#include "compiler/emit/emit.h"
#include "compiler/kernel_function.h"

namespace pappus::compiler {

std::string descriptor_of(const kernel_function& function, const emitted& code,
                          const std::string& source);

}  // namespace pappus::compiler
