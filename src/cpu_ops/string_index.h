// The index of a join whose keys are strings.
//
// Strings are hashed to 64 bits. A table of hashes would be wrong if two different strings of the
// build side had the same one, so that is looked for, and everything hashed again with another seed
// should it happen. A probe then compares one string per row: all rows of a run have the same.
#pragma once

#include "algorithms/join_index.h"
#include "cpu_ops/contract.h"
#include "pappus/detail/base/memory.h"

namespace pappus::cpu_ops {

/// Makes `index`, which has index.rows > 0 rows, one of their keys.
/// \param strings  std::string_views, whose text must outlive the index
void index_strings(const run_context& context, detail::buffer strings, join_index& index);

}  // namespace pappus::cpu_ops
