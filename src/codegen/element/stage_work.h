// The work of a stage's functions per row, from what the compiler plugin counted.
#pragma once

#include "cost/work.h"
#include "graph/node.h"

namespace pappus::codegen {

/// Counted once for each type of stage, and kept as long as the process runs. Thread-safe.
const cost::row_work& row_work_of(const graph::node& n);

}  // namespace pappus::codegen
