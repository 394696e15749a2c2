// What the functions of a stage compute a row, from what the compiler plugin counted.
#pragma once

#include "cost/work.h"
#include "graph/node.h"

namespace pappus::codegen {

/// Counted once for each type of stage: kept for the process. Thread-safe.
const cost::row_work& row_work_of(const graph::node& n);

}  // namespace pappus::codegen
