// The descriptor that a slot gets: JSON, which the library reads (codegen/plugin/descriptor.h).
//
//   {"version":2, "name":"k_cpp_12", "function":"(lambda at k.cpp:12:5)", "source":"k.cpp:12:5",
//    "text":"DEVICE void $f(..", "floats":"strict", "doubles":false, "traps":false,
//    "maths":["exp"],
//    "references":[{"offset":8,"bytes":64,"align":4}],
//    "reads":[{"parameter":1,"bytes":[[0,8],[16,4]]}],        bytes null: not known
//    "reasons":[{"id":"recursion","what":"calls f, which calls itself",
//                "remedy":"write it as a loop",
//                "where":"k.cpp:13:9","chain":["called from k.cpp:12:20"]}],
//    "work":{"counts":[{"sides":[],"simple":9.5,"wide":0,"divisions":1,"maths":0},
//                      {"sides":[0],"simple":0,"wide":6,"divisions":0,"maths":0}],
//            "assumed":false,"unseen":false,"fast":false,"vector_maths":[]}}
//
// All functions have work (analysis/work.h). With reasons there is no text, and the members that
// describe it are left out. A function of views (analysis/footprint.h) has no text either, but
//
//    "footprint":"read in[i-w:i+w]", "ranks":[1],
//    "accesses":[{"view":0, "kind":"read", "text":"read in[i-w:i+w]",
//                 "region":[{"low":"- i0 s0", "high":"+ i0 s0"}]}],
//    "symbols":[{"name":"w", "path":[0], "bytes":4, "signed":true}], "narrow":true,
//    "references":[{"offset":8,"bytes":64,"align":4}]
//
// where "ranks" are the views' dimensions. Bounds are codes of regions::expression; without both,
// all of a dimension may be touched. In place of "region" stands "unknown":true if no dimension is
// known. s0, s1, .. are the symbols: captured values (path [8, 0]: at offset 0 behind the pointer
// at offset 8 of the captures), and {"name":"in.extent(1)", "view":0, "dimension":1}. If narrow,
// formulas hold only while all values in them and of them are below 2^31. "references" is missing
// where the function may do more with captured pointers than read (emit/copyable.h).
#pragma once

#include <optional>
#include <string>

#include "compiler/analysis/footprint.h"
#include "compiler/analysis/work.h"
#include "compiler/emit/emit.h"
#include "compiler/kernel_function.h"

namespace pappus::compiler {

std::string descriptor_of(const kernel_function& function, const emitted& code,
                          const std::optional<footprint>& touched, const call_work& work,
                          const std::string& source);

/// A descriptor for slots of other versions: it has this plugin's version alone, so that the
/// library refuses it and says why.
std::string descriptor_of_version();

}  // namespace pappus::compiler
